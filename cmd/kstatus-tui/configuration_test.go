package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
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

func TestThemesAndCommandsOfTheConfiguration(t *testing.T) {
	read := func(text string) (*configuration, error) {
		c := &configuration{file: "config.yaml", screen: true}
		return c, c.read([]byte(text))
	}
	c, err := read(`
theme: mine
themes:
  mine: {base: dark, ok: "#00ff00", bad: 203}
commands:
- {name: stern, key: ctrl+t, kinds: [Pod], run: [stern, -n, "{namespace}", "{name}"]}
- {name: history, run: [kubectl, rollout, history, "{kind}/{name}"]}
`)
	if err != nil || c.values["theme"].value != "mine" ||
		c.themes["mine"].Base != "dark" || c.themes["mine"].Colours["bad"] != "203" {
		t.Fatalf("%v: %+v", err, c)
	}
	if len(c.commands) != 2 || c.commands[0].Key != "ctrl+t" ||
		c.commands[1].Run[3] != "{kind}/{name}" || !slices.Contains(c.themeNames(), "mine") {
		t.Errorf("%+v", c.commands)
	}
	for text, want := range map[string]string{
		"theme: mien\nthemes: {mine: {}}":             "did you mean mine?",
		"themes: {dark: {ok: 1}}":                     "exists already",
		"themes: {mine: {base: pink}}":                "is no theme",
		"themes: {mine: {okay: 1}}":                   "no such colour",
		"themes: {mine: [1]}":                         "config.yaml:1: themes.mine: it is not a list of colours",
		"themes:\n  mine:\n    ok: #00ff00":           "config.yaml:3: themes.mine: ok has no value\nhint: write it in quotes",
		"themes: {mine: {colors: {ok: 1}}}":           "colors is not one colour",
		"themes: mine":                                "config.yaml:1: a single value instead of key: value",
		"commands: stern":                             "config.yaml:1: a single value instead of a list",
		"theme: {name: mine}":                         "it takes a value, or a list of values",
		"commands: [{name: a}]":                       "needs a name and what to run",
		"commands: [{name: a b, run: [x]}]":           "has a blank",
		"commands: [{name: a, key: q, run: [x]}]":     "is quit already",
		"commands: [{name: a, key: cntrl, run: [x]}]": "is no key",
	} {
		_, err := read(text)
		if err == nil || !strings.Contains(err.Error()+"\nhint: "+problem.Hint(err, ""), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
