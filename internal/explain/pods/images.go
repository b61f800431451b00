package pods

import (
	"cmp"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Images that cannot be pulled.

// pullFailed finds why an image cannot be pulled.
func pullFailed(in *inspect.Inspector, c *object.Container) {
	msg, pull, from := pullError(in, c)
	f := pullProblem(in, c, msg, pull)
	f.Shared = f.Code != codes.ImageNameInvalid
	if f.Shared {
		f.Key += " " + in.Object.Namespace
	}
	f.Detail = cmp.Or(pull.Cause, message.Line(msg))
	f.Since = problemBegan(in, c)
	f.Prove(field(c, "state.waiting.reason"), c.State.Reason)
	if from != nil {
		f.ProveEvent(*from)
	} else if msg != "" {
		f.Prove(field(c, "state.waiting.message"), msg)
	}
	f.Prove(specField(c, "image"), c.Image)
}

// pulling parses what is said of a container's image.
func pulling(c *object.Container, msg string) message.Pull {
	repo, _ := splitImage(c.Image)
	return message.Pulling(msg, c.Image, repo, registry(repo), full(repo))
}

// pullError is the error of the registry or runtime. In older releases the
// back-off's message does not contain it; the event of the last pull does.
func pullError(in *inspect.Inspector, c *object.Container) (string, message.Pull, *object.Event) {
	msg, pull := c.State.Message, pulling(c, c.State.Message)
	if c.State.Reason != "ImagePullBackOff" || pull.Cause != "" {
		return msg, pull, nil
	}
	for _, e := range in.Events(in.Object.ID, "Failed") {
		if last := pulling(c, e.Message); last.Image != "" && last.Cause != "" &&
			(last.Image == c.Image || strings.Contains(e.Field, "{"+c.Name+"}")) {
			return e.Message, last, &e
		}
	}
	return msg, pull, nil
}

// pullProblem decides why an image cannot be pulled: the kubelet's own reasons,
// then the kind of failure that the runtime or the registry reports.
func pullProblem(in *inspect.Inspector, c *object.Container, msg string, pull message.Pull) *inspect.Finding {
	repo, tag := splitImage(c.Image)
	node, host := in.Object.Pod.Node, registry(repo)
	on := func(code *codes.Code, key, title string, args ...any) *inspect.Finding {
		f := onContainer(in, code, c, title, args...)
		f.Key = key
		return f
	}
	switch c.State.Reason {
	case "ErrImageNeverPull":
		return on(codes.ImageNeverPulled, c.Image+" "+node,
			"image %s is not on node %s and imagePullPolicy is Never", c.Image, node)
	case "InvalidImageName":
		return on(codes.ImageNameInvalid, c.Name, "%q is not a valid image name", c.Image)
	case "SignatureValidationFailed":
		return on(codes.ImageSignatureInvalid, c.Name,
			"the signature of image %s is not valid: %s", c.Image, message.Reason(msg))
	}
	kind := pull.Kind
	if kind == message.OtherFailure && c.State.Reason == "RegistryUnavailable" {
		kind = message.Unreachable
	}
	switch kind {
	case message.DiskFull:
		f := on(codes.ImagePullFailed, node, "image %s cannot be pulled: the disk of node %s is full", c.Image, node)
		f.Next = []string{wording.Command("", "describe", "node", node)}
		return f
	case message.RateLimited:
		return on(codes.ImageRateLimited, host, "registry %s limits pulls; the kubelet keeps trying", host)
	case message.WrongPlatform:
		f := on(codes.ImageWrongPlatform, c.Image, "image %s has no build for the platform of node %s", c.Image, node)
		platform(in, f)
		return f
	case message.Denied:
		f := on(codes.ImagePullDenied, c.Image, "registry %s does not let this pod pull %s", host, c.Image)
		if pull.NameOrLogin {
			f.Say("%s does not exist, or pulling it needs credentials", c.Image)
		}
		pullSecrets(in, f)
		return f
	case message.NotFound:
		if tag == "" {
			return on(codes.ImageNotFound, c.Image, "image %s does not exist", c.Image)
		}
		return on(codes.ImageNotFound, c.Image, "%s does not exist in %s", describeTag(tag), full(repo))
	case message.Unreachable:
		return on(codes.RegistryUnreachable, host, "registry %s cannot be reached: %s", host, message.Reason(msg))
	}
	f := on(codes.ImagePullFailed, c.Image, "image %s cannot be pulled", c.Image)
	if pull.Cause != "" {
		f.Why("%s", message.Reason(msg))
	} else {
		f.Certainty = inspect.Likely
	}
	return f
}

// pullSecrets names the Pod's pull secrets, and those that do not exist.
func pullSecrets(in *inspect.Inspector, f *inspect.Finding) {
	if e, ok := in.Event(in.Object.ID, "FailedToRetrieveImagePullSecret"); ok {
		f.ProveEvent(e)
		f.Also("%s", message.Short(e.Message, 160))
	}
	for _, u := range in.Object.Pod.Uses {
		if u.Kind == "Secret" && in.Absent(in.ID("", "Secret", u.Name)) {
			f.Detail += "\nSecret " + u.Name + " does not exist."
		}
	}
	f.Next = append(f.Next, in.Kubectl("get", "secrets", "--field-selector", "type=kubernetes.io/dockerconfigjson"))
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
		return "digest " + message.Clip(tag, 26)
	}
	return "tag " + tag
}

// registry is the host of a repository, docker.io by default.
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

// slowPull finds ImagePullSlow: a container is being created while its image is
// still being pulled.
func slowPull(in *inspect.Inspector) {
	for i := range in.Object.Pod.Containers {
		c := &in.Object.Pod.Containers[i]
		if c.State.Kind != "waiting" || c.State.Reason != "ContainerCreating" {
			continue
		}
		for _, e := range in.Events(in.Object.ID, "Pulling", "Pulled") {
			if e.Field != "" && !strings.Contains(e.Field, "{"+c.Name+"}") {
				continue
			}
			if e.Reason == "Pulling" && in.Older(e.Last, time.Minute) {
				f := onContainer(in, codes.ImagePullSlow, c, "image %s is still being pulled", c.Image)
				f.Since = e.Last
				f.Certainty = inspect.Likely
				f.ProveEvent(e)
			}
			break
		}
	}
}
