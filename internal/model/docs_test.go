package model

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the table of keys instead of comparing it")

func TestTheDocumentedKeysAreThoseOfTheTable(t *testing.T) {
	const page, begin, end = "../../docs/dashboard.md", "<!-- keys: made by go test ./internal/model -update -->\n", "<!-- end of keys -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the keys", page)
	}
	where := map[Context]string{
		Global: "everywhere", InTree: "tree", InPane: "pane",
		InText: "while typing", InReplay: "replay",
	}
	for i, name := range PaneNames() {
		if name != "YAML" {
			name = strings.ToLower(name)
		}
		where[OwnKeys(Pane(i))] = name
	}
	var want strings.Builder
	want.WriteString("| keys | where | action | what it does |\n|---|---|---|---|\n")
	for _, b := range Bindings {
		keys := "none"
		if b.Enabled() {
			keys = "`" + strings.Join(b.Keys(), "` `") + "`"
		}
		fmt.Fprintf(&want, "| %s | %s | `%s` | %s |\n",
			strings.ReplaceAll(keys, "|", "\\|"), where[b.Context], b.Action, b.Help().Desc)
		if where[b.Context] == "" {
			t.Errorf("%s: nowhere", b.Action)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want.String(), have); diff != "" {
		t.Errorf("%s is not up to date (-want +have); go test ./internal/model -update writes it:\n%s", page, diff)
	}
}

func TestAKeyOfTheUsersGoesToOneAction(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Keys: map[Action][]string{NextProblem: {"x"}, "notify": {}}})
	p.send(rowsOn(120, 20))
	_, b := bazaar()
	p.batch(0, b)
	p.keys("x")
	if k, _ := p.m.Tree.Selected(); k.ID.Kind != "Deployment" || p.m.Display.Flash() == "" {
		t.Errorf("x goes to %v", k)
	}
	if p.keys("m"); p.m.Display.Notifying() {
		t.Error("m still notifies")
	}
	for _, b := range p.m.Keyboard.Keys() {
		if b.Action == ShowWhy && (!b.Enabled() || strings.Contains(strings.Join(b.Keys(), " "), "x")) {
			t.Errorf("why is bound to %q", b.Keys())
		}
	}
	if a, b, key := Clash(map[Action][]string{Pause: {"x"}, Follow: {"x"}}); key != "x" || a == b {
		t.Errorf("clash: %s %s %q", a, b, key)
	}
}
