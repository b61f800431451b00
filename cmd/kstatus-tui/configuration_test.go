package main

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

func TestEveryDefaultKeyMayStandInTheConfiguration(t *testing.T) {
	for _, b := range model.Bindings {
		for _, k := range b.Keys() {
			if !keyName.MatchString(k) {
				t.Errorf("%s: %q is taken for no key", b.Action, k)
			}
		}
	}
	for _, k := range []string{"", " ", "cntrl+n", "pagedown", "ctrl+", "f99999"} {
		if keyName.MatchString(k) {
			t.Errorf("%q is taken for a key", k)
		}
	}
}
