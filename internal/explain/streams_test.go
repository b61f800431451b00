package explain

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// streamed is what the recorded streams end with: a code and a part of the title,
// or "" where all is well. Each frame is explained half a minute after it came.
var streamed = map[string]string{
	"pod/Pod added but not ready":                                         "NoScheduler: no scheduler has picked the pod up",
	"pod/Pod create success":                                              "",
	"pod/Pod create success after image pull failure resolved":            "",
	"pod/Pod unscheduled":                                                 "NotEnoughResources: needs 128Gi memory",
	"pod/Pod unready":                                                     "Progressing",
	"pod/Pod unavailable":                                                 "NodeLost: node docker-desktop stopped reporting",
	"pod/Pod container terminated successfully":                           "ContainerCompletes: nginx ends normally (exit 0)",
	"pod/Pod container terminated successfully with restartPolicy: Never": "",
	"pod/crashLoopBackoff":                                                "ContainerCrashing: crash exits 1",
	"pod/crashLoopBackoff with FallbackToLogsOnError":                     "ContainerCrashing: crash exits 1: see ya!",
	"job/Job added but not running":                                       "NotReady: no controller has reported a status",
	"job/Job running but not ready":                                       "Progressing",
	"job/Job succeeded":                                                   "",
	"job/Job backoff limit exceeded":                                      "JobBackoffLimitExceeded: failed",
	"job/Job succeeded after backoff limit reached and resolved":          "",
}

func TestRecordedStreamsAreExplainedAsTheyGo(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(sharedDir(t, "corpora"), "pulumi-workflows.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range bytes.Lines(data) {
		var s struct {
			ID     string
			Frames []json.RawMessage
		}
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(s.ID, "pulumi/")
		t.Run(name, func(t *testing.T) {
			want, ok := streamed[name]
			if !ok {
				t.Fatal("nothing is said about this stream")
			}
			seen++
			var causes []Cause
			for _, frame := range s.Frames {
				o, err := convert.JSON(frame, convert.Options{})
				if err != nil {
					t.Fatal(err)
				}
				now := o.Created
				for _, c := range o.Conditions {
					if c.LastTransitionTime.After(now) {
						now = c.LastTransitionTime
					}
				}
				fresh := newWorld(now.Add(30 * time.Second))
				fresh.put(o)
				causes = Explain(fresh.snapshot(), []object.ID{o.ID}).Causes
				a := fresh.judged[o.ID]
				if a.Status != status.Current && len(causes) == 0 {
					t.Errorf("%s (%s), and no word of why", a.Status, a.Message)
				}
				for _, c := range causes {
					checkCause(t, c)
				}
			}
			causes = slices.DeleteFunc(causes, func(c Cause) bool { return want != codes.Progressing.Name && c.Code == codes.Progressing.Name })
			switch code, title, _ := strings.Cut(want, ": "); {
			case want == "" && len(causes) > 0:
				t.Errorf("wanted nothing, found:\n%s", describe(causes))
			case want != "" && (len(causes) != 1 || causes[0].Code != code || !strings.Contains(causes[0].Title, title)):
				t.Errorf("wanted %s, found:\n%s", want, describe(causes))
			}
		})
	}
	if seen != len(streamed) {
		t.Errorf("%d streams of %d", seen, len(streamed))
	}
}
