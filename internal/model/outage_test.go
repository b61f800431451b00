package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

func TestAnOutageIsToldOnceForEachThingThatIsWrong(t *testing.T) {
	var o Outage
	var got []string
	for _, c := range []Connection{
		{Link: LinkLive},
		{Link: LinkReconnecting, Error: "broke off"},
		{Link: LinkStale, Error: "broke off"},
		{Link: LinkStale, Error: "not trusted", Hint: "look there"},
		{Link: LinkStale, Error: "broke off"},
		{Link: LinkSyncing},
		{Link: LinkLive},
		{Link: LinkLive},
		{Link: LinkStale, Error: "broke off"},
	} {
		if news := o.News(c); news != "" {
			got = append(got, news)
		}
	}
	want := []string{"connection lost: broke off", "connection lost: not trusted; look there", "connected again", "connection lost: broke off"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for i := range 100 { // "too old resource version: 1234"
		if o.News(Connection{Link: LinkStale, Error: fmt.Sprint(i)}) != "" && i > 2*outageLines {
			t.Fatalf("line %d of one outage", i)
		}
	}
}

func TestOfManyTroublesTheOneWithANextStepIsShown(t *testing.T) {
	var c Connection
	for _, s := range []feed.SourceState{{Error: "a"}, {Error: "x", Hint: "do x"}, {Error: "b"}, {Error: "w", Hint: "do w"}, {}} {
		c.stale(&s)
	}
	if c.Trouble() != "w; do w" {
		t.Errorf("%q", c.Trouble())
	}
}
