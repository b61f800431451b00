package filter

import (
	"strings"
	"testing"
)

func TestAFilterThatCanMatchNothingIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		"stat=failed":            `"stat" is none of status,`,
		"app=web":                `a label: -l app=value`,
		"status=failde":          `no status begins with "failde"`,
		"status!=failed,curent":  `no status begins with "curent"`,
		"age<soon":               "not a duration",
		"kind>pod":               "takes = or ~",
		"status=f":               "",
		"status=in-progress":     "",
		"status~gress":           "",
		"-l app=web":             "",
		"registry.local/web:1=x": "",
		"web=":                   `"web" is none of`,
	} {
		f := Parse(text)
		err := f.Err
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		case want != "" && len(f.terms) > 0:
			t.Errorf("%s: what is not understood is left out, not %d terms", text, len(f.terms))
		}
	}
}

// The help and docs/dashboard.md show the first of these.
func TestInitialsAreTheBeginningsOfTheParts(t *testing.T) {
	for want, found := range map[string]bool{"chda": true, "cd": true, "da": true, "checkoutdata": true, "cdb": false, "dc": false, "heda": false} {
		if Initials("checkout-database", want) != found {
			t.Errorf("%s finds checkout-database: %v, want %v", want, !found, found)
		}
	}
}
