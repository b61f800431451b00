package inventory

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// section is one of docs/sources.md: what its sources are called, its rows, and
// the rules to copy into a Role.
type section struct {
	title string
	names []string
	rows  map[string]string
	rules []struct{ APIGroups, Resources, Verbs []string }
}

func sections(t *testing.T) []section {
	t.Helper()
	data, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []section
	parts := strings.Split(string(data), "\n### ")
	for _, part := range parts[1:] {
		part, _, _ = strings.Cut(part, "\n## ")
		s := section{rows: map[string]string{}}
		s.title, part, _ = strings.Cut(part, "\n")
		if _, names, ok := strings.Cut(part, "<!-- "); ok {
			names, _, _ = strings.Cut(names, " -->")
			s.names = strings.Split(names, ", ")
		}
		for _, m := range regexp.MustCompile(`(?m)^- \*\*([^*]+)\*\*: (.*(?:\n  .*)*)`).FindAllStringSubmatch(part, -1) {
			s.rows[m[1]] = m[2]
		}
		_, rules, _ := strings.Cut(part, "```yaml\n")
		rules, _, _ = strings.Cut(rules, "```")
		if err := yaml.UnmarshalStrict([]byte(rules), &s.rules); err != nil {
			t.Errorf("%s: the rules are no YAML: %v", s.title, err)
		}
		out = append(out, s)
	}
	return out
}

func TestEverySourceHasItsPlaceInTheDocumentation(t *testing.T) {
	of := map[string]*section{}
	for _, s := range sections(t) {
		for _, name := range s.names {
			if of[name] != nil {
				t.Errorf("%s stands under %s and %s", name, of[name].title, s.title)
			}
			of[name] = &s
		}
		for _, row := range []string{"named", "shown", "readable", "not complete while", "traps"} {
			if len(s.rows[row]) < 5 {
				t.Errorf("%s has no row %q", s.title, row)
			}
		}
		if len(s.rules) == 0 || len(s.names) == 0 {
			t.Errorf("%s has no rules, or is of no source", s.title)
		}
	}
	var known []string
	for _, source := range Known {
		known = append(known, source.Name)
		s := of[source.Name]
		if s == nil {
			t.Errorf("no section is about %s", source.Name)
			continue
		}
		if source.decode == nil || source.Kind == "" {
			continue
		}
		if !slices.ContainsFunc(s.rules, func(r struct{ APIGroups, Resources, Verbs []string }) bool {
			return slices.Contains(r.APIGroups, source.Group) && slices.Contains(r.Resources, source.Resource()) &&
				slices.Equal(r.Verbs, []string{"get", "list", "watch"})
		}) {
			t.Errorf("%s: the rules do not let anybody see %s.%s", s.title, source.Resource(), source.Group)
		}
		if form, ok := schemes[source.Short]; ok && !strings.Contains(s.rows["named"], source.Short+"/") {
			t.Errorf("%s does not say that it is named as %s", s.title, form.form)
		}
	}
	for name := range of {
		if !slices.Contains(known, name) {
			t.Errorf("%s is documented, and unknown", name)
		}
	}
	data, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	for word := range schemes {
		if !strings.Contains(string(data), "`"+word+"/") {
			t.Errorf("nothing is named as %s/", word)
		}
	}
}
