package main

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
)

func TestAnInventoryThatMayNotBeReadIsNotCalledEmpty(t *testing.T) {
	for notes, want := range map[string]string{
		"":                           "the inventory is empty",
		"its record may not be read": "no member was found: its record may not be read",
	} {
		streams, _, _, stderr := genericiooptions.NewTestIOStreams()
		o := &membersOptions{listOutput: listOutput{printer{output: "json"}}}
		o.IOStreams = streams
		l := find.Listing{Name: "Helm release"}
		if notes != "" {
			l.Set = inventory.Set{Notes: []string{notes}}
		}
		if err := o.printMembers(l); err != nil || strings.TrimSpace(stderr.String()) != "kstatus-tui: "+want {
			t.Errorf("%q: %v %q", notes, err, stderr)
		}
	}
}
