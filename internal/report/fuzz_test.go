package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// spoken is a Deployment, its Pod and a custom object that say text wherever a
// cluster can, as JSON, on the way that everything from a cluster takes.
func spoken(t *testing.T, text string) *model.Model {
	t.Helper()
	condition := func(typ string) map[string]any {
		return map[string]any{"type": typ, "status": "False", "reason": text, "message": text, "lastTransitionTime": text}
	}
	meta := func(uid string, owner any) map[string]any {
		m := map[string]any{"name": text, "namespace": text, "uid": uid, "resourceVersion": "1", "generation": 2, "labels": map[string]any{text: text, "app": "web"}, "annotations": map[string]any{text: text}}
		if owner != nil {
			m["ownerReferences"] = []any{owner}
		}
		return m
	}
	container := map[string]any{"name": text, "image": text}
	var objects []*object.Object
	for _, o := range []map[string]any{
		{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta("d", nil),
			"spec":   map[string]any{"replicas": 1, "selector": map[string]any{"matchLabels": map[string]any{"app": "web"}}, "template": map[string]any{"spec": map[string]any{"containers": []any{container}}}},
			"status": map[string]any{"observedGeneration": 2, "replicas": 1, "conditions": []any{condition("ReplicaFailure"), condition(text), condition("Available")}},
		},
		{
			"apiVersion": "v1", "kind": "Pod", "metadata": meta("p", map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": text, "uid": "d", "controller": true}),
			"spec": map[string]any{"nodeName": text, "containers": []any{container}},
			"status": map[string]any{
				"phase": "Pending", "reason": text, "message": text, "conditions": []any{condition("Ready"), condition("PodScheduled")},
				"containerStatuses": []any{map[string]any{"name": text, "state": map[string]any{"waiting": map[string]any{"reason": text, "message": text}}, "lastState": map[string]any{"terminated": map[string]any{"reason": text, "message": text, "exitCode": 1}}}},
			},
		},
		{"apiVersion": text + "/v1", "kind": text, "metadata": meta("x", nil), "status": map[string]any{"phase": text, "conditions": []any{condition("Ready"), condition(text)}}},
	} {
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if o, err := convert.JSON(data, convert.Options{}); err == nil {
			objects = append(objects, o)
		}
	}
	m, _ := model.New(model.Options{Now: t0, Sources: []string{"-f app.yaml"}})
	b := feed.Batch{Seq: 1, At: t0, Synced: true, Objects: objects}
	for _, o := range objects {
		if o.Kind != "Pod" {
			b.Roots = append(b.Roots, feed.Root{ID: o.ID, Source: "-f app.yaml"})
		}
	}
	for range 2 {
		m, _ = m.Update(model.BatchArrived{Batch: b})
		m, _ = m.Update(model.ClockTicked{Now: t0.Add(time.Hour)})
		b.Seq++
	}
	return m
}

// Whatever a cluster says: the output contains only visible text, and is valid
// in its format.
func FuzzReports(f *testing.F) {
	for _, s := range []string{
		"web", "a|b`c`<script>", "::error::x", "%0A::set-output", "]]>", "&amp;", "\x1b[2J", "\u202egnp", "\u009b31m", "a\nb\r\nc", "--- |\n- x: y", "\xff", "\x00", `"\u001b"`, "{{.}}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		m := spoken(t, text)
		e := End{Code: 2, Why: "out of time"}
		print := func(write func(io.Writer) error) string {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			if err := escapes.Check(b.Bytes()); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(b.String(), "\x1b\a\r") {
				t.Fatalf("it commands a terminal: %q", b.String())
			}
			return b.String()
		}
		for _, format := range []string{"json", "yaml", "jsonl", "table", "tree", "markdown"} {
			out := print(func(w io.Writer) error { return Status(w, m.Facts, format, 2, Table{}) })
			switch {
			case format == "json" && !json.Valid([]byte(out)):
				t.Fatalf("no JSON: %q", out)
			case format == "jsonl":
				for line := range strings.Lines(out) {
					if !json.Valid([]byte(line)) {
						t.Fatalf("no JSON: %q", line)
					}
				}
			}
		}
		for _, format := range []string{"text", "json", "markdown"} {
			print(func(w io.Writer) error { return Why(w, m.Facts, format) })
		}
		print(func(w io.Writer) error { return rest(w, m.Facts, e) })
		print(func(w io.Writer) error { return NewPlain(w, time.UTC, true).Show(m.Facts) })
		d := xml.NewDecoder(strings.NewReader(print(func(w io.Writer) error { return JUnit(w, m.Facts, e) })))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for line := range strings.Lines(print(func(w io.Writer) error { return GitHub(w, m.Facts, e) })) {
			if level, _, ok := strings.Cut(strings.TrimPrefix(line, "::"), " title="); !ok ||
				level != "error" && level != "warning" && level != "notice" {
				t.Fatalf("a command that is none of ours: %q", line)
			}
		}
	})
}
