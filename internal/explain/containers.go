package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Table F of the catalogue: images, containers, probes. One container has one
// verdict, decided in the order of this switch.

func containers(l *look) {
	p := l.o.Pod
	if p == nil || !l.o.Deleted.IsZero() || p.Phase == "Succeeded" || rejected(p) {
		return
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.Kind == status.EphemeralContainer {
			continue
		}
		l.container(c)
	}
	l.slowPull()
	l.gates()
}

// container finds what is wrong with one container, if anything.
func (l *look) container(c *status.Container) {
	p := l.o.Pod
	switch c.State.Kind {
	case "waiting":
		switch c.State.Reason {
		case "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ErrImageNeverPull", "InvalidImageName",
			"SignatureValidationFailed", "ImageInspectError":
			l.image(c)
		case "CreateContainerConfigError":
			l.configError(c)
		case "CreateContainerError", "RunContainerError", "StartError", "ContainerCannotRun":
			l.cannotStart(c, c.State.Message, "state.waiting.message", c.State.Reason)
		case "PostStartHookError", "PreStartHookError":
			f := l.on("ContainerHookFailed", c)
			f.Title = fmt.Sprintf("%s: %s", c.Name, strings.TrimSpace(c.State.Reason+" "+headline(c.State.Message)))
			l.state(f, c, "state.waiting")
			if f.Since = c.Last.Finished; f.Since.IsZero() {
				f.Since = l.o.Created
			}
		case "CrashLoopBackOff":
			l.crash(c, &c.Last, "lastState")
		}
	case "terminated":
		switch {
		case c.State.ExitCode != 0 || c.State.Reason == "OOMKilled":
			l.crash(c, &c.State, "state")
		case c.Kind == status.MainContainer && p.RestartPolicy == "Always" && c.Restarts >= 2:
			l.crash(c, &c.State, "state")
		}
	case "running":
		if c.Last.Kind == "terminated" && l.recent(c) && (c.Last.ExitCode != 0 || c.Last.Reason == "OOMKilled") {
			l.crash(c, &c.Last, "lastState")
			return
		}
		switch {
		case c.Kind == status.InitContainer:
			l.initRuns(c)
		case !c.Started && c.Probes.Startup != nil:
			l.startup(c)
		case c.Kind == status.SidecarContainer && !c.Started:
			f := l.on("SidecarNotStarted", c)
			f.Title = fmt.Sprintf("sidecar %s has not started; it holds up the containers after it", c.Name)
			f.Since = c.State.Started
			l.proof(f, field(c, "started"), "false")
			f.Next = []string{l.logs(c, false)}
			if !l.older(c.State.Started, 10*time.Second) {
				f.Class = Waits
			}
		case !c.Ready:
			l.readiness(c)
		}
	}
}

// on starts a finding about a container.
func (l *look) on(code string, c *status.Container) *Finding {
	f := l.find(code)
	f.Subject.Container = c.Name
	f.Key = c.Name
	return f
}

// field is the path of a container's status.
func field(c *status.Container, sub string) string {
	list := "containerStatuses"
	if c.Kind == status.InitContainer || c.Kind == status.SidecarContainer {
		list = "initContainerStatuses"
	}
	return "status." + list + "[" + c.Name + "]." + sub
}

// state adds a container's state as evidence.
func (l *look) state(f *Finding, c *status.Container, which string) {
	s := &c.State
	if strings.HasPrefix(which, "lastState") {
		s = &c.Last
	}
	if s.Reason != "" {
		l.proof(f, field(c, which+".reason"), s.Reason)
	}
	if s.Kind == "terminated" {
		l.proof(f, field(c, which+".exitCode"), fmt.Sprint(s.ExitCode))
		if s.Signal != 0 {
			l.proof(f, field(c, which+".signal"), fmt.Sprint(s.Signal))
		}
	}
	if s.Message != "" {
		l.proof(f, field(c, which+".message"), s.Message)
	}
}

func (l *look) logs(c *status.Container, previous bool) string {
	args := []string{"logs", l.o.Name, "-c", c.Name}
	if previous {
		args = append(args, "--previous")
	}
	return l.kubectl(args...)
}

