package explain

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Images that cannot be pulled.

// image finds why an image cannot be pulled.
func (l *look) image(c *object.Container) {
	msg, from := l.pullError(c)
	f := l.pullProblem(c, msg)
	f.Shared = f.Code != "ImageNameInvalid"
	if f.Shared {
		f.Key += " " + l.o.Namespace
	}
	if f.Code == "ImageRateLimited" {
		msg = account().ReplaceAllString(msg, "as '…'")
	}
	f.Detail = pulled(msg)
	f.Since = l.begun(c)
	l.proof(f, field(c, "state.waiting.reason"), c.State.Reason)
	if from != nil {
		f.proveEvent(*from)
	} else if msg != "" {
		l.proof(f, field(c, "state.waiting.message"), msg)
	}
	l.proof(f, specField(c, "image"), c.Image)
}

// pullError is the error of the registry or runtime. In older releases the
// back-off's message does not contain it; the event of the last pull does.
func (l *look) pullError(c *object.Container) (string, *object.Event) {
	msg := c.State.Message
	if c.State.Reason != "ImagePullBackOff" || hasAny(msg, "ErrImagePull", "rpc error", ": failed to") {
		return msg, nil
	}
	for _, e := range l.events(l.o.ID, "Failed") {
		if strings.HasPrefix(e.Message, "Failed to pull image") && (strings.Contains(e.Message, `"`+c.Image+`"`) || strings.Contains(e.Field, "{"+c.Name+"}")) {
			return e.Message, &e
		}
	}
	return msg, nil
}

// pullProblem classifies the error, in an order that respects texts that
// contain others.
func (l *look) pullProblem(c *object.Container, msg string) *Finding {
	low := strings.ToLower(msg)
	repo, tag := splitImage(c.Image)
	node := l.o.Pod.Node
	on := func(code, key, title string, args ...any) *Finding {
		f := l.on(code, c, title, args...)
		f.Key = key
		return f
	}
	switch {
	case c.State.Reason == "ErrImageNeverPull":
		return on("ImageNeverPulled", c.Image+" "+node, "image %s is not on node %s and imagePullPolicy is Never", c.Image, node)
	case c.State.Reason == "InvalidImageName":
		return on("ImageNameInvalid", c.Name, "%q is not a valid image name", c.Image)
	case c.State.Reason == "SignatureValidationFailed":
		return on("ImageSignatureInvalid", c.Name, "the signature of image %s is not valid: %s", c.Image, last(msg))
	case strings.Contains(low, "no space left on device"):
		f := on("ImagePullFailed", node, "image %s cannot be pulled: the disk of node %s is full", c.Image, node)
		f.Next = []string{command("", "describe", "node", node)}
		return f
	case hasAny(low, "429", "toomanyrequests", "pull rate limit", "too many requests"):
		return on("ImageRateLimited", registry(repo), "registry %s limits pulls; the kubelet keeps trying", registry(repo))
	case hasAny(low, "no match for platform", "no matching manifest", "exec format error"):
		return on("ImageWrongPlatform", c.Image, "image %s has no build for the platform of node %s", c.Image, node)
	case hasAny(low, "unauthorized", "authentication required", "access denied", "access to the resource is denied", "403 forbidden", "401 ",
		"no basic auth", "may require 'docker login'", "denied:", "insufficient_scope", "permission_denied"):
		f := on("ImagePullDenied", c.Image, "registry %s does not let this pod pull %s", registry(repo), c.Image)
		if hasAny(low, "does not exist or may require", "repository does not exist") {
			f.Title = fmt.Sprintf("%s does not exist, or pulling it needs credentials", c.Image)
		}
		l.pullSecrets(f)
		return f
	case hasAny(low, "not found", "manifest unknown", "name unknown", "does not exist", "404"):
		if tag == "" {
			return on("ImageNotFound", c.Image, "image %s does not exist", c.Image)
		}
		return on("ImageNotFound", c.Image, "%s does not exist in %s", describeTag(tag), full(repo))
	case c.State.Reason == "RegistryUnavailable", hasAny(low, "timeout", "no such host", "x509", "connection refused", "connection reset", "network is unreachable",
		"tls:", "eof", "deadline exceeded", "server misbehaving", "no route to host", "i/o", "502", "503", "500 "):
		return on("RegistryUnreachable", registry(repo), "registry %s cannot be reached: %s", registry(repo), last(msg))
	}
	f := on("ImagePullFailed", c.Image, "image %s cannot be pulled", c.Image)
	if m := last(msg); m != "" && !strings.HasPrefix(m, "Back-off") {
		f.Title += ": " + m
	} else {
		f.Certainty = Likely
	}
	return f
}

// pulled is the message of a failed pull, without the layers that only repeat
// the image: the kubelet's back-off, its error, the runtime's.
func pulled(msg string) string {
	msg = headline(msg)
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
		return "digest " + clip(tag, 26)
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
				f := l.on("ImagePullSlow", c, "image %s is still being pulled", c.Image)
				f.Since = e.Last
				f.Certainty = Likely
				f.proveEvent(e)
			}
			break
		}
	}
}
