package model

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A Current object may have a remark: its row shows it, and one that needs
// action is not folded.
func TestACurrentRowShowsItsCause(t *testing.T) {
	var causes []explain.Cause
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return causes }})
	p.send(rowsOn(120, 3))
	about := func(name, code string, class explain.Class) explain.Cause {
		s := explain.Subject{ID: id("apps", "Deployment", name)}
		return explain.Cause{ID: code, Code: code, Title: code + " of " + name, Class: class, Count: 1, Subject: s, Objects: []object.ID{s.ID}}
	}
	var roots []feed.Root
	var objects []*object.Object
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		o := deployment(name, 2)
		if name == "a" {
			o = deployment(name, 0)
		}
		roots, objects = append(roots, root(o)), append(objects, o)
	}
	causes = []explain.Cause{about("b", "Hint", explain.Waits), about("c", "Trouble", explain.Action)}
	p.batch(0, feed.Batch{Synced: true, Roots: roots, Objects: objects})
	p.batch(time.Second, feed.Batch{Synced: true})
	p.batch(2*time.Second, feed.Batch{Synced: true}) // rows are arranged before causes are found
	text := strings.Join(p.rows(), "\n")
	if !strings.Contains(text, "Deployment/c") || strings.Contains(text, "Deployment/b") {
		t.Errorf("want c, and b among the folded ones:\n%s", text)
	}
	p.keys("n")
	if r := p.m.Tree.selectedNode(); r == nil || r.ID.Name != "c" {
		t.Errorf("the second problem is not c: %v", p.m.Tree.list.Problems(p.m.Facts.Found, &p.m.Tree.settings))
	}
	noted := func(name string) string {
		for _, r := range p.m.Tree.Rows(0, 100) {
			if r.Name == "Deployment/"+name && r.Noted {
				return r.Message
			}
		}
		return ""
	}
	p.keys("Z")
	for name, want := range map[string]string{"a": "", "b": "Hint of b", "c": "Trouble of c"} {
		if got := noted(name); got != want {
			t.Errorf("the row of %s says %q, want %q", name, got, want)
		}
	}
	causes = nil
	again := deployment("f", 2)
	again.ResourceVersion = "2"
	p.batch(time.Minute, feed.Batch{Synced: true, Objects: []*object.Object{again}})
	p.batch(time.Minute+time.Second, feed.Batch{Synced: true})
	if got := noted("c"); got != "" {
		t.Errorf("the row of c still says %q", got)
	}
}