// recent reports whether a running container's last end is the trouble of the
// moment: it is not ready, or it keeps being restarted.
func (l *look) recent(c *status.Container) bool {
	if c.Restarts == 0 || c.Last.Finished.IsZero() {
		return false
	}
	if c.State.Kind == "running" && !c.Ready && c.Kind == status.MainContainer {
		return !l.older(c.Last.Finished, 10*time.Minute) || c.Restarts > 3
	}
	// Ready for the moment. The kubelet forgets its back-off after ten minutes
	// without a restart; a loop shows within the five minutes of the longest
	// back-off.
	return c.Restarts >= 2 && !l.older(c.Last.Finished, 6*time.Minute)
}

// begun is when a pod's trouble began, as far as its containers tell.
func (l *look) begun(c *status.Container) time.Time {
	switch {
	case !c.State.Finished.IsZero():
		return c.State.Finished
	case !c.Last.Finished.IsZero():
		return c.Last.Finished
	}
	if x := l.o.Condition("PodScheduled"); x != nil && x.Status == "True" && !x.LastTransitionTime.IsZero() {
		return x.LastTransitionTime
	}
	return l.o.Created
}

// image tells why an image is not there: F1 to F8.
func (l *look) image(c *status.Container) {
	msg, path := c.State.Message, field(c, "state.waiting.message")
	var from *status.Event
	if c.State.Reason == "ImagePullBackOff" && !hasAny(msg, "ErrImagePull", "rpc error", ": failed to") {
		// Before 1.3x the back-off's message does not hold the error of the pull;
		// the event of the last pull does.
		for _, e := range l.events(l.o.ID, "Failed") {
			if strings.HasPrefix(e.Message, "Failed to pull image") && (strings.Contains(e.Message, `"`+c.Image+`"`) || strings.Contains(e.Field, "{"+c.Name+"}")) {
				msg, from = e.Message, &e
				break
			}
		}
	}
	low := strings.ToLower(msg)
	repo, tag := splitImage(c.Image)
	var f *Finding
	switch {
	case c.State.Reason == "ErrImageNeverPull":
		f = l.on("ImageNeverPulled", c)
		f.Title = fmt.Sprintf("image %s is not on node %s and imagePullPolicy is Never", c.Image, l.o.Pod.Node)
		f.Key = c.Image + " " + l.o.Pod.Node
	case c.State.Reason == "InvalidImageName":
		f = l.on("ImageNameInvalid", c)
		f.Title = fmt.Sprintf("%q is not a valid image name", c.Image)
	case c.State.Reason == "SignatureValidationFailed":
		f = l.on("ImageSignatureInvalid", c)
		f.Title = fmt.Sprintf("the signature of image %s is not valid: %s", c.Image, last(msg))
	case hasAny(low, "429", "toomanyrequests", "pull rate limit", "too many requests"):
		f = l.on("ImageRateLimited", c)
		f.Title = fmt.Sprintf("registry %s limits pulls; the kubelet keeps trying", registry(repo))
		msg = withoutUser(msg)
		f.Key = registry(repo)
	case hasAny(low, "no match for platform", "no matching manifest", "exec format error"):
		f = l.on("ImageWrongPlatform", c)
		f.Title = fmt.Sprintf("image %s has no build for the platform of node %s", c.Image, l.o.Pod.Node)
		f.Key = c.Image
	case hasAny(low, "unauthorized", "authentication required", "access denied", "access to the resource is denied", "403 forbidden", "401 ",
		"no basic auth", "may require 'docker login'", "denied:", "insufficient_scope", "permission_denied"):
		f = l.on("ImagePullDenied", c)
		f.Title = fmt.Sprintf("registry %s does not let this pod pull %s", registry(repo), c.Image)
		if hasAny(low, "does not exist or may require", "repository does not exist") {
			f.Title = fmt.Sprintf("%s does not exist, or pulling it needs credentials", c.Image)
		}
		f.Key = c.Image
		l.pullSecrets(f)
	case hasAny(low, "not found", "manifest unknown", "name unknown", "does not exist", "404"):
		f = l.on("ImageNotFound", c)
		if tag != "" {
			f.Title = fmt.Sprintf("%s does not exist in %s", describeTag(tag), full(repo))
		} else {
			f.Title = fmt.Sprintf("image %s does not exist", c.Image)
		}
		f.Key = c.Image
	case hasAny(low, "timeout", "no such host", "x509", "connection refused", "connection reset", "network is unreachable",
		"tls:", "eof", "deadline exceeded", "server misbehaving", "no route to host", "i/o", "502", "503", "500 ") || c.State.Reason == "RegistryUnavailable":
		f = l.on("RegistryUnreachable", c)
		f.Title = fmt.Sprintf("registry %s cannot be reached: %s", registry(repo), last(msg))
		f.Key = registry(repo)
	default:
		f = l.on("ImagePullFailed", c)
		f.Title = fmt.Sprintf("image %s cannot be pulled", c.Image)
		if m := last(msg); m != "" && !strings.HasPrefix(m, "Back-off") {
			f.Title += ": " + m
		} else {
			f.Certainty = Likely
		}
		f.Key = c.Image
	}
	f.Shared = f.Code != "ImageNameInvalid"
	if f.Shared {
		f.Key += " " + l.o.Namespace
	}
	f.Detail = pulled(msg)
	f.Since = l.begun(c)
	l.proof(f, field(c, "state.waiting.reason"), c.State.Reason)
	if from != nil {
		f.proveEvent(*from)
	} else if msg != "" {
		l.proof(f, path, msg)
	}
	l.proof(f, "spec.containers["+c.Name+"].image", c.Image)
	f.Next = append([]string{l.kubectl("describe", "pod", l.o.Name)}, f.Next...)
	f.Changed = l.changed(c, "image")
}

