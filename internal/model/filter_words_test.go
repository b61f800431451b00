package model

import (
	"strings"
	"testing"
)

func TestAKindIsFoundByItsShortName(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	rows := func(text string) int {
		p.m.setFilter(text)
		p.send(ClockTicked{p.m.Now()})
		return p.m.RowCount()
	}
	if short, long := rows("kind=deploy"), rows("kind=Deployment"); short == 0 || short != long {
		t.Errorf("%d rows by the short name, %d by the long one", short, long)
	}
	if got := rows("kind=dep"); got != 0 {
		t.Errorf("dep is no kind: %d rows", got)
	}
}

func TestAFilterThatCannotBeMeantSaysSoInsteadOfFindingNothing(t *testing.T) {
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
		f, err := parseFilter(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		case want != "" && len(f.terms) > 0:
			t.Errorf("%s: what is not understood is left out, not %+v", text, f.terms)
		}
	}
}
