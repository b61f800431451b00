package explain

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Fault is a panic in a detector.
type Fault struct {
	Detector string
	Object   object.ID // the object that it inspected
	Value    string    // what it panicked with
	Stack    string
}

// guard runs a detector. If it panics, what it had begun to find is dropped and
// a remark says so: an error in one detector must neither end the program nor
// hide what the others find.
func (l *look) guard(detector func(*look)) {
	before := len(l.found)
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		name := runtime.FuncForPC(reflect.ValueOf(detector).Pointer()).Name()
		name = name[strings.LastIndex(name, "/")+1:]
		l.found = l.found[:min(before, len(l.found))]
		l.faults = append(l.faults, Fault{Detector: name, Object: l.o.ID, Value: fmt.Sprint(value), Stack: string(debug.Stack())})
		f := l.find("InternalError", "internal error in detector %s: it may have missed a cause", name)
		f.Key, f.Shared, f.aside = name, true, true
	}()
	detector(l)
}
