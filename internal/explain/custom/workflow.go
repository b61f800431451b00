package custom

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"argoproj.io/Workflow"}, Find: taskResult})
}

// resultPatience is how long after its end a node's result may be awaited.
const resultPatience = 2 * time.Minute

// taskResult finds TaskResultMissing: every node has ended, and the workflow goes on waiting
// for the result that the executor of one of them was to report (argo-workflows v3.6,
// workflow/controller/taskresult.go, status.taskResultsCompletionStatus). The log of the
// container wait says why it has not.
func taskResult(in *inspect.Inspector) {
	o := in.Object
	if o.Str("status", "phase") != "Running" {
		return
	}
	nodes := o.Map("status", "nodes")
	ended := time.Time{}
	for _, v := range nodes {
		at, _ := time.Parse(time.RFC3339, text(v, "finishedAt"))
		if at.IsZero() {
			return
		}
		if at.After(ended) {
			ended = at
		}
	}
	results := o.Map("status", "taskResultsCompletionStatus")
	for _, id := range slices.Sorted(maps.Keys(results)) {
		if done, ok := results[id].(bool); !ok || done || nodes[id] == nil {
			continue
		}
		node := text(nodes[id], "displayName")
		f := in.Find(codes.TaskResultMissing, "waits for the task result of %s, which has ended", node)
		f.Since, f.Key = ended, id
		f.Prove("status.nodes["+id+"].phase", text(nodes[id], "phase"))
		f.Prove("status.taskResultsCompletionStatus["+id+"]", false)
		in.Patience(f, ended, resultPatience)
		if pod := executed(in, id); pod != nil {
			executor(in, f, pod)
		}
		return
	}
}

// executed is the Pod of a node. It has the node's ID as its name, or with the template's
// name before the hash at its end (argo-workflows v3.6, workflow/util/pod_name.go).
func executed(in *inspect.Inspector, node string) *object.Object {
	hash := node[strings.LastIndexByte(node, '-')+1:]
	for _, p := range in.Children(in.Object.ID) {
		templated := strings.HasPrefix(p.Name, in.Object.Name+"-") && strings.HasSuffix(p.Name, "-"+hash)
		if p.Pod != nil && (p.Name == node || templated) {
			return p
		}
	}
	return nil
}

// executor adds what the container says that reports a node's result.
func executor(in *inspect.Inspector, f *inspect.Finding, pod *object.Object) {
	const container = "wait"
	f.Next = append(f.Next, in.Kubectl("logs", pod.Name, "-c", container))
	line, unseen, fresh := in.Snapshot.LogLine(pod.ID, container)
	if !fresh {
		in.Need(inspect.Need{ID: pod.ID, Log: container})
	}
	if unseen != "" {
		f.Unread = append(f.Unread, "the log of "+container+": "+unseen)
	}
	if line != "" {
		f.Why("%s", line)
		f.QuoteLog(pod.ID, container, line)
	}
}

func text(v any, key string) string {
	s, _ := object.At(v, key).(string)
	return s
}
