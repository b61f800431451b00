package object

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesAreOrderedAsAPersonReadsThem(t *testing.T) {
	want := []string{"api", "svc", "svc-0", "svc-01", "svc-1", "svc-1-a", "svc-2", "svc-10", "svc-10-b2", "svc-10-b11", "svc-a", "web-9", "web-10", "web-99999999999999999999998", "web-99999999999999999999999"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, func(a, b string) int { return ID{Name: a}.Compare(ID{Name: b}) })
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), strings.Join(want, " "))
	}
	if (ID{Namespace: "team-2", Name: "z"}).Compare(ID{Namespace: "team-10", Name: "a"}) >= 0 {
		t.Error("namespaces are ordered otherwise")
	}
}

func FuzzTheOrderOfNamesIsAnOrder(f *testing.F) {
	f.Add("a01", "a1", "a001")
	f.Add("a1b", "a01a", "a1")
	f.Add("1-", "1a", "01")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if (natural(a, b) == 0) != (a == b) || natural(a, b) != -natural(b, a) {
			t.Errorf("%q and %q: %d and %d", a, b, natural(a, b), natural(b, a))
		}
		if natural(a, b) <= 0 && natural(b, c) <= 0 && natural(a, c) > 0 {
			t.Errorf("%q, %q, %q go round in a circle", a, b, c)
		}
	})
}
