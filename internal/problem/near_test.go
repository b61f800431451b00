package problem

import "testing"

func TestNear(t *testing.T) {
	commands := []string{"status", "wait", "why", "replay", "rbac", "config", "compute", "completion"}
	schemes := []string{"helm", "flux", "argo", "kapp", "kro", "kpt"}
	for _, c := range []struct {
		word    string
		choices []string
		want    string
	}{
		{"stauts", commands, "status"},
		{"stats", commands, "status"},
		{"wati", commands, "wait"},
		{"wiat", commands, "wait"},
		{"repl", commands, "replay"}, // it begins with it
		{"comp", commands, ""},       // so do two
		{"status", commands, ""},     // it is one
		{"pods", commands, ""},
		{"hlem", schemes, "helm"},
		{"helmm", schemes, "helm"},
		{"fulx", schemes, "flux"},
		{"agro", schemes, "argo"},
		{"deploy", schemes, ""},
		{"on", []string{"no"}, "no"},
		{"of", []string{"no", "on"}, ""},
		{"x", commands, ""},
		{"", commands, ""},
	} {
		if got := Near(c.word, c.choices); got != c.want {
			t.Errorf("Near(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"abcd", "acbd", 1}, {"ca", "abc", 3},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
