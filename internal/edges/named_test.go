package edges

import (
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestWhatASpecNamesInFieldsThatAreCalledAsAKind(t *testing.T) {
	known := func(name string) []object.ID {
		switch strings.ToLower(name) {
		case "datavolume":
			return []object.ID{{Group: "cdi.kubevirt.io", Kind: "DataVolume"}}
		case "cluster":
			return []object.ID{{Group: "postgresql.cnpg.io", Kind: "Cluster"}, {Group: "kafka.strimzi.io", Kind: "Cluster"}}
		case "vpc":
			return []object.ID{{Group: "ec2.lab.io", Kind: "VPC"}}
		}
		return nil
	}
	for _, c := range []struct {
		name, object string
		want         []string
	}{
		{
			"a kind of another group of the project, in a list",
			`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"vm","namespace":"a"},"spec":{"template":{"spec":{"volumes":[{"name":"disk0","dataVolume":{"name":"fedora"}}]}}}}`,
			[]string{"cdi.kubevirt.io DataVolume a/fedora"},
		},
		{
			"another project's kind of that name is none",
			`{"apiVersion":"postgresql.cnpg.io/v1","kind":"Backup","metadata":{"name":"b","namespace":"a"},"spec":{"cluster":{"name":"pg"}}}`,
			[]string{"postgresql.cnpg.io Cluster a/pg"},
		},
		{
			"a name with a suffix, and a namespace beside it",
			`{"apiVersion":"postgresql.cnpg.io/v1","kind":"Backup","metadata":{"name":"b","namespace":"a"},"spec":{"clusterName":"pg","cluster":{"name":"pg","namespace":"b"}}}`,
			[]string{"postgresql.cnpg.io Cluster b/pg", "postgresql.cnpg.io Cluster a/pg"},
		},
		{
			"a kind that a condition is about",
			`{"apiVersion":"eventing.knative.dev/v1","kind":"Trigger","metadata":{"name":"t","namespace":"a"},"spec":{"broker":"default","filter":"x"},"status":{"conditions":[{"type":"BrokerReady","status":"Unknown"}]}}`,
			[]string{"eventing.knative.dev Broker a/default"},
		},
		{
			"not while the condition is True",
			`{"apiVersion":"eventing.knative.dev/v1","kind":"Trigger","metadata":{"name":"t","namespace":"a"},"spec":{"broker":"default"},"status":{"conditions":[{"type":"BrokerReady","status":"True"}]}}`,
			nil,
		},
		{
			"a reference that says its kind is read elsewhere",
			`{"apiVersion":"postgresql.cnpg.io/v1","kind":"Backup","metadata":{"name":"b","namespace":"a"},"spec":{"cluster":{"kind":"Other","name":"pg"}}}`,
			nil,
		},
		{
			"what a controller has chosen",
			`{"apiVersion":"camel.apache.org/v1","kind":"Integration","metadata":{"name":"i","namespace":"a"},"status":{"integrationKit":{"name":"kit-1","namespace":"a"},"conditions":[{"type":"IntegrationKitAvailable","status":"False"}]}}`,
			[]string{"camel.apache.org IntegrationKit a/kit-1"},
		},
		{
			"a kind in capitals",
			`{"apiVersion":"rds.lab.io/v1","kind":"Database","metadata":{"name":"d","namespace":"a"},"spec":{"vpc":"main"}}`,
			[]string{"ec2.lab.io VPC a/main"},
		},
		{"no name", `{"apiVersion":"postgresql.cnpg.io/v1","kind":"Backup","metadata":{"name":"b","namespace":"a"},"spec":{"cluster":"The Main One"}}`, nil},
		{"itself", `{"apiVersion":"postgresql.cnpg.io/v1","kind":"Cluster","metadata":{"name":"pg","namespace":"a"},"spec":{"cluster":"pg"}}`, nil},
	} {
		o, err := convert.JSON([]byte(c.object), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range NamedByKind(o, known) {
			got = append(got, id.Group+" "+id.Kind+" "+id.Namespace+"/"+id.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheObjectsThatFieldsNameAreBounded(t *testing.T) {
	o := &object.Object{ID: object.ID{Group: "kubevirt.io", Kind: "VirtualMachine", Name: "vm"}}
	list := make([]any, 50)
	for i := range list {
		list[i] = map[string]any{"dataVolume": map[string]any{"name": "disk" + string(rune('a'+i%26)) + string(rune('a'+i/26))}}
	}
	o.Tree = map[string]any{"spec": map[string]any{"volumes": list}}
	if got := NamedByKind(o, func(string) []object.ID { return []object.ID{{Group: "cdi.kubevirt.io", Kind: "DataVolume"}} }); len(got) != namedMost {
		t.Errorf("%d objects, want %d", len(got), namedMost)
	}
}