// pulled is the message of a pull that failed, without the layers that only
// name the image again: the kubelet's back-off, its error, the runtime's.
func pulled(msg string) string {
	msg = headline(msg)
	for {
		rest := strings.TrimPrefix(msg, "ErrImagePull: ")
		for _, layer := range []string{"Back-off pulling image ", "Failed to pull image ", "failed to pull and unpack image "} {
			if after, ok := strings.CutPrefix(rest, layer+`"`); ok {
				if _, cause, ok := strings.Cut(after, `": `); ok {
					rest = cause
				}
			}
		}
		if rest == msg {
			break
		}
		msg = rest
	}
	// containerd: failed to resolve reference "x": x: not found
	if what, after, ok := strings.Cut(msg, `"`); ok {
		if image, cause, ok := strings.Cut(after, `": `); ok {
			return what + `"` + image + `": ` + strings.TrimPrefix(cause, image+": ")
		}
	}
	return msg
}

// pullSecrets says which pull secrets the pod names, and which of them do not
// exist.
func (l *look) pullSecrets(f *Finding) {
	if e, ok := l.event(l.o.ID, "FailedToRetrieveImagePullSecret"); ok {
		f.proveEvent(e)
		f.Title += "; " + headline(e.Message)
	}
	for _, u := range l.o.Pod.Uses {
		if u.Kind == "Secret" && l.absent(l.id("", "Secret", u.Name)) {
			f.Detail += "\nSecret " + u.Name + " does not exist."
		}
	}
	f.Next = append(f.Next, l.kubectl("get", "secrets", "--field-selector", "type=kubernetes.io/dockerconfigjson"))
}

// withoutUser takes the account name out of a registry's rate limit message.
func withoutUser(s string) string {
	if i := strings.Index(s, "as '"); i >= 0 {
		if j := strings.Index(s[i+4:], "'"); j >= 0 {
			return s[:i+4] + "…" + s[i+4+j:]
		}
	}
	return s
}

func splitImage(image string) (repo, tag string) {
	if before, after, ok := strings.Cut(image, "@"); ok {
		return before, after
	}
	if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
		return image[:i], image[i+1:]
	}
	return image, ""
}

func describeTag(tag string) string {
	if strings.Contains(tag, ":") {
		return "digest " + clip(tag, 26)
	}
	return "tag " + tag
}

// registry is the host of a repository, docker.io where it has none.
func registry(repo string) string {
	host, _, ok := strings.Cut(repo, "/")
	if ok && (strings.ContainsAny(host, ".:") || host == "localhost") {
		return host
	}
	return "docker.io"
}

func full(repo string) string {
	if r := registry(repo); !strings.HasPrefix(repo, r) {
		return r + "/" + repo
	}
	return repo
}

