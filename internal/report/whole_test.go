package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const lastWord = "the-last-word-of-a-long-message"

// looked is one Deployment with a long message, and one that is Current with a
// note.
func looked(t *testing.T, message string, children model.Children) *model.Model {
	t.Helper()
	obj := func(name string) *object.Object {
		return decode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"`+name+`","namespace":"shop","uid":"`+name+`","resourceVersion":"1"}}`)
	}
	judge := func(o *object.Object, _ status.World, _ time.Time) status.Assessment {
		a := status.Assessment{Status: status.Failed, Reason: "Refused", Message: message, Confidence: status.Exact, Deciding: -1}
		if o.Name == "noted" {
			a.Status, a.Reason, a.Message, a.Note = status.Current, "", "available", "its budget lets no pod be evicted"
		}
		return a
	}
	m, _ := model.New(model.Options{Now: t0, Sources: []string{"deploy"}, Judge: judge, Children: children})
	long, noted := obj("long"), obj("noted")
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
		Seq: 1, At: t0.Add(time.Second), Synced: true, Answered: 1,
		Roots: []feed.Root{{ID: long.ID}, {ID: noted.ID}}, Objects: []*object.Object{long, noted},
	}})
	return m
}

type terminal struct{ bytes.Buffer }

func (*terminal) Size() (width, height int) { return 80, 24 }

func TestTextIsNotShortenedWithoutAWidth(t *testing.T) {
	m := looked(t, strings.Repeat("word ", 60)+lastWord, "")
	for _, format := range []string{"table", "tree", "markdown"} {
		var b bytes.Buffer
		if err := Status(&b, m.Facts, format, 2, Table{}); err != nil || !strings.Contains(b.String(), lastWord) {
			t.Errorf("%s (%v):\n%s", format, err, &b)
		}
	}
	var b, f bytes.Buffer
	if err := JUnit(&b, m.Facts, End{Code: 2}); err != nil || !strings.Contains(b.String(), lastWord) {
		t.Errorf("junit (%v):\n%s", err, &b)
	}
	if f.Write(Finding(m.Facts, "test")); strings.Count(f.String(), lastWord) < 2 {
		t.Errorf("finding:\n%s", &f)
	}
	var tty terminal
	if err := Status(&tty, m.Facts, "table", 2, Table{}); err != nil || !strings.Contains(tty.String(), "…") {
		t.Errorf("a terminal's table (%v):\n%s", err, &tty)
	}
}

func TestWhyHasTheNotesThatStatusHas(t *testing.T) {
	m := looked(t, "x", "")
	for _, format := range WhyFormats {
		var b bytes.Buffer
		if err := Why(&b, m.Facts, format); err != nil || !strings.Contains(b.String(), "its budget lets no pod be evicted") {
			t.Errorf("%s (%v):\n%s", format, err, &b)
		}
	}
}

func TestEveryOutputMentionsThatChildrenWereNotFollowed(t *testing.T) {
	m := looked(t, "x", model.ChildrenNone)
	for _, format := range StatusFormats {
		var b bytes.Buffer
		if err := Status(&b, m.Facts, format, 2, Table{}); err != nil || !strings.Contains(b.String(), "own fields") && !strings.Contains(b.String(), "own-fields") {
			t.Errorf("status %s (%v):\n%s", format, err, &b)
		}
	}
	for _, format := range WhyFormats {
		var b bytes.Buffer
		if err := Why(&b, m.Facts, format); err != nil || !strings.Contains(b.String(), "own fields") && !strings.Contains(b.String(), "own-fields") {
			t.Errorf("why %s (%v):\n%s", format, err, &b)
		}
	}
	var b bytes.Buffer
	if _ = Status(&b, looked(t, "x", model.ChildrenAuto).Facts, "table", 2, Table{}); strings.Contains(b.String(), "own fields") {
		t.Errorf("with children:\n%s", &b)
	}
}

func TestALineOfALogIsNeverPrintedAsACommand(t *testing.T) {
	hostile := "##[error]a ##vso[task.setvariable variable=x]b ##teamcity[c] " + strings.Repeat("padding ", 6) + "::error::d " + strings.Repeat("::set-output::e ", 12)
	m := looked(t, hostile, "")
	var tty terminal
	var b bytes.Buffer
	_ = Status(&tty, m.Facts, "table", 2, Table{})
	_ = rest(&tty, m.Facts, End{})
	_ = Why(&tty, m.Facts, "text")
	_ = Status(&b, m.Facts, "table", 2, Table{})
	_ = Status(&b, m.Facts, "tree", 2, Table{})
	_ = Why(&b, m.Facts, "text")
	for _, out := range []string{tty.String(), b.String()} {
		for line := range strings.Lines(out) {
			low := strings.ToLower(line)
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(low, "##[") || strings.Contains(low, "##vso[") || strings.Contains(low, "##teamcity[") {
				t.Errorf("a command: %q", line)
			}
		}
	}
	if got := Inert("::error::x\n  ::group::y"); got != ": :error::x\n  : :group::y" {
		t.Errorf("%q", got)
	}
}
