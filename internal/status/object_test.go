package status

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func decode(t testing.TB, data string) *object.Object {
	t.Helper()
	o, err := convert.JSON([]byte(data), convert.Options{})
	if err != nil {
		t.Fatalf("decode: %v\n%s", err, data)
	}
	return o
}

const podJSON = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","generation":2},
 "spec":{"nodeName":"n1","containers":[{"name":"app","image":"app:1"}]},
 "status":{"phase":"Running","conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady"}],
  "containerStatuses":[{"name":"app","restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`
