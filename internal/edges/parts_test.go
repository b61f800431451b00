package edges

import (
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

// The parts of an object are looked up by their names, and nothing is listed for them.
func TestPartsAreNeededByTheirNames(t *testing.T) {
	const (
		ingress = `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"web","namespace":"a","annotations":{`
		gateway = `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"name":"gw","namespace":"a","annotations":{"cert-manager.io/issuer":"le"}},"spec":{"listeners":[`
	)
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{
			"a Certificate for each Secret of an annotated Ingress",
			ingress + `"cert-manager.io/cluster-issuer":"le"}},"spec":{"tls":[{"secretName":"one","hosts":["a.example"]},{"secretName":"two","hosts":["b.example"]},{"secretName":"one","hosts":["c.example"]}]}}`,
			[]string{"Certificate a/one", "Certificate a/two"},
		},
		{"none without the annotation", ingress + `"other":"le"}},"spec":{"tls":[{"secretName":"one","hosts":["a.example"]}]}}`, nil},
		{"none for an entry without hosts", ingress + `"cert-manager.io/issuer":"le"}},"spec":{"tls":[{"secretName":"one"}]}}`, nil},
		{
			"those of a Gateway's listeners",
			gateway + `{"name":"https","hostname":"a.example","tls":{"certificateRefs":[{"name":"one"}]}}]}}`,
			[]string{"Certificate a/one"},
		},
		{"none in another namespace", gateway + `{"name":"https","hostname":"a.example","tls":{"certificateRefs":[{"name":"one","namespace":"b"}]}}]}}`, nil},
		{"none for what is passed through", gateway + `{"name":"https","hostname":"a.example","tls":{"mode":"Passthrough","certificateRefs":[{"name":"one"}]}}]}}`, nil},
		{
			"the autoscaler of a ScaledObject",
			`{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"web","namespace":"a"},"status":{"hpaName":"keda-hpa-web"}}`,
			[]string{"HorizontalPodAutoscaler a/keda-hpa-web"},
		},
	} {
		o, err := convert.JSON([]byte(c.doc), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range Needs(o) {
			if n.Name == "" {
				continue // what is looked for in other ways
			}
			if n.Version == "" || n.Resource == "" {
				t.Errorf("%s: no resource of %s", c.name, n.Kind)
			}
			got = append(got, n.Kind+" "+n.Namespace+"/"+n.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
