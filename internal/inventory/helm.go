package inventory

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// HelmRevision is one stored revision of a Helm release. Values, rendered
// manifests and chart files are dropped while decoding: they may hold
// credentials.
type HelmRevision struct {
	Name, Namespace string
	Version         int
	// Status is Helm's own word: deployed, failed, pending-upgrade …
	Status      string
	Description string
	Chart       string // name and version
	AppVersion  string
	First, Last time.Time // when the release was first and last deployed
	Members     []Member
	Hooks       []HelmHook
}

// HelmHook is a hook of a revision.
type HelmHook struct {
	Member
	Events []string // pre-install, post-upgrade …
	Phase  string   // phase of the last run: Running, Succeeded, Failed, Unknown, or ""
}

// maxRelease bounds a decompressed release. A Secret holds at most 1 MiB;
// manifests compress to about a tenth.
const maxRelease = 32 << 20

var errReleaseTooLarge = fmt.Errorf("the release is larger than %d MiB", maxRelease>>20)

// DecodeHelm decodes the payload of Helm's storage drivers
// (pkg/storage/driver/util.go, the same in Helm 3 and 4): base64 of JSON, which
// is compressed except in old releases. The caller decodes the additional
// base64 of a Secret's data.
func DecodeHelm(payload []byte) (HelmRevision, error) {
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(payload)))
	n, err := base64.StdEncoding.Decode(raw, bytes.TrimSpace(payload))
	if err != nil {
		return HelmRevision{}, errors.New("the release is not in base64")
	}
	var r io.Reader = bytes.NewReader(raw[:n])
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b, 0x08}) {
		if r, err = gzip.NewReader(r); err != nil {
			return HelmRevision{}, errors.New("the release is corrupted: it cannot be decompressed")
		}
	}
	limited := &io.LimitedReader{R: r, N: maxRelease + 1}
	data, err := io.ReadAll(limited)
	switch {
	case limited.N <= 0:
		return HelmRevision{}, errReleaseTooLarge
	case err != nil:
		return HelmRevision{}, errors.New("the release is corrupted: it cannot be decompressed")
	}
	// Only these fields are kept.
	var rel struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		Version   int    `json:"version"`
		Info      struct {
			Status      string `json:"status"`
			Description string `json:"description"`
			First       string `json:"first_deployed"`
			Last        string `json:"last_deployed"`
		} `json:"info"`
		Chart struct {
			Metadata struct {
				Name       string `json:"name"`
				Version    string `json:"version"`
				AppVersion string `json:"appVersion"`
			} `json:"metadata"`
		} `json:"chart"`
		Manifest string `json:"manifest"`
		Hooks    []struct {
			Name     string   `json:"name"`
			Kind     string   `json:"kind"`
			Manifest string   `json:"manifest"`
			Events   []string `json:"events"`
			LastRun  struct {
				Phase string `json:"phase"`
			} `json:"last_run"`
		} `json:"hooks"`
	}
	if err := json.Unmarshal(data, &rel); err != nil {
		return HelmRevision{}, errors.New("the release is corrupted: it is not the JSON that Helm writes")
	}
	if rel.Name == "" {
		return HelmRevision{}, errors.New("the release has no name: it is not what Helm writes")
	}
	out := HelmRevision{
		Name: object.Clean(rel.Name), Namespace: object.Clean(rel.Namespace), Version: rel.Version,
		Status: object.Clean(rel.Info.Status), Description: object.Clean(rel.Info.Description),
		Chart:      strings.Trim(object.Clean(rel.Chart.Metadata.Name)+"-"+object.Clean(rel.Chart.Metadata.Version), "-"),
		AppVersion: object.Clean(rel.Chart.Metadata.AppVersion),
		First:      helmTime(rel.Info.First), Last: helmTime(rel.Info.Last),
	}
	s := Set{}
	s.manifest(rel.Manifest, out.Namespace)
	out.Members = s.Members
	for _, h := range rel.Hooks {
		s := Set{}
		s.manifest(h.Manifest, out.Namespace)
		if len(s.Members) == 0 {
			s.add(unreadable(h.Kind+"/"+h.Name, errors.New("the hook has no manifest")))
		}
		for _, m := range s.Members {
			hook := HelmHook{Member: m, Phase: object.Clean(h.LastRun.Phase)}
			for _, e := range h.Events {
				hook.Events = append(hook.Events, object.Clean(e))
			}
			hook.Optional, hook.Note = true, "hook "+strings.Join(hook.Events, ", ")
			out.Hooks = append(out.Hooks, hook)
		}
	}
	return out, nil
}

func helmTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() < 1971 {
		return time.Time{}
	}
	return t.UTC()
}

// Pending reports whether an action of Helm is in progress.
func (r HelmRevision) Pending() bool {
	return strings.HasPrefix(r.Status, "pending-") || r.Status == "uninstalling"
}

// Active returns the hooks that get a row: running ones, failed ones, and those
// of the action in progress.
func (r HelmRevision) Active() []Member {
	action := strings.TrimPrefix(r.Status, "pending-")
	if r.Status == "uninstalling" {
		action = "delete"
	}
	var out []Member
	for _, h := range r.Hooks {
		due := h.Phase == "" && slices.ContainsFunc(h.Events, func(e string) bool { return e == "pre-"+action || e == "post-"+action })
		if r.Pending() && (h.Phase == "Running" || h.Phase == "Unknown" || due) || h.Phase == "Failed" {
			m := h.Member
			if h.Phase != "" {
				m.Note += " (" + strings.ToLower(h.Phase) + ")"
			}
			out = append(out, m)
		}
	}
	return out
}

// HelmVersion parses the "version" label of a stored revision; 0 if it is not a
// number.
func HelmVersion(label string) int {
	n, err := strconv.Atoi(label)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// manifest reads the manifest of a release. Helm takes any line that begins
// with three dashes for a marker, even "---apiVersion: v1".
func (s *Set) manifest(text, namespace string) {
	for doc := range documents([]byte(strings.ReplaceAll("\n"+text, "\n---", "\n--- "))) {
		before := s.Members
		if err := s.manifestObjects(head(doc.text), namespace); err == nil && len(s.Members) > len(before) {
			continue
		}
		s.Members = before // its layout has no head
		if err := s.manifestObjects(doc.text, namespace); err != nil {
			s.add(unreadable(firstLine(doc.text), errors.New("this document of the manifest is not YAML of an object")))
		}
	}
}

// manifestObjects adds the objects of a document, and returns why one of them
// cannot be read.
func (s *Set) manifestObjects(doc []byte, namespace string) (broken error) {
	for o, err := range objects(doc, origin{}) {
		meta := o.head.Metadata
		m := Member{
			ID:      object.ID{Group: o.head.gv.Group, Kind: o.Kind, Namespace: cmp.Or(meta.Namespace, namespace), Name: meta.Name},
			Version: o.head.gv.Version,
		}
		switch {
		case err != nil:
			broken = err
			continue
		case meta.Name == "" && meta.GenerateName != "":
			m = unreadable(o.Kind+"/"+meta.GenerateName, errors.New("its name was generated when it was created, and is not in the manifest"))
		default:
			m = checked(m, firstLine(doc))
		}
		if m.Unreadable == "" && meta.Annotations["helm.sh/resource-policy"] == "keep" {
			m.Note = "kept when uninstalled"
		}
		s.add(m)
	}
	return broken
}

func firstLine(doc []byte) string {
	for line := range bytes.Lines(doc) {
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return string(t[:min(len(t), 80)])
		}
	}
	return ""
}
