package panes

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// oneObject knows any object, and nothing about it.
type oneObject struct{ Facts }

func (oneObject) Resource(id object.ID) (known.Resource, bool) { return known.Resource{ID: id}, true }

func (oneObject) Path(id object.ID) []object.ID { return []object.ID{id} }

// A pane may have no line about an object, such as one of labels. The head names the object
// above it, so the text must not say that none is selected.
func TestAPaneWithoutLinesDoesNotSayThatNothingIsSelected(t *testing.T) {
	web := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	p := &Page{W: 40, Facts: oneObject{}, Selected: web}
	c := p.below((*Page).onlyName, func(*Page) []markup.Line { return nil })
	if got := c.Line(0).String(); got != "There is nothing to show." || len(c.Head) == 0 {
		t.Errorf("%q below %d lines of head", got, len(c.Head))
	}
}
