package model

import (
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
