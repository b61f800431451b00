package edges

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestChoosersFindWhoSelectsAnObject(t *testing.T) {
	labels := func(pairs ...string) (out []object.Label) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, object.Label{Key: pairs[i], Value: pairs[i+1]})
		}
		return out
	}
	var c Choosers[string]
	pod := &object.Object{ID: object.ID{Kind: "Pod", Namespace: "shop", Name: "web-1"}, Labels: labels("app", "web", "tier", "front")}
	check := func(want ...string) {
		t.Helper()
		if got := slices.Sorted(c.Of(pod)); !slices.Equal(got, want) {
			t.Errorf("%v select it, want %v", got, want)
		}
	}
	check()
	c.Delete("unknown")
	c.Set("web", "shop", object.Selector{Match: labels("app", "web")})
	c.Set("both", "shop", object.Selector{Match: labels("app", "web", "tier", "front")})
	c.Set("tier", "shop", object.Selector{Match: labels("tier", "front")})
	c.Set("elsewhere", "bank", object.Selector{Match: labels("app", "web")})
	c.Set("none", "shop", object.Selector{})
	c.Set("other", "shop", object.Selector{Match: labels("app", "web", "tier", "back")})
	check("both", "tier", "web")
	c.Set("web", "shop", object.Selector{Match: labels("app", "api")})
	c.Set("other", "shop", object.Selector{Match: labels("app", "web", "tier", "front")})
	check("both", "other", "tier")
	c.Delete("both")
	check("other", "tier")
	if got := slices.Sorted(c.In("shop")); fmt.Sprint(got) != "[other tier web]" {
		t.Errorf("%v select in the namespace", got)
	}
	c.Set("tier", "shop", object.Selector{})
	check("other")
}
