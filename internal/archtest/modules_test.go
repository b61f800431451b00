package archtest

import (
	"os"
	"regexp"
	"testing"
)

// Packages that the program and its end-to-end tests share are compiled once
// when their versions are the same: compiling client-go takes minutes.
func TestE2EIsBuiltOnTheProgramsVersions(t *testing.T) {
	versions := func(file string) map[string]string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllSubmatch(text, -1) {
			out[string(m[1])] = string(m[2])
		}
		return out
	}
	program, e2e := versions("../../go.mod"), versions("../e2e/go.mod")
	shared := 0
	for name, version := range e2e {
		if program[name] == "" {
			continue
		}
		shared++
		if program[name] != version {
			t.Errorf("internal/e2e/go.mod has %s %s, go.mod has %s: go get %[1]s@%[3]s there", name, version, program[name])
		}
	}
	if shared < 20 {
		t.Errorf("found %d shared modules only: the test looks in the wrong place", shared)
	}
}
