package known

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
)

func TestAnOutageIsReportedOnceForEachFault(t *testing.T) {
	var o Outage
	var got []string
	for _, c := range []world.Connection{
		{Link: world.LinkLive},
		{Link: world.LinkReconnecting, Error: "broke off"},
		{Link: world.LinkStale, Error: "broke off"},
		{Link: world.LinkStale, Error: "not trusted", Hint: "look there"},
		{Link: world.LinkStale, Error: "broke off"},
		{Link: world.LinkSyncing},
		{Link: world.LinkLive},
		{Link: world.LinkLive},
		{Link: world.LinkStale, Error: "broke off"},
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
		if o.News(world.Connection{Link: world.LinkStale, Error: fmt.Sprint(i)}) != "" && i > 2*outageLines {
			t.Fatalf("line %d of one outage", i)
		}
	}
}
