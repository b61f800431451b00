package status

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The standard conditions of kstatus, both abnormal-true.
const (
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
)

// scheduleWindow is how long kstatus lets a pod be unschedulable.
const scheduleWindow = 15 * time.Second

// Compute is kstatus's function of this name, to the letter, messages included
// (pkg/kstatus/status/{status,generic,core}.go of sigs.k8s.io/cli-utils v0.37.2,
// whose rules fluxcd/cli-utils v1.4.0 shares). now decides one rule: a pod may
// be unschedulable for the first fifteen seconds of its life.
//
// The first of these that speaks decides:
//
//  1. deletionTimestamp: Terminating
//  2. observedGeneration differs from generation: InProgress
//  3. a condition Reconciling (InProgress) or Stalled (Failed) that is True, in
//     the order of the list
//  4. the rules for the kind, legacyRules
//  5. a condition Ready: True is Current, False and Unknown are InProgress
//  6. Current
//
// It returns an error where kstatus does: for fields of these rules that have
// the wrong type, and for a pod phase that nobody knows. It also does for an object
// that the decoder of its kind refuses, of which kstatus reads the rest.
func Compute(o *object.Object, now time.Time) (Result, error) {
	if err := flawed(o, "metadata", "metadata.deletionTimestamp"); err != nil {
		return Result{}, err
	}
	if !o.Deleted.IsZero() {
		return Result{Status: Terminating, Message: "Resource scheduled for deletion"}, nil
	}
	if err := flawed(o, "metadata.generation", "status", "status.observedGeneration"); err != nil {
		return Result{}, err
	}
	if o.Generation.Set && o.Observed.Set && o.Generation.V != o.Observed.V {
		return inProgress("LatestGenerationNotObserved",
			fmt.Sprintf("%s generation is %d, but latest observed generation is %d", o.Kind,
				o.Generation.V, o.Observed.V)), nil
	}
	if err := flawed(o, "status.conditions", "object"); err != nil {
		return Result{}, err
	}
	for i := range o.Conditions {
		c := &o.Conditions[i]
		if c.Status != "True" {
			continue
		}
		switch c.Type {
		case Reconciling:
			return inProgress(c.Reason, c.Message), nil
		case Stalled:
			return failed(c.Reason, c.Message), nil
		}
	}
	if rule := legacyRules[groupKind{o.Group, o.Kind}]; rule != nil {
		return rule(o, now)
	}
	for i := range o.Conditions {
		c := &o.Conditions[i]
		if c.Type != "Ready" {
			continue
		}
		switch c.Status {
		case "True":
			return current("Resource is Ready"), nil
		case "False", "Unknown":
			return inProgress(c.Reason, c.Message), nil
		}
	}
	return current("Resource is current"), nil
}

// flawed is the error of kstatus's lookup of a field that is malformed, or of one
// below it; nil if there is none.
func flawed(o *object.Object, paths ...string) error {
	for _, f := range o.Flaws {
		list, _, _ := strings.Cut(f.Path, "[")
		if slices.Contains(paths, list) {
			return fmt.Errorf("%s %s", f.Path, f.Problem)
		}
	}
	return nil
}

func current(message string) Result { return Result{Status: Current, Message: message} }

func inProgress(reason, message string) Result {
	return Result{InProgress, message, []object.Condition{
		{Statement: &object.Statement{Type: Reconciling, Status: "True", Reason: reason, Message: message}},
	}}
}

func failed(reason, message string) Result {
	return Result{Failed, message, []object.Condition{
		{Statement: &object.Statement{Type: Stalled, Status: "True", Reason: reason, Message: message}},
	}}
}

// ratio is "Ready: 1/2".
func ratio(what string, n, of int64) string { return fmt.Sprintf("%s: %d/%d", what, n, of) }

// legacyRules are kstatus's rules by kind, whatever the version.
var legacyRules = map[groupKind]func(*object.Object, time.Time) (Result, error){
	{"", "Service"}:                                      undated(computeService),
	{"", "Pod"}:                                          computePod,
	{"", "Secret"}:                                       always("Resource is always ready"),
	{"", "ConfigMap"}:                                    always("Resource is always ready"),
	{"", "PersistentVolumeClaim"}:                        undated(computeClaim),
	{"apps", "Deployment"}:                               undated(computeDeployment),
	{"apps", "ReplicaSet"}:                               undated(computeReplicaSet),
	{"apps", "DaemonSet"}:                                undated(computeDaemonSet),
	{"apps", "StatefulSet"}:                              undated(computeStatefulSet),
	{"extensions", "Deployment"}:                         undated(computeDeployment),
	{"extensions", "ReplicaSet"}:                         undated(computeReplicaSet),
	{"extensions", "DaemonSet"}:                          undated(computeDaemonSet),
	{"batch", "Job"}:                                     undated(computeJob),
	{"batch", "CronJob"}:                                 always("Resource is always ready"),
	{"policy", "PodDisruptionBudget"}:                    always("AllowedDisruptions has been computed."),
	{"apiextensions.k8s.io", "CustomResourceDefinition"}: undated(computeCRD),
}

