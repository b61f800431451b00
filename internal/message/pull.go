package message

import (
	"regexp"
	"strings"
	"sync"
)

// Pull is what the kubelet, a runtime or a registry says of an image that cannot be pulled.
type Pull struct {
	Image string  // as the kubelet quotes it; "" if it does not
	Kind  Failure // what has failed
	// NameOrLogin says that a registry did not let the image be pulled, and does not tell
	// whether it exists.
	NameOrLogin bool
	// Cause is the message without the layers that only repeat the image, and without the name
	// of an account; "" if it says no more than that the kubelet waits.
	Cause string
}

// Pulling reads why an image cannot be pulled. The subjects are the image and its parts as the Pod
// names them: see [FailureOf]. The kubelet's layers (kubernetes v1.36,
// pkg/kubelet/images/image_manager.go):
//
//	Back-off pulling image "IMAGE"
//	Back-off pulling image "IMAGE": ErrImagePull: TEXT
//	Failed to pull image "IMAGE": TEXT
func Pulling(text string, subjects ...string) Pull {
	text = Line(text)
	x := Pull{Kind: FailureOf(text, subjects...), Cause: text}
	for _, layer := range [...]string{
		`Back-off pulling image "`, `Failed to pull image "`,
		`failed to pull and unpack image "`,
	} {
		rest, ok := strings.CutPrefix(x.Cause, layer)
		image, cause, closed := strings.Cut(rest, `"`)
		if !ok || !closed {
			continue
		}
		if x.Image == "" {
			x.Image = image
		}
		if cause, ok = strings.CutPrefix(cause, ": "); ok {
			x.Cause = strings.TrimPrefix(cause, "ErrImagePull: ")
		} else if layer == `Back-off pulling image "` {
			x.Cause = ""
		}
	}
	// containerd: failed to resolve reference "x": x: not found
	if what, after, ok := strings.Cut(x.Cause, `"`); ok {
		if image, cause, ok := strings.Cut(after, `": `); ok {
			x.Cause = what + `"` + image + `": ` + strings.TrimPrefix(cause, image+": ")
		}
	}
	switch x.Kind {
	case RateLimited:
		x.Cause = account().ReplaceAllString(x.Cause, "as '…'")
	case Denied:
		plain := strings.ToLower(Plain(text, subjects...))
		x.NameOrLogin = containsAny(plain, []string{"does not exist or may require", "repository does not exist"})
	}
	return x
}

// account is the user's name in a registry's message about its limit.
var account = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`as '[^']*'`) })