// configError is F10 and F11: the container's configuration cannot be made.
func (l *look) configError(c *status.Container) {
	msg := headline(c.State.Message)
	var f *Finding
	kind, name := "", ""
	switch {
	case strings.Contains(msg, "runAsNonRoot") || strings.Contains(msg, "run as root"):
		f = l.on("ImageRunsAsRoot", c)
		f.Title = fmt.Sprintf("image of %s runs as root, but runAsNonRoot is set", c.Name)
		if strings.Contains(msg, "non-numeric user") {
			f.Title = fmt.Sprintf("image of %s has a user without a number, which runAsNonRoot cannot verify", c.Name)
		}
	case strings.Contains(msg, "couldn't find key "):
		f = l.on("ConfigKeyMissing", c)
		key := between(msg, "couldn't find key ", " in ")
		rest := between(msg, " in ", "")
		kind, rest, _ = strings.Cut(rest, " ")
		name = rest[strings.LastIndex(rest, "/")+1:]
		f.Title = fmt.Sprintf("%s %s has no key %s", kind, name, key)
		f.Key, f.Shared = strings.Join([]string{l.o.Namespace, kind, name, key}, " "), true
	case strings.Contains(msg, "not found"):
		kind, name = quoted(msg)
		if name == "" {
			break
		}
		f = l.on("ConfigMissing", c)
		f.Title = fmt.Sprintf("%s %s does not exist; container %s needs it", kind, name, c.Name)
		f.Key, f.Shared = strings.Join([]string{l.o.Namespace, kind, name}, " "), true
	}
	if f == nil {
		f = l.on("ContainerConfigInvalid", c)
		f.Title = fmt.Sprintf("%s cannot be configured: %s", c.Name, msg)
	}
	f.Detail = msg
	f.Since = l.begun(c)
	l.state(f, c, "state.waiting")
	if name != "" {
		l.missing(f, kind, name)
	}
	f.Next = append(f.Next, l.kubectl("describe", "pod", l.o.Name))
}

// missing adds what is known about a ConfigMap or Secret that a pod lacks: that
// it is absent indeed, and what was to make it.
func (l *look) missing(f *Finding, kind, name string) {
	id := l.id("", kind, name)
	f.Next = append(f.Next, l.kubectl("get", strings.ToLower(kind), name))
	if l.absent(id) {
		f.prove(id, "", "does not exist")
	} else if o := l.object(id); o != nil && !o.Created.IsZero() && f.Code == "ConfigMissing" {
		f.prove(id, "metadata.creationTimestamp", o.Created.UTC().Format(time.RFC3339))
		f.Class = Retries
		f.Title = fmt.Sprintf("%s %s was missing and exists now; the kubelet is about to try again", kind, name)
	}
	if kind == "Secret" {
		f.Because = append(f.Because, l.makers(name)...)
		f.Symptom = len(f.Because) > 0
	}
}

// makers lists the objects that are to make a Secret: those whose spec names
// it as their target.
func (l *look) makers(name string) []status.ID {
	var out []status.ID
	for _, m := range secretMakers {
		objects, _ := l.listKnown(m.group, m.kind, l.o.Namespace)
		for _, o := range objects {
			target := o.Str(m.path...)
			if target == "" && m.ownName {
				target = o.Name
			}
			if target == name {
				out = append(out, o.ID)
			}
		}
	}
	return out
}

// quoted reads `secret "x" not found` and `configmap "x" not found`.
func quoted(msg string) (kind, name string) {
	low := strings.ToLower(msg)
	for _, k := range [...]struct{ word, kind string }{{`secret "`, "Secret"}, {`secrets "`, "Secret"}, {`configmap "`, "ConfigMap"}, {`configmaps "`, "ConfigMap"}} {
		if i := strings.Index(low, k.word); i >= 0 {
			if n, _, ok := strings.Cut(msg[i+len(k.word):], `"`); ok {
				return k.kind, n
			}
		}
	}
	return "", ""
}

// cannotStart is F12: the runtime cannot start the command.
func (l *look) cannotStart(c *status.Container, msg, path, reason string) {
	f := l.on("ContainerCannotStart", c)
	m := headline(msg)
	f.Title = fmt.Sprintf("%s cannot be started: %s", c.Name, startProblem(m))
	f.Detail = m
	f.Since = l.begun(c)
	if reason != "" {
		l.proof(f, field(c, strings.TrimSuffix(path, "message")+"reason"), reason)
	}
	if msg != "" {
		l.proof(f, field(c, path), msg)
	}
	f.Next = []string{l.kubectl("describe", "pod", l.o.Name)}
	f.Changed = l.changed(c, "image")
}

