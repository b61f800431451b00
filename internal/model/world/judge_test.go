package world

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Objects share an assessment only if they have the same: what a retry of one has
// attempted is not what another's has.
func TestAssessmentsThatDifferAreNotShared(t *testing.T) {
	j := judging{assessmentCache: map[assessmentKey]*status.Assessment{}}
	decided := func(a status.Assessment) status.Assessment {
		n := &Node{Assess: &status.Assessment{}}
		j.store(n, &a)
		got := *n.Assess
		got.Since = n.Since
		return got
	}
	decided(status.Assessment{})
	fields := reflect.TypeFor[status.Assessment]()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if !field.IsExported() {
			continue
		}
		var a status.Assessment
		set(t, reflect.ValueOf(&a).Elem().Field(i))
		if diff := cmp.Diff(a, decided(a), cmpopts.IgnoreUnexported(status.Assessment{})); diff != "" {
			t.Errorf("%s (-judged +kept):\n%s", field.Name, diff)
		}
	}
}

// set gives a field a value that is not its zero value.
func set(t *testing.T, field reflect.Value) {
	t.Helper()
	switch field.Interface().(type) {
	case time.Time:
		field.Set(reflect.ValueOf(time.Unix(1, 0)))
		return
	case object.ID:
		field.Set(reflect.ValueOf(object.ID{Kind: "Pod", Name: "a"}))
		return
	}
	switch field.Kind() {
	case reflect.String:
		field.SetString("a")
	case reflect.Int:
		field.SetInt(1)
	case reflect.Bool:
		field.SetBool(true)
	case reflect.Slice:
		field.Set(reflect.MakeSlice(field.Type(), 1, 1))
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
	default:
		t.Fatalf("no value for a %s", field.Type())
	}
}
