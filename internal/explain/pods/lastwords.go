package pods

import (
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// lastOutput is what a container that has ended wrote last: its termination message, or a line of
// its log.
type lastOutput struct {
	line   string
	logged bool   // the line is from the log
	unseen string // why the log cannot be read
}

// lastWords returns the termination message or else the decisive line of the
// log.
func lastWords(in *inspect.Inspector, c *object.Container, t *object.ContainerState) lastOutput {
	if m := strings.TrimSpace(t.Message); m != "" && !unread(m) {
		return lastOutput{line: decisive(m)}
	}
	return logLine(in, in.Object.ID, c.Name)
}

// unread reports whether a termination message is the kubelet's error about
// reading it.
func unread(m string) bool { return strings.HasPrefix(m, "Error on reading termination ") }

// logLine is the decisive line of a container's log, if it has been read.
func logLine(in *inspect.Inspector, pod object.ID, container string) lastOutput {
	line, unseen, fresh := in.Snapshot.LogLine(pod, container)
	if !fresh {
		in.Need(inspect.Need{ID: pod, Log: container})
	}
	return lastOutput{line: message.Clip(message.Line(line), inspect.MostOfValue), logged: true, unseen: unseen}
}

// decisive returns the line that says why a container ended.
func decisive(text string) string {
	// object.Clean has replaced line breaks by ⏎; what a line of JSON holds has not been cleaned
	return object.Clean(logline.Decisive(strings.Split(strings.ReplaceAll(text, "⏎", "\n"), "\n")))
}

// addNextRestart adds the time of the next restart.
func addNextRestart(in *inspect.Inspector, f *inspect.Finding, c *object.Container) {
	if c.State.Reason != "CrashLoopBackOff" || c.Last().Finished.IsZero() {
		return
	}
	d, err := time.ParseDuration(message.Between(c.State.Message, "back-off ", " "))
	if err != nil {
		return
	}
	f.Until, f.UntilWhat = c.Last().Finished.Add(d), "next restart"
}
