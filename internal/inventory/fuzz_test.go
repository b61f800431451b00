package inventory

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// typed is a request as typed on a command line, made from a target's Source.
func typed(source string) Request {
	r := Request{Namespace: "shop"}
	source, r.AllNamespaces = strings.CutSuffix(source, " -A")
	source, r.Selector, _ = strings.Cut(source, " -l ")
	source, r.All = strings.CutSuffix(source, " --all")
	if source == "--all" {
		source, r.All = "", true
	}
	if source != "" {
		r.Args = []string{source}
	}
	return r
}

// Whatever is named: an error is one line that names the culprit; a target's
// source, typed again, is that target.
func FuzzSource(f *testing.F) {
	for _, args := range []string{
		"deploy/web", "deploy web db", "deploy,sts web svc/web", "deployments.v1.apps/web", "Certificate.cert-manager.io/tls", "po",
		"helm/web@3", "helm/shop/web", "flux/ks/apps", "flux/hr/flux-system/apps", "argo/shop", "timoni/shop/web", "kapp/app", "inventory/x", "applyset/shop/secrets/x",
		"applyset/apps", "kro/shop/webapps/x", "helm/", "flux/ks", "/", "a/b/c", "./app.yaml", "deploy/..", "deploy/a%2fb", ",", "deploy/\x1b[2J", "deploy/\u202egnp",
	} {
		f.Add(args, "", false, false)
		f.Add(args, "app=web,tier!=cache", false, false)
		f.Add(args, "", true, true)
	}
	f.Fuzz(func(t *testing.T, args, selector string, all, everywhere bool) {
		r := Request{Args: strings.Fields(args), Selector: selector, All: all, AllNamespaces: everywhere, Namespace: "shop"}
		for _, a := range r.Args {
			if strings.HasPrefix(a, "kpt/") || strings.HasPrefix(a, "-") { // a folder; a flag
				return
			}
		}
		targets, err := Parse(t.Context(), r)
		if err != nil {
			e, ok := errors.AsType[*problem.Error](err)
			if !ok || e.Text == "" || strings.ContainsAny(e.Text+e.Next, "\n\r\t") ||
				escapes.Check([]byte(e.Text+e.Next)) != nil {
				t.Fatalf("not one clean line: %q, %q", err, e.Next)
			}
			if len(r.Args) == 1 && selector == "" && !names(e.Text, r.Args[0]) {
				t.Fatalf("%q does not name %q", e.Text, r.Args[0])
			}
			return
		}
		for _, want := range targets {
			if strings.Contains(selector, " -l ") ||
				strings.HasSuffix(selector, " -A") || strings.HasSuffix(selector, " --all") {
				return // it would be read in another way
			}
			got, err := Parse(t.Context(), typed(want.Source))
			if err != nil || len(got) != 1 {
				t.Fatalf("%q, typed again: %+v, %v", want.Source, got, err)
			}
			if diff := cmp.Diff(want, got[0]); diff != "" {
				t.Fatalf("%q is another target when it is typed again (-want +got):\n%s", want.Source, diff)
			}
		}
	})
}

// names says whether a message holds a part of a word that it can show.
func names(message, word string) bool {
	parts := strings.FieldsFunc(word, func(r rune) bool {
		return r >= 0x7f || r < ' ' || r == '\\' || r == '"' || r == '/' || r == ','
	})
	return len(parts) == 0 || slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(message, p) })
}

// What kubectl prints is read as the objects that it names, and prints again as
// the same.
func FuzzKubectlText(f *testing.F) {
	for _, s := range []string{
		"deployment.apps/web created\nservice/web unchanged (dry run)\n", "Warning: x\npod \"x\" force deleted from shop namespace\n",
		"namespace/shop serverside-applied\nconfigmap/a pruned\n", "service/web\ndeployment.apps/web\n", "pod/a created\nerror: x\n", "pod/\x1b[2J created\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if isText, _ := (&manifests{}).text(Input{Data: []byte(text)}); !isText {
			return
		}
		targets, err := Parse(t.Context(), fromStdin(text))
		if err != nil {
			if e, ok := errors.AsType[*problem.Error](err); !ok || escapes.Check([]byte(e.Text+e.Next)) != nil {
				t.Fatalf("not one clean line: %q", err)
			}
			return
		}
		var again strings.Builder
		for _, target := range targets {
			if target.Type == "" || target.Name == "" {
				t.Fatalf("%+v", target)
			}
			switch target.Unplaced {
			case Applied:
				again.WriteString(target.Type + "/" + target.Name + " created\n")
			case Planned:
				again.WriteString(target.Type + "/" + target.Name + " created (dry run)\n")
			case Deleted:
				again.WriteString(target.Type + ` "` + target.Name + "\" deleted\n")
			default: // the line names its namespace
				again.WriteString(target.Type + ` "` + target.Name + `" deleted from ` + target.Namespace + " namespace\n")
			}
		}
		got, err := Parse(t.Context(), fromStdin(again.String()))
		if diff := cmp.Diff(targets, got); err != nil || diff != "" {
			t.Fatalf("%v, printed again as %q: %s", err, again.String(), diff)
		}
	})
}

// Helm's and Timoni's records are compressed and base64-encoded, which a fuzzer
// cannot mutate: here the JSON within is mutated. No secret of it comes out.
func FuzzRecordsWithin(f *testing.F) {
	data, err := json.Marshal(release())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"values":"hunter2","inventory":{"entries":[{"id":"shop_new__ConfigMap","v":"v1"},{"id":7},null,"x"]},"module":{"version":"1.1.0\u001b[2J"}}`))
	f.Add([]byte(`{"name":"web","hooks":[{"name":"\u001b","kind":"Job","manifest":"a: [","events":["\u202e"],"last_run":{"phase":"Failed"}}],"info":{"status":"failed","description":"\u001b]0;x\u0007"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		text := base64.StdEncoding.EncodeToString(data)
		if r, err := DecodeHelm([]byte(text)); err == nil {
			holdsToItsWord(t, r.Members)
			for _, s := range []string{r.Status, r.Description} {
				if s != object.Clean(s) {
					t.Fatalf("%q is not safe to print", s)
				}
			}
		} else if strings.Contains(err.Error(), "hunter2") || escapes.Check([]byte(err.Error())) != nil {
			t.Fatalf("an error quotes the release: %v", err)
		}
		for _, field := range []string{"instance", "pending"} {
			o := &object.Object{ID: object.ID{Kind: "Secret", Namespace: "shop", Name: "timoni.web"}, Tree: map[string]any{"data": map[string]any{field: text, "instance": text}}}
			set, _ := timoniSources[0].Read(o)
			holdsToItsWord(t, set.Members)
			if set.Revision != object.Clean(set.Revision) {
				t.Fatalf("revision %q", set.Revision)
			}
		}
	})
}

// What an id string is read as writes the same string.
func FuzzIDStringsComeBack(f *testing.F) {
	for _, s := range []string{"default_podinfo__Service", "_a__b_rbac.authorization.k8s.io_ClusterRole", "shop_web_apps_Deployment", "____", "a_b:c__X"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := parseID(s)
		if err != nil || strings.Contains(m.ID.Name, "_") { // which the encoding cannot tell from a part of a colon
			return
		}
		written := strings.Join([]string{m.ID.Namespace, strings.ReplaceAll(m.ID.Name, ":", "__"), m.ID.Group, m.ID.Kind}, "_")
		again, err := parseID(written)
		if err != nil || again.ID != m.ID {
			t.Fatalf("%q is %+v, written %q, read %+v, %v", s, m, written, again, err)
		}
	})
}