// startProblem is the part of the runtime's message that matters.
func startProblem(m string) string {
	if x := between(m, `exec: "`, `"`); x != "" {
		switch {
		case strings.Contains(m, "executable file not found") || strings.Contains(m, "no such file"):
			return "command " + x + " is not in the image"
		case strings.Contains(m, "permission denied"):
			return "command " + x + " may not be executed (permission denied)"
		case strings.Contains(m, "exec format error"):
			return "command " + x + " is built for another platform"
		}
	}
	if m == "" {
		return "no reason given"
	}
	return last(m)
}

// crash is F12 to F18, F23, F24, F27: a container ended that should not have,
// or ends again and again.
func (l *look) crash(c *status.Container, t *status.ContainerState, which string) {
	p := l.o.Pod
	loop := c.Restarts > 1 || c.State.Reason == "CrashLoopBackOff"
	if t.Kind != "terminated" {
		// CrashLoopBackOff without a last state: the kubelet lost it.
		f := l.on("ContainerCrashing", c)
		f.Title = fmt.Sprintf("%s keeps ending; its last end is not known", c.Name)
		f.Certainty, f.Since = Likely, l.begun(c)
		l.state(f, c, "state.waiting")
		f.Next = []string{l.logs(c, true)}
		l.backOff(f, c)
		return
	}
	line := l.lastWords(c, t)
	lived := t.Finished.Sub(t.Started)
	after := ""
	if !t.Started.IsZero() && lived > 0 {
		after = " after " + span(lived)
	}
	times := ""
	if c.Restarts > 1 {
		times = fmt.Sprintf(" (%d×)", c.Restarts)
	}
	says := ""
	if line != "" {
		says = ": " + line
	}
	verb := "exited"
	if loop {
		verb = "exits"
	}
	var f *Finding
	switch {
	case t.Reason == "OOMKilled":
		f = l.on("OutOfMemory", c)
		limit := "its memory limit"
		if c.Memory != "" {
			limit = "its memory limit " + c.Memory
			l.proof(f, "spec.containers["+c.Name+"].resources.limits.memory", c.Memory)
		}
		f.Title = fmt.Sprintf("%s was killed at %s%s", c.Name, limit, times)
		f.Changed = l.changed(c, "memory")
		f.Next = []string{l.kubectl("top", "pod", l.o.Name, "--containers")}
	case t.Reason == "ContainerStatusUnknown":
		f = l.on("ContainerStatusLost", c)
		f.Title = fmt.Sprintf("how %s ended is not known (its node restarted?)", c.Name)
		f.Certainty = Likely
	case strings.Contains(line, "exec format error") || strings.Contains(t.Message, "exec format error"):
		f = l.on("ImageWrongPlatform", c)
		f.Title = fmt.Sprintf("image %s is not built for the platform of node %s", c.Image, p.Node)
	case t.Reason == "StartError" || t.Reason == "ContainerCannotRun" || t.ExitCode == 128 && t.Message != "":
		l.cannotStart(c, t.Message, which+".terminated.message", t.Reason)
		l.backOff(l.found[len(l.found)-1], c)
		return
	case c.Kind == status.InitContainer:
		f = l.on("InitContainerFailing", c)
		n, of := l.initOrder(c)
		f.Title = fmt.Sprintf("init container %s (%d/%d) %s %d%s%s", c.Name, n, of, verb, t.ExitCode, after, says)
	case l.livenessKill(c) != nil:
		e := l.livenessKill(c)
		f = l.on("LivenessProbeFailing", c)
		f.Title = fmt.Sprintf("%s is restarted because its liveness probe fails%s", c.Name, probeText(c.Probes.Liveness, e.Message, "Liveness"))
		f.proveEvent(*e)
	case t.ExitCode == 0:
		f = l.on("ContainerCompletes", c)
		f.Title = fmt.Sprintf("%s ends normally (exit 0)%s, but is expected to keep running", c.Name, after)
	case t.ExitCode == 126 || t.ExitCode == 127:
		f = l.on("ContainerCannotStart", c)
		what := "is not in the image"
		if t.ExitCode == 126 {
			what = "may not be executed"
		}
		f.Title = fmt.Sprintf("%s exits %d: its command, or one that it calls, %s%s", c.Name, t.ExitCode, what, says)
		f.Certainty = Likely
	case t.ExitCode == 137:
		f = l.on("ContainerKilled", c)
		f.Title = fmt.Sprintf("%s was killed (SIGKILL, exit 137)%s%s%s", c.Name, after, times, says)
		f.Detail = "Exit 137 without OOMKilled: a child process ran out of memory, a probe failed, or it did not stop in time."
		f.Certainty = Likely
	case t.ExitCode == 143 || t.ExitCode == 139 || t.ExitCode == 134:
		f = l.on("ContainerSignalled", c)
		f.Title = fmt.Sprintf("%s %s (exit %d)%s%s%s", c.Name, signals[t.ExitCode], t.ExitCode, after, times, says)
	default:
		f = l.on("ContainerCrashing", c)
		f.Title = fmt.Sprintf("%s %s %d%s%s%s", c.Name, verb, t.ExitCode, after, says, times)
	}
	if f.Since = t.Finished; f.Since.IsZero() {
		f.Since = l.begun(c)
	}
	if f.Detail == "" {
		f.Detail = strings.TrimSpace(t.Message)
	}
	f.Key += fmt.Sprintf(" %d %s", t.ExitCode, normal(line))
	l.state(f, c, which+".terminated")
	if c.State.Kind == "waiting" {
		l.proof(f, field(c, "state.waiting.reason"), c.State.Reason)
	}
	l.proof(f, field(c, "restartCount"), fmt.Sprint(c.Restarts))
	f.Next = append([]string{l.logs(c, c.State.Kind != "terminated")}, f.Next...)
	if f.Changed == nil {
		f.Changed = l.changed(c, "image")
	}
	l.backOff(f, c)
	if p.RestartPolicy != "Always" && p.Phase == "Failed" {
		f.Until, f.UntilWhat = time.Time{}, ""
	}
}

