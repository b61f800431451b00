package dump

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

const (
	podList = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web\n    namespace: shop\n    uid: u-web\nkind: List\nmetadata:\n  resourceVersion: \"\"\n"
	podJSON = `{
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": %q,
        "namespace": "shop",
        "uid": "u-web"
    }
}
`
)

// inUTF16 is what Windows PowerShell's > writes.
func inUTF16(text string, bigEndian bool) string {
	out := []byte("\xff\xfe")
	if bigEndian {
		out = []byte("\xfe\xff")
	}
	for _, c := range utf16.Encode([]rune(text)) {
		low, high := byte(c), byte(c>>8)
		if bigEndian {
			low, high = high, low
		}
		out = append(out, low, high)
	}
	return string(out)
}

// indented is a text as it is pasted from a page.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

// Files as people save and paste them: every object is read, and nothing is said to
// be left out.
func TestObjectsAreReadFromPastedOutputs(t *testing.T) {
	web, shop := fmt.Sprintf(podJSON, "web"), fmt.Sprintf(podJSON, "shop")
	for name, x := range map[string]struct{ file, text string }{
		"kubernetes/kubernetes#39007: YAML from PowerShell":               {"pods.yaml", inUTF16(podList, false)},
		"kubernetes/kubernetes#39007: big-endian":                         {"pods.yaml", inUTF16(podList, true)},
		"fluxcd/flux2#1126: JSON from PowerShell":                         {"pods.json", inUTF16(web, false)},
		"UTF-8 with a byte order mark":                                    {"pods.yaml", "\xef\xbb\xbf" + podList},
		"kubernetes/kubernetes#87868: the end of cluster-info dump":       {"dump.json", web + "Cluster info dumped to standard output\n"},
		"agapoff/check_kubernetes#19: throttling before the JSON":         {"pods.json", "Throttling request took 1.5s, request: GET:https://10.0.0.1/api\n" + web},
		"openshift/origin#23588: a warning before the JSON":               {"pods.json", "warning: Cannot check if git requires authentication.\n" + web},
		"kubernetes/kubernetes#33588: JSON divided as YAML":               {"pods.json", shop + "---  \n" + web},
		"kubernetes/kubernetes#103185: a comment behind the division":     {"pods.json", shop + "--- # more\n# more\n" + web},
		"a prompt and its command":                                        {"pods.yaml", "$ kubectl get pods -n shop -o yaml\n" + podList},
		"two prompts, and nothing that divides":                           {"pods.yaml", "user@host:~$ oc get pod shop -o yaml\n" + strings.Replace(onePod, "name: web", "name: shop", 1) + "user@host:~$ oc get pod web -o yaml\n" + onePod},
		"a prompt in brackets":                                            {"pods.json", "[root@bastion ~]# oc get pods -o json\n" + web},
		"a prompt of Windows":                                             {"pods.yaml", "PS C:\\Users\\ann> kubectl get pod web -o yaml\r\n" + strings.ReplaceAll(onePod, "\n", "\r\n")},
		"warnings and errors of kubectl among the objects":                {"pods.yaml", "Warning: v1 ComponentStatus is deprecated: use another\n" + onePod + "Error from server (NotFound): deployments.apps \"web\" not found\nerror: the server doesn't have a resource type \"x\"\n"},
		"a field that looks like an error of kubectl":                     {"pods.yaml", "apiVersion: v1\nerror: none\n" + strings.TrimPrefix(onePod, "apiVersion: v1\n")},
		"a log line of client-go":                                         {"pods.yaml", "E1128 12:00:00.000000   12345 memcache.go:287] couldn't get resource list\n" + onePod},
		"a code fence":                                                    {"pods.md.txt", "```yaml\n" + podList + "```\n"},
		"a list that is indented as a whole":                              {"pods.yaml", indented(podList)},
		"an object that is indented as a whole":                           {"pods.yaml", indented(onePod)},
		"kubernetes/kubectl#1645: three dashes within a text":             {"pods.yaml", onePod + "spec:\n  note: \"Hello\n\n---more\"\n"},
		"a name in a text that looks like the end of cluster-info's dump": {"pods.yaml", onePod + "status:\n  message: |\n    Cluster info dumped to standard output\n    Warning: no\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := read(t, tree(t, map[string]string{"saved/" + x.file: x.text}))
			if len(s.LeftOut) > 0 {
				t.Errorf("left out: %q", s.LeftOut)
			}
			if code, text := ask(t, s, podPath+"/web"); code != 200 || !strings.Contains(text, "u-web") {
				t.Errorf("%d %s", code, text)
			}
		})
	}
}

