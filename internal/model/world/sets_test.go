package world

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The sets in testdata/sets.txt are objects that are judged together, as `compute` does.
// Each begins with "== name", with the public report that it was built from in brackets;
// then come YAML documents, and the statuses wanted, one a line:
//
//	-> Kind/name Status Reason | words of the message or of the note
//
// What is left out after the status is not compared. It is 2026-01-02T12:00:00Z; the
// namespace (shop) and the UID (u-Kind-name) are filled in, and a line "owner: Kind/name"
// makes a controller reference.
func TestSetsOfObjectsAreJudgedAsListed(t *testing.T) {
	data, err := os.ReadFile("testdata/sets.txt")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	cases := strings.Split("\n"+string(data), "\n== ")[1:]
	if len(cases) < 20 {
		t.Fatalf("only %d sets", len(cases))
	}
	for _, text := range cases {
		name, rest, _ := strings.Cut(text, "\n")
		t.Run(name, func(t *testing.T) {
			var objects []*object.Object
			var wants []string
			var doc strings.Builder
			var owner string
			take := func() {
				if strings.TrimSpace(doc.String()) != "" {
					objects = append(objects, setObject(t, doc.String(), owner))
				}
				doc.Reset()
				owner = ""
			}
			for line := range strings.Lines(rest) {
				switch want, wanted := strings.CutPrefix(strings.TrimSpace(line), "-> "); {
				case wanted:
					wants = append(wants, want)
				case strings.TrimSpace(line) == "---":
					take()
				case strings.HasPrefix(line, "owner: "):
					owner = strings.TrimSpace(strings.TrimPrefix(line, "owner: "))
				case !strings.HasPrefix(line, "#"):
					doc.WriteString(line)
				}
			}
			take()
			if len(wants) == 0 {
				t.Fatal("nothing is wanted")
			}
			set := NewOffline(objects, nil, now)
			for _, want := range wants {
				head, words, _ := strings.Cut(want, " | ")
				fields := append(strings.Fields(head), "")
				found := false
				for _, o := range objects {
					if o.Kind+"/"+o.Name != fields[0] {
						continue
					}
					found = true
					a := set.Assess(o)
					if a.Status != status.Status(fields[1]) || fields[2] != "" && a.Reason != fields[2] ||
						!strings.Contains(a.Message+" "+a.Note, words) {
						t.Errorf("want %s\n got %s %s by %s: %s (%s)", want, a.Status, a.Reason, a.Rule, a.Message, a.Note)
					}
				}
				if !found {
					t.Errorf("no %s", fields[0])
				}
			}
		})
	}
}

func setObject(t *testing.T, text, owner string) *object.Object {
	t.Helper()
	var m map[string]any
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	meta, _ := m["metadata"].(map[string]any)
	kind := fmt.Sprint(m["kind"])
	if meta["namespace"] == nil && kind != "CustomResourceDefinition" &&
		kind != "APIService" && kind != "Node" && kind != "StorageClass" {
		meta["namespace"] = "shop"
	}
	if meta["uid"] == nil {
		meta["uid"] = fmt.Sprintf("u-%s-%s", kind, meta["name"])
	}
	if owner != "" {
		kind, name, _ := strings.Cut(owner, "/")
		version := map[string]string{"Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1", "Service": "v1"}[kind]
		meta["ownerReferences"] = []any{map[string]any{"apiVersion": version, "kind": kind, "name": name, "uid": "u-" + kind + "-" + name, "controller": true}}
	}
	data, err := yaml.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	json, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	o, err := convert.JSON(json, convert.Options{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return o
}