func undated(rule func(*object.Object) Result) func(*object.Object, time.Time) (Result, error) {
	return func(o *object.Object, _ time.Time) (Result, error) { return rule(o), nil }
}

func always(message string) func(*object.Object, time.Time) (Result, error) {
	return func(*object.Object, time.Time) (Result, error) { return current(message), nil }
}

func computeService(o *object.Object) Result {
	if s := o.Service; s != nil && s.Type == "LoadBalancer" && s.ClusterIP == "" {
		return inProgress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer")
	}
	return current("Service is ready")
}

func computeClaim(o *object.Object) Result {
	phase := "unknown"
	if c := o.Claim; c != nil && c.Phase != "" {
		phase = c.Phase
	}
	if phase == "Bound" {
		return current("PVC is Bound")
	}
	return inProgress("NotBound", "PVC is not Bound. phase: "+phase)
}

func computePod(o *object.Object, now time.Time) (Result, error) {
	p := o.Pod
	if p == nil {
		p = &object.Pod{PodTemplate: &object.PodTemplate{}}
	}
	switch p.Phase {
	case "Succeeded":
		return current("Pod has completed successfully"), nil
	case "Failed":
		return current("Pod has completed, but not successfully"), nil
	case "Running":
		if firstCondition(o, "Ready", "True") >= 0 {
			return current("Pod is Ready"), nil
		}
		if names := crashLooping(p); names != "" {
			return failed("ContainerCrashLooping", "Containers in CrashLoop state: "+names), nil
		}
		return inProgress("PodRunningNotReady", "Pod is running but is not Ready"), nil
	case "Pending":
		if i := firstCondition(o, "PodScheduled", "False"); i >= 0 && o.Conditions[i].Reason == "Unschedulable" {
			if now.Add(-scheduleWindow).Before(o.Created) {
				return inProgress("PodNotScheduled", "Pod has not been scheduled"), nil
			}
			return failed("PodUnschedulable", "Pod could not be scheduled"), nil
		}
		return inProgress("PodPending", "Pod is in the Pending phase"), nil
	case "":
		return inProgress("PodNotObserved", "Pod phase not available"), nil
	}
	return Result{}, fmt.Errorf("unknown phase %s", p.Phase)
}