var signals = map[int32]string{
	143: "was asked to stop (SIGTERM)", 139: "crashes with a segmentation fault", 134: "aborts (SIGABRT)",
}

// lastWords is what a container said before it ended: its termination message,
// or else the decisive line of its log.
func (l *look) lastWords(c *status.Container, t *status.ContainerState) string {
	if m := strings.TrimSpace(t.Message); m != "" {
		return decisive(m)
	}
	if l.s.LogLine != nil {
		if s := headline(l.s.LogLine(l.o.ID, c.Name)); s != "" {
			return clip(s, 160)
		}
	}
	l.need(Need{ID: l.o.ID, Log: c.Name})
	return ""
}

// decisive picks of several lines the last that names a failure, else the last.
func decisive(text string) string {
	best, final := "", ""
	// Decoding has made line breaks visible; see status.Clean.
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "⏎", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		final = line
		if hasAny(strings.ToLower(line), "panic", "fatal", "error", "exception", "denied", "refused", "no such") {
			best = line
		}
	}
	if best == "" {
		best = final
	}
	return clip(headline(best), 160)
}

// Decisive picks the line of a container's log that says why it ended: the last
// that names a failure, else the last that is not empty.
func Decisive(lines []string) string { return decisive(strings.Join(lines, "\n")) }

// backOff adds the moment of the next restart.
func (l *look) backOff(f *Finding, c *status.Container) {
	if c.State.Reason != "CrashLoopBackOff" || c.Last.Finished.IsZero() {
		return
	}
	d, err := time.ParseDuration(between(c.State.Message, "back-off ", " "))
	if err != nil {
		return
	}
	f.Until, f.UntilWhat = c.Last.Finished.Add(d), "next restart"
}

// livenessKill returns the event by which the kubelet killed a container for
// its liveness probe, when that is why it ended last.
func (l *look) livenessKill(c *status.Container) *status.Event {
	if c.Probes.Liveness == nil && c.Probes.Startup == nil {
		return nil
	}
	for _, e := range l.events(l.o.ID, "Killing") {
		if strings.Contains(e.Message, "ontainer "+c.Name+" failed liveness probe") || strings.Contains(e.Message, "ontainer "+c.Name+" failed startup probe") {
			if u, ok := l.unhealthy(c, "Liveness"); ok {
				return &u
			}
			return &e
		}
	}
	return nil
}

