package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const foldable = `status:
  conditions:
  - type: Ready
    status: "True"
  - type: Other
    status: "False"
  text: |
    one

    two
  phase: Running
kind: Pod
metadata:
  name: web`

func shownYAML(p *play) string {
	var b strings.Builder
	for _, l := range p.m.Detail().Shown {
		b.WriteString(l.Text)
		if l.Folded > 0 {
			fmt.Fprintf(&b, " +%d", l.Folded)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestTheYAMLFoldsByLevelsAndByBlocks(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys("5")
	p.send(DetailLoaded{Gen: p.m.detail.gen, Detail: status.Detail{YAML: foldable}})
	p.keys("tab")
	want := func(text string) {
		t.Helper()
		if diff := cmp.Diff(strings.TrimLeft(text, "\n"), shownYAML(p)); diff != "" {
			t.Errorf("(-want +shown):\n%s", diff)
		}
	}
	want(foldable + "\n")
	p.keys("left")
	want(`
status:
  conditions:
  - type: Ready +1
  - type: Other +1
  text: |
    one

    two
  phase: Running
kind: Pod
metadata:
  name: web
`[1:])
	p.keys("left", "left", "left")
	want("status: +10\nkind: Pod\nmetadata: +1\n")
	p.send(LineClicked{0})
	want(`
status:
  conditions: +4
  text: | +3
  phase: Running
kind: Pod
metadata: +1
`)
	p.keys("space") // the first block in sight again
	want("status: +10\nkind: Pod\nmetadata: +1\n")
	p.keys("/")
	p.typesIn("other")
	want(foldable + "\n") // a search looks into folds
	p.keys("esc", "right", "right", "right", "right", "right")
	want(foldable + "\n")
}