// crashLooping names the main containers in CrashLoopBackOff, in the order of
// the statuses.
func crashLooping(p *object.Pod) string {
	containers := slices.SortedFunc(slices.Values(p.Containers),
		func(a, b object.Container) int { return cmp.Compare(a.Place, b.Place) })
	var names []string
	for _, c := range containers {
		if c.Place > 0 && c.Kind == object.MainContainer &&
			c.State.Kind == "waiting" && c.State.Reason == "CrashLoopBackOff" {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ",")
}

// firstCondition is the index of the first condition of that type and status, or -1, as kstatus
// takes it.
func firstCondition(o *object.Object, typ, is string) int {
	return slices.IndexFunc(o.Conditions, func(c object.Condition) bool { return c.Type == typ && c.Status == is })
}

func computeDeployment(o *object.Object) Result {
	w := o.Workload
	progressing := w.ProgressDeadline.Or(math.MaxInt32) == math.MaxInt32
	available := false
	for i := range o.Conditions {
		c := &o.Conditions[i]
		switch c.Type {
		case "Progressing":
			if c.Reason == "ProgressDeadlineExceeded" {
				r := failed(c.Reason, c.Message)
				r.Message = "Progress deadline exceeded"
				return r
			}
			if c.Status == "True" && c.Reason == "NewReplicaSetAvailable" {
				progressing = true
			}
		case "Available":
			available = available || c.Status == "True"
		}
	}
	spec, have := w.Replicas.Or(1), w.StatusReplicas.V
	switch {
	case spec > have:
		return inProgress("LessReplicas", ratio("Replicas", have, spec))
	case spec > w.Updated.V:
		return inProgress("LessUpdated", ratio("Updated", w.Updated.V, spec))
	case have > spec:
		return inProgress("ExtraPods", fmt.Sprintf("Pending termination: %d", have-spec))
	case w.Updated.V > w.Available.V:
		return inProgress("LessAvailable", ratio("Available", w.Available.V, w.Updated.V))
	case spec > w.Ready.V:
		return inProgress("LessReady", ratio("Ready", w.Ready.V, spec))
	case !progressing:
		return inProgress("ReplicaSetNotAvailable", "ReplicaSet not Available")
	case !available:
		return inProgress("DeploymentNotAvailable", "Deployment not Available")
	}
	return current(fmt.Sprintf("Deployment is available. Replicas: %d", have))
}

func computeReplicaSet(o *object.Object) Result {
	w := o.Workload
	if firstCondition(o, "ReplicaFailure", "True") >= 0 {
		return inProgress("ReplicaFailure", "Replica Failure condition. Check Pods")
	}
	spec, have := w.Replicas.Or(1), w.StatusReplicas.V
	switch {
	case spec > w.FullyLabeled.V:
		return inProgress("LessLabelled", ratio("Labelled", w.FullyLabeled.V, spec))
	case spec > w.Available.V:
		return inProgress("LessAvailable", ratio("Available", w.Available.V, spec))
	case spec > w.Ready.V:
		return inProgress("LessReady", ratio("Ready", w.Ready.V, spec))
	case have > spec:
		return inProgress("ExtraPods", fmt.Sprintf("Pending termination: %d", have-spec))
	}
	return current(fmt.Sprintf("ReplicaSet is available. Replicas: %d", have))
}

func computeStatefulSet(o *object.Object) Result {
	w := o.Workload
	if w.Strategy == "OnDelete" {
		return current("StatefulSet is using the ondelete update strategy")
	}
	spec, have := w.Replicas.Or(1), w.StatusReplicas.V
	switch {
	case spec > have:
		return inProgress("LessReplicas", ratio("Replicas", have, spec))
	case spec > w.Ready.V:
		return inProgress("LessReady", ratio("Ready", w.Ready.V, spec))
	case have > spec:
		return inProgress("ExtraPods", fmt.Sprintf("Pending termination: %d", have-spec))
	}
	// The API server defaults the partition to 0, so objects of a cluster
	// always end here.
	if p := w.Partition.Or(-1); p != -1 {
		if w.Updated.V < spec-p {
			return inProgress("PartitionRollout", ratio("updated", w.Updated.V, spec-p))
		}
		return current(fmt.Sprintf("Partition rollout complete. updated: %d", w.Updated.V))
	}
	if spec > w.Current.V {
		return inProgress("LessCurrent", ratio("current", w.Current.V, spec))
	}
	if w.CurrentRevision != w.UpdateRevision {
		return inProgress("RevisionMismatch", "Waiting for updated revision to match current")
	}
	return current(fmt.Sprintf("All replicas scheduled as expected. Replicas: %d", have))
}

func computeDaemonSet(o *object.Object) Result {
	w := o.Workload
	if !o.Generation.Set {
		return inProgress("NoGeneration", "DaemonSet metadata.generation not found")
	}
	if !o.Observed.Set {
		return inProgress("NoObservedGeneration", "DaemonSet status.observedGeneration not found")
	}
	want := w.Desired.Or(-1)
	switch {
	case want == -1:
		return inProgress("NoDesiredNumber", "Missing .status.desiredNumberScheduled")
	case want > w.Current.V:
		return inProgress("LessCurrent", ratio("Current", w.Current.V, want))
	case want > w.Updated.V:
		return inProgress("LessUpdated", ratio("Updated", w.Updated.V, want))
	case want > w.Available.V:
		return inProgress("LessAvailable", ratio("Available", w.Available.V, want))
	case want > w.Ready.V:
		return inProgress("LessReady", ratio("Ready", w.Ready.V, want))
	}
	return current(fmt.Sprintf("All replicas scheduled as expected. Replicas: %d", want))
}

func computeJob(o *object.Object) Result {
	j := o.Job
	want := j.Completions.Or(j.Parallelism.Or(1))
	for i := range o.Conditions {
		c := &o.Conditions[i]
		if c.Status != "True" {
			continue
		}
		switch c.Type {
		case "Complete":
			return current(ratio("Job Completed. succeeded", j.Succeeded.V, want))
		case "Failed":
			return failed("JobFailed", ratio("Job Failed. failed", j.Failed.V, want))
		}
	}
	if j.Started.IsZero() {
		return inProgress("JobNotStarted", "Job not started")
	}
	return current(fmt.Sprintf("Job in progress. success:%d, active: %d, failed: %d",
		j.Succeeded.V, j.Active.V, j.Failed.V))
}

func computeCRD(o *object.Object) Result {
	for i := range o.Conditions {
		c := &o.Conditions[i]
		switch {
		case c.Type == "NamesAccepted" && c.Status == "False":
			return failed(c.Reason, c.Message)
		case c.Type == "Established" && c.Status == "False" && c.Reason != "Installing":
			return failed(c.Reason, c.Message)
		case c.Type == "Established" && c.Status == "True":
			return current("CRD is established")
		}
	}
	return inProgress("Installing", "Install in progress")
}