// unhealthy returns the newest Unhealthy event of a kind of probe of a
// container.
func (l *look) unhealthy(c *status.Container, probe string) (status.Event, bool) {
	for _, e := range l.events(l.o.ID, "Unhealthy") {
		if strings.HasPrefix(e.Message, probe+" probe") && (e.Field == "" || strings.Contains(e.Field, "{"+c.Name+"}")) {
			return e, true
		}
	}
	return status.Event{}, false
}

// probeText says what a probe asks and what it got.
func probeText(p *status.Probe, msg, kind string) string {
	out := ""
	if p != nil && p.What != "" {
		out = " (" + p.What
	}
	got := headline(msg)
	got = strings.TrimPrefix(got, kind+" probe failed: ")
	got = strings.TrimPrefix(got, "HTTP probe failed with statuscode: ")
	if strings.HasPrefix(got, "Get \"") {
		got = last(got)
	}
	if strings.HasPrefix(got, "Container ") || got == "" {
		got = ""
	}
	switch {
	case out != "" && got != "":
		return out + " → " + clip(got, 120) + ")"
	case out != "":
		return out + ")"
	case got != "":
		return " (" + clip(got, 120) + ")"
	}
	return ""
}

func (l *look) initOrder(c *status.Container) (n, of int) {
	for i := range l.o.Pod.Containers {
		x := &l.o.Pod.Containers[i]
		if x.Kind == status.InitContainer || x.Kind == status.SidecarContainer {
			of++
			if x.Name == c.Name {
				n = of
			}
		}
	}
	return n, of
}

// initRuns is F25: an init container that does not end.
func (l *look) initRuns(c *status.Container) {
	f := l.on("InitContainerRunning", c)
	n, of := l.initOrder(c)
	f.Since = c.State.Started
	f.Title = fmt.Sprintf("init container %s (%d/%d) has not finished", c.Name, n, of)
	l.proof(f, field(c, "state.running.startedAt"), stamp(c.State.Started))
	if x := l.o.Condition("Initialized"); x != nil {
		f.proveCondition(l.o.ID, x)
	}
	f.Next = []string{l.logs(c, false)}
	f.Certainty = Likely
	if l.older(c.State.Started, 5*time.Minute) {
		f.Class, f.Certainty = Retries, Possible
	}
	if line := l.logLine(c); line != "" && l.older(c.State.Started, time.Minute) {
		f.prove(l.o.ID, "log:"+c.Name, line)
		f.Title += ": " + line
	}
}

func (l *look) logLine(c *status.Container) string {
	if l.s.LogLine == nil {
		return ""
	}
	return clip(headline(l.s.LogLine(l.o.ID, c.Name)), 160)
}

// budget is how long a probe may fail before it counts.
func budget(p *status.Probe) time.Duration {
	if p == nil {
		return 10 * time.Second
	}
	period, threshold := p.Period, p.Threshold
	if period <= 0 {
		period = 10
	}
	if threshold <= 0 {
		threshold = 3
	}
	return time.Duration(p.InitialDelay)*time.Second + time.Duration(period)*time.Duration(threshold)*time.Second
}

// startup is F20: the startup probe has not succeeded yet.
func (l *look) startup(c *status.Container) {
	f := l.on("StartupProbePending", c)
	f.Since = c.State.Started
	end := c.State.Started.Add(budget(c.Probes.Startup))
	e, failing := l.unhealthy(c, "Startup")
	f.Title = fmt.Sprintf("%s is starting: its startup probe has not succeeded yet%s", c.Name, probeText(c.Probes.Startup, e.Message, "Startup"))
	l.proof(f, field(c, "started"), "false")
	if failing {
		f.proveEvent(e)
	}
	if end.After(l.now()) && !c.State.Started.IsZero() {
		f.Until, f.UntilWhat = end, "the kubelet restarts the container unless the probe succeeds"
		l.again(end)
	} else {
		f.Class = Retries
	}
	f.Next = []string{l.logs(c, false)}
}

