package inspect

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Fault is a panic in a detector.
type Fault struct {
	Detector string
	Object   object.ID // the object that it inspected
	Value    string    // what it panicked with
	Stack    string
}

// Guard runs a detector. If it panics, what it had begun to find is dropped and
// a remark says so: an error in one detector must neither end the program nor
// hide what the others find.
func (in *Inspector) Guard(detector func(*Inspector)) {
	before := len(in.Found)
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		name := runtime.FuncForPC(reflect.ValueOf(detector).Pointer()).Name()
		name = name[strings.LastIndex(name, "/")+1:]
		in.Found = in.Found[:min(before, len(in.Found))]
		in.Faults = append(in.Faults,
			Fault{Detector: name, Object: in.Object.ID, Value: fmt.Sprint(value), Stack: string(debug.Stack())})
		f := in.Find(codes.InternalError, "internal error in detector %s: it may have missed a cause", name)
		f.Key, f.Shared, f.Remark = name, true, true
	}()
	detector(in)
}
