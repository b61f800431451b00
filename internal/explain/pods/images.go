package pods

import (
	"regexp"
	"strings"
	"sync"
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
	msg, from := pullError(in, c)
	f := pullProblem(in, c, msg)
	f.Shared = f.Code != codes.ImageNameInvalid
	if f.Shared {
		f.Key += " " + in.Object.Namespace
	}
	if f.Code == codes.ImageRateLimited {
		msg = account().ReplaceAllString(msg, "as '…'")
	}
	f.Detail = pulled(msg)
	f.Since = begun(in, c)
	f.Prove(field(c, "state.waiting.reason"), c.State.Reason)
	if from != nil {
		f.ProveEvent(*from)
	} else if msg != "" {
		f.Prove(field(c, "state.waiting.message"), msg)
	}
	f.Prove(specField(c, "image"), c.Image)
}

// pullError is the error of the registry or runtime. In older releases the
// back-off's message does not contain it; the event of the last pull does.
func pullError(in *inspect.Inspector, c *object.Container) (string, *object.Event) {
	msg := c.State.Message
	if c.State.Reason != "ImagePullBackOff" || wording.HasAny(msg, "ErrImagePull", "rpc error", ": failed to") {
		return msg, nil
	}
	for _, e := range in.Events(in.Object.ID, "Failed") {
		if strings.HasPrefix(e.Message, "Failed to pull image") &&
			(strings.Contains(e.Message, `"`+c.Image+`"`) || strings.Contains(e.Field, "{"+c.Name+"}")) {
			return e.Message, &e
		}
	}
	return msg, nil
}

// pullProblem decides why an image cannot be pulled: the kubelet's own reasons,
// then the kind of failure that the runtime or the registry reports.
func pullProblem(in *inspect.Inspector, c *object.Container, msg string) *inspect.Finding {
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
	kind := message.FailureOf(msg, c.Image, repo, host, full(repo))
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
		return on(codes.ImageWrongPlatform, c.Image, "image %s has no build for the platform of node %s", c.Image, node)
	case message.Denied:
		f := on(codes.ImagePullDenied, c.Image, "registry %s does not let this pod pull %s", host, c.Image)
		if wording.HasAny(strings.ToLower(msg), "does not exist or may require", "repository does not exist") {
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
	if m := message.Reason(msg); m != "" && !strings.HasPrefix(m, "Back-off") {
		f.Why("%s", m)
	} else {
		f.Certainty = inspect.Likely
	}
	return f
}

// pulled is the message of a failed pull, without the layers that only repeat
// the image: the kubelet's back-off, its error, the runtime's.
func pulled(msg string) string {
	msg = message.Line(msg)
	for _, layer := range [...]string{`Back-off pulling image "`, `Failed to pull image "`, `failed to pull and unpack image "`} {
		if rest, ok := strings.CutPrefix(msg, layer); ok {
			if _, cause, ok := strings.Cut(rest, `": `); ok {
				msg = strings.TrimPrefix(cause, "ErrImagePull: ")
			}
		}
	}
	// containerd: failed to resolve reference "x": x: not found
	if what, after, ok := strings.Cut(msg, `"`); ok {
		if image, cause, ok := strings.Cut(after, `": `); ok {
			return what + `"` + image + `": ` + strings.TrimPrefix(cause, image+": ")
		}
	}
	return msg
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

// account is the user's name in a registry's rate limit message.
var account = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`as '[^']*'`) })

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