// readiness is F21: it runs and is not ready.
func (l *look) readiness(c *status.Container) {
	e, failing := l.unhealthy(c, "Readiness")
	grace := max(budget(c.Probes.Readiness), 10*time.Second)
	f := l.on("ReadinessProbeFailing", c)
	f.Since = c.State.Started
	if x := l.o.Condition("ContainersReady"); x != nil {
		if x.LastTransitionTime.After(f.Since) {
			f.Since = x.LastTransitionTime
		}
		f.proveCondition(l.o.ID, x)
	}
	l.proof(f, field(c, "ready"), "false")
	if failing {
		f.proveEvent(e)
		if !e.First.IsZero() && e.First.Before(f.Since) && !e.First.Before(c.State.Started) {
			f.Since = e.First
		}
	} else {
		f.Certainty = Likely
	}
	f.Title = fmt.Sprintf("%s runs but is not ready%s", c.Name, probeText(c.Probes.Readiness, e.Message, "Readiness"))
	f.Key += " " + normal(e.Message)
	f.Next = []string{l.logs(c, false)}
	if !c.State.Started.IsZero() && !l.older(c.State.Started, grace) {
		f.Class = Waits
		f.Until, f.UntilWhat = c.State.Started.Add(grace), "the readiness probe's allowance ends"
	}
}

// slowPull is F9: a container is still being created because its image is still
// being pulled.
func (l *look) slowPull() {
	for i := range l.o.Pod.Containers {
		c := &l.o.Pod.Containers[i]
		if c.State.Kind != "waiting" || c.State.Reason != "ContainerCreating" {
			continue
		}
		for _, e := range l.events(l.o.ID, "Pulling", "Pulled") {
			if e.Field != "" && !strings.Contains(e.Field, "{"+c.Name+"}") {
				continue
			}
			if e.Reason == "Pulling" && l.older(e.Last, time.Minute) {
				f := l.on("ImagePullSlow", c)
				f.Title = fmt.Sprintf("image %s is still being pulled", c.Image)
				f.Since = e.Last
				f.Certainty = Likely
				f.proveEvent(e)
			}
			break
		}
	}
}

// gates is F22: readiness gates that others have to set.
func (l *look) gates() {
	x := l.o.Condition("Ready")
	if x == nil || x.Status == "True" || x.Reason != "ReadinessGatesNotReady" {
		return
	}
	var open []string
	for _, g := range l.o.Pod.ReadinessGates {
		if y := l.o.Condition(g); y == nil || y.Status != "True" {
			open = append(open, g)
		}
	}
	f := l.find("ReadinessGateNotReady")
	f.Title = "waiting for readiness gate " + names(open, 3)
	for _, g := range open {
		if y := l.o.Condition(g); y != nil && y.Message != "" {
			f.Title += ": " + headline(y.Message)
			break
		}
	}
	f.Since = x.LastTransitionTime
	f.Key = strings.Join(open, " ")
	f.proveCondition(l.o.ID, x)
	if l.older(x.LastTransitionTime, time.Minute) {
		f.Class = Retries
	}
}

// changed tells how the newest template differs from the one before in what
// concerns a container: its image or its memory limit.
func (l *look) changed(c *status.Container, what string) []Change {
	owner, ok := l.o.Controller()
	if !ok || owner.Kind != "ReplicaSet" {
		return nil
	}
	set := l.object(l.id("apps", "ReplicaSet", owner.Name))
	if set == nil || set.Workload == nil {
		return nil
	}
	dep, ok := set.Controller()
	if !ok {
		return nil
	}
	var before *status.Object
	for _, s := range l.children(l.id("apps", "Deployment", dep.Name)) {
		if s.Workload == nil || s.Kind != "ReplicaSet" || s.UID == set.UID {
			continue
		}
		if revision(s) < revision(set) && (before == nil || revision(s) > revision(before)) {
			before = s
		}
	}
	if before == nil {
		return nil
	}
	old, now := imageOf(before, c.Name), imageOf(set, c.Name)
	if now == nil {
		return nil
	}
	if old == nil {
		return []Change{{Path: "spec.template.spec.containers[" + c.Name + "]", Before: "", After: now.Image}}
	}
	switch {
	case what == "image" && old.Image != now.Image:
		return []Change{{Path: "spec.template.spec.containers[" + c.Name + "].image", Before: old.Image, After: now.Image}}
	case what == "memory" && old.Memory != now.Memory:
		return []Change{{Path: "spec.template.spec.containers[" + c.Name + "].resources.limits.memory", Before: old.Memory, After: now.Memory}}
	}
	return nil
}

func imageOf(o *status.Object, container string) *status.Image {
	for i := range o.Workload.Images {
		if o.Workload.Images[i].Container == container {
			return &o.Workload.Images[i]
		}
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
