package cluster

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

// FaultAnnotation on a Pod makes its simulated kubelet fail in the way that
// its value names. Without it a Pod is ready at once.
const FaultAnnotation = "kstatus-tui.test/fault"

// The values of [FaultAnnotation].
const (
	ImageNotFound = "image-not-found" // ErrImagePull and ImagePullBackOff in turns
	CrashLoop     = "crash-loop"      // exits 1 with a message, restarts growing
	LateCrash     = "late-crash"      // the same, each time after it was ready for eight seconds
	OOM           = "oom"             // killed for memory, restarts growing
	ConfigMissing = "config-missing"  // CreateContainerConfigError: no Secret "database"
	KeyMissing    = "key-missing"     // CreateContainerConfigError: no key "password" in it
	NeverReady    = "never-ready"     // runs, and its readiness probe fails
	InitCrash     = "init-crash"      // its first init container crashes in a loop
	InitHang      = "init-hang"       // its first init container runs and does not end
	Mount         = "mount"           // a volume cannot be mounted
	Evict         = "evict"           // evicted for the node's memory; under a ReplicaSet, again and again
	JobFailed     = "job-failed"      // its containers exit 2
)

//go:embed stages.yaml.tmpl
var stageSource string

// renderStages writes out the stage file. It is a template of templates: kwok's
// own, in {{ }}, run once per Pod; ours, in [[ ]], run here and spare the file
// from saying everything ten times.
func renderStages() ([]byte, error) {
	funcs := template.FuncMap{
		"stage": stageHead, "status": statusPatch, "event": eventStep,
		"conditions": conditionLines, "containers": containerLines,
	}
	t, err := template.New("stages").Delims("[[", "]]").Funcs(funcs).Parse(stageSource)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := t.Execute(&b,
		map[string]any{
			"fault":   FaultAnnotation,
			"runsFor": map[string]int{CrashLoop: 1000, LateCrash: 8000},
		}); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}

// stageHead opens a stage for Pods with a fault, up to the list of its steps.
// when is "" for a Pod that the kubelet has not touched yet, or a jq path that
// must exist, or "path = value".
func stageHead(name, fault, when string, milliseconds int) string {
	clause := "{key: '.status.containerStatuses', operator: DoesNotExist}"
	if path, value, ok := strings.Cut(when, " = "); ok {
		clause = fmt.Sprintf("{key: '%s', operator: In, values: [%s]}", path, value)
	} else if when != "" {
		clause = fmt.Sprintf("{key: '%s', operator: Exists}", when)
	}
	// Any weight above none wins over kwok's own stages, which have none.
	return fmt.Sprintf(`---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: fault-%s}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: DoesNotExist}
    - {key: '.spec.nodeName', operator: Exists}
    - {key: '.metadata.annotations["%s"]', operator: In, values: [%s]}
    - %s
  weight: 1
  delay: {durationMilliseconds: %d}
  steps:`, name, FaultAnnotation, fault, clause, milliseconds)
}

// statusPatch opens a step that patches the Pod's status; the lines of the
// patch follow, indented by eight.
func statusPatch() string {
	return `  - patch:
      subresource: status
      root: status
      type: strategic
      template: |
        {{ $now := Now | Quote }}{{ $pod := . }}`
}

// eventStep writes an Event as the kubelet would. kwok's own event steps know
// fixed texts only; this one may name the image.
func eventStep(kind, reason, message string) string {
	return fmt.Sprintf(`  - apply:
      template: |
        {{ $now := Now | Quote }}{{ $pod := . }}{{ $c := index .spec.containers 0 }}{{ $restarts := 0 }}
        {{ with .status.containerStatuses }}{{ $restarts = int (index . 0).restartCount }}{{ end }}
        apiVersion: v1
        kind: Event
        metadata:
          name: {{ printf "%%s.%s" .metadata.name | Quote }}
          namespace: {{ .metadata.namespace | Quote }}
        type: %s
        reason: %s
        message: %s
        count: {{ add 1 $restarts }}
        firstTimestamp: {{ .metadata.creationTimestamp | Quote }}
        lastTimestamp: {{ $now }}
        source: {component: kubelet, host: {{ .spec.nodeName | Quote }}}
        reportingComponent: kubelet
        reportingInstance: {{ .spec.nodeName | Quote }}
        involvedObject:
          apiVersion: v1
          kind: Pod
          namespace: {{ .metadata.namespace | Quote }}
          name: {{ .metadata.name | Quote }}
          uid: {{ .metadata.uid | Quote }}
          fieldPath: {{ printf "spec.containers{%%s}" $c.name | Quote }}`,
		strings.ToLower(reason), kind, reason, message)
}

// conditionLines are the Pod's standard conditions; those named are true.
func conditionLines(truths string) string {
	var b strings.Builder
	b.WriteString("        conditions:\n")
	for _, c := range []struct{ name, reason, list, what string }{
		{"PodReadyToStartContainers", "", "", ""},
		{"Initialized", "ContainersNotInitialized", "initContainers", "incomplete"},
		{"ContainersReady", "ContainersNotReady", "containers", "unready"},
		{"Ready", "ContainersNotReady", "containers", "unready"},
	} {
		// Whole words: "Ready" is part of "ContainersReady".
		if strings.Contains(" "+truths+" ", " "+c.name+" ") {
			fmt.Fprintf(&b,
				"        - {type: %s, status: \"True\", reason: null, message: null, lastTransitionTime: {{ $now }}}\n",
				c.name)
		} else if c.reason == "" {
			fmt.Fprintf(&b, "        - {type: %s, status: \"False\", lastTransitionTime: {{ $now }}}\n", c.name)
		} else {
			fmt.Fprintf(&b,
				"        - {type: %s, status: \"False\", reason: %s, lastTransitionTime: {{ $now }}, message: 'containers with %s status: [{{ range $i, $c := .spec.%s }}{{ if $i }} {{ end }}{{ $c.name }}{{ end }}]'}\n",
				c.name, c.reason, c.what, c.list)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// containerLines are the statuses of all containers of a list ("containers" or
// "initContainers"), all in one state. restarts is added to the count so far.
func containerLines(list, flags string, restarts int, state, last string) string {
	statuses := strings.TrimSuffix(list, "ontainers") + "ontainerStatuses"
	is := func(flag string) bool { return strings.Contains(" "+flags+" ", " "+flag+" ") }
	return fmt.Sprintf(`        %[1]s:
        {{ range $i, $c := .spec.%[2]s }}
        {{ $restarts := %[3]d }}{{ with $pod.status.%[1]s }}{{ $restarts = add %[3]d (int (index . $i).restartCount) }}{{ end }}
        - name: {{ $c.name | Quote }}
          image: {{ $c.image | Quote }}
          imageID: ""
          ready: %[4]t
          started: %[5]t
          restartCount: {{ $restarts }}
          state: %[6]s
          lastState: %[7]s
        {{ end }}`, statuses, list, restarts, is("ready"), is("started"), state, last)
}
