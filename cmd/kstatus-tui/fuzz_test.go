package main

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

func TestAnErrorIsTwoLinesOfVisibleText(t *testing.T) {
	var out bytes.Buffer
	printError(&out, &problem.Error{Text: "no\x1b[2J \u202egnp\u2066 \x9b31m\u200b\nsecond", Next: "try\r\u2028again\x7f"})
	if got, want := out.String(), "kstatus-tui: no [2J gnp \ufffd31m second\nhint: try again\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Any configuration file is either accepted and usable, or refused with one
// clean line that names the file, and the line unless the library knows none.
func FuzzConfiguration(f *testing.F) {
	for _, text := range []string{
		"theme: light\nascii: true\npoll: 10s\nkeys:\n  next: [n, ctrl+n]\n  quit: q\n", "group: kind\nsort: age\ncolumns: [status, since]\nrecordTo: ~/runs/\n",
		"theme: pink", "theme: [a]", "keys: {quit: []}", "keys: {next: q}", "a: &a [*a]", "theme: dark\ntheme: light", "x\n", "- a\n", "? [a]\n: b\n",
		"stallAfter: -1s", "healthRules: nowhere.yaml", "\"th\\eme\": x", "columns: {a: b}", "keys:\n  next: \"\\u202e\"\n", "# nothing\n", "exitStatus: maybe",
	} {
		f.Add(text)
	}
	line := regexp.MustCompile(`^/home/config\.yaml:([0-9]+:| yaml:) `)
	f.Fuzz(func(t *testing.T, text string) {
		c := &configuration{file: "/home/config.yaml"}
		if err := c.read([]byte(text)); err != nil {
			var out bytes.Buffer
			printError(&out, err)
			if bad := escapes.Check(out.Bytes()); bad != nil || strings.Count(out.String(), "\n") > 2 {
				t.Fatalf("%q: %v", out.String(), bad)
			}
			if _, ok := errors.AsType[*problem.Error](err); !ok || !line.MatchString(err.Error()) {
				t.Fatalf("%q names no line", err)
			}
			return
		}
		if keys, given := c.keys[model.Quit]; given && len(keys) == 0 {
			t.Fatal("no key quits")
		}
		var opt model.Options
		c.arrange(&opt)
		if c.values["group"].line > 0 && !slices.Contains(rows.Groupings, opt.Group) ||
			c.values["sort"].line > 0 && !slices.Contains(rows.Sortings, opt.Sort) {
			t.Fatalf("%+v", opt)
		}
		if v, ok := c.values["theme"]; ok && !slices.Contains(views.ThemeNames, v.value) {
			t.Fatalf("theme %q", v.value)
		}
		c.columns()
		for name, v := range c.values {
			if v.line < 1 || v.line > 1+strings.Count(text, "\n") {
				t.Fatalf("%s: %+v", name, v)
			}
		}
	})
}
