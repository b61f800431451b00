package recording

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// Every name that docs/recording.md sets as code where it speaks of lines is the
// name of a field, and every field of a line is spoken of.
func TestTheFormatsPageNamesTheFieldsOfTheFormat(t *testing.T) {
	data, err := os.ReadFile("../../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	fields := map[string]bool{}
	var collect func(t reflect.Type, own map[string]bool)
	collect = func(t reflect.Type, own map[string]bool) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || t == timeType {
			return
		}
		for _, f := range fieldsOf(t) {
			if f.inline {
				collect(t.Field(f.index).Type, own)
				continue
			}
			if fields[f.name] = true; own != nil {
				own[f.name] = true
			}
			if inner := t.Field(f.index).Type; inner != t && own != nil {
				collect(inner, nil)
			}
		}
	}
	for _, line := range []any{Header{}, line{}, batch{}, chapter{}, state{}, logs{}, end{}, marker{}, feed.Mark{}, feed.Detail{}, feed.LogChunk{}} {
		own := map[string]bool{}
		collect(reflect.TypeOf(line), own)
		for name := range own {
			if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, `"`+name+`":`) && !unspoken[name] {
				t.Errorf("%T: nothing is said of %q", line, name)
			}
		}
	}
	collect(reflect.TypeFor[feed.Began](), map[string]bool{})
	lines, _, _ := strings.Cut(page[strings.Index(page, "## The lines"):], "## The values")
	for _, m := range regexp.MustCompile("`([a-z][A-Za-z]+)`").FindAllStringSubmatch(lines, -1) {
		if name := m[1]; !fields[name] && name != "null" {
			t.Errorf("the page speaks of %q, which is no field", name)
		}
	}
}

// unspoken are fields that "and so on" stands for.
var unspoken = map[string]bool{"skew": true, "answered": true, "told": true, "resourceVersion": true}
