package inventory

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestFormsOfNamesAreTheirRegularExpressions(t *testing.T) {
	for expression, w := range map[string]*word{
		`^[A-Za-z][A-Za-z0-9.-]{0,252}$`:            &kindWord,
		`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`:    &groupWord,
		`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`:      &spaceWord,
		`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`: &typeWord,
		`^[a-z0-9][a-z0-9.-]*$`:                     &resource,
	} {
		form := regexp.MustCompile(expression)
		check := func(s string) {
			if got, want := w.fits(s), form.MatchString(s); got != want {
				t.Errorf("%s and %q: %v, want %v", expression, s, got, want)
			}
		}
		for _, n := range []int{0, 1, 2, 62, 63, 64, 252, 253, 254, 1000} {
			check(strings.Repeat("a", n))
			check(strings.Repeat("a", n) + "-")
		}
		for c := range 256 {
			check(string([]byte{byte(c)}))
		}
		rnd := rand.New(rand.NewPCG(3, 4))
		for range 5000 {
			s := make([]byte, 1+rnd.IntN(5))
			for i := range s {
				s[i] = "azAZ09.-.-/ _:\n\xc3"[rnd.IntN(16)]
			}
			check(string(s))
		}
	}
}