// Each of two objects is read, whatever stands between them.
func TestTextBetweenObjectsDividesThem(t *testing.T) {
	first, second := fmt.Sprintf(podJSON, "first"), fmt.Sprintf(podJSON, "web")
	asYAML := func(name string) string { return strings.Replace(onePod, "name: web", "name: "+name, 1) }
	for name, text := range map[string]string{
		"JSON and a mark":    first + "---\n" + second,
		"JSON and a message": first + "No resources found in default namespace.\n" + second,
		"YAML and a prompt":  asYAML("first") + "$ kubectl get pod web -o yaml\n" + onePod,
		"YAML and a message": asYAML("first") + "No resources found in default namespace.\n" + onePod,
	} {
		s := read(t, tree(t, map[string]string{"saved/pods.txt": text}))
		for _, pod := range []string{"first", "web"} {
			if code, _ := ask(t, s, podPath+"/"+pod); code != 200 {
				t.Errorf("%s: pod %s: %d", name, pod, code)
			}
		}
		if len(s.LeftOut) > 0 {
			t.Errorf("%s: left out: %q", name, s.LeftOut)
		}
	}
}

// What is not read is named, with the next step.
func TestUnreadableFilesAreNamed(t *testing.T) {
	for name, x := range map[string]struct{ file, text, want string }{
		"gmeghnag/omc#168, openshift/must-gather-clean#113": {"must-gather.tar.xz", "\xfd7zXZ\x00\x00\x04", "saved/must-gather.tar.xz: an .xz file is not read; unpack it"},
		"zstd":  {"bundle.tar.zst", "\x28\xb5\x2f\xfd\x24\x00", "a .zst file is not read; unpack it"},
		"7-Zip": {"bundle.7z", "7z\xbc\xaf\x27\x1c\x00\x04", "a .7z archive is not read; unpack it"},
		"a list that was cut off between two items": {"pods.yaml", strings.Split(podList, "kind: List")[0], "saved/pods.yaml: a list without its end: the file may be cut off"},
	} {
		s := read(t, tree(t, map[string]string{"saved/" + x.file: x.text, "saved/other.yaml": onePod}))
		if got := strings.Join(s.LeftOut, "\n"); !strings.Contains(got, x.want) {
			t.Errorf("%s: %q", name, got)
		}
		if code, _ := ask(t, s, podPath+"/other"); code != 403 {
			t.Errorf("%s: %d: taken for all Pods", name, code)
		}
	}
}

// A log from PowerShell is read as text, from a folder and from an archive.
func TestALogInUTF16IsText(t *testing.T) {
	log := inUTF16("2026-11-20T10:00:00Z cannot connect\n", false)
	dir := tree(t, map[string]string{"saved/pods.yaml": onePod, "saved/shop/web/app.log": log})
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(log))
	_ = z.Close()
	if err := os.WriteFile(filepath.Join(dir, "saved/shop/web/side.log.gz"), packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	s := read(t, dir)
	for _, container := range []string{"app", "side"} {
		key := feed.LogKey{Pod: object.ID{Kind: "Pod", Namespace: "shop", Name: "web"}, Container: container}
		c, err := s.Feed(nil).Logs(t.Context(), key, 0)
		if err != nil || len(c.Lines) != 1 || c.Lines[0].Text != "cannot connect" || c.Lines[0].At.IsZero() {
			t.Errorf("%s: %+v, %v", container, c, err)
		}
	}
}
