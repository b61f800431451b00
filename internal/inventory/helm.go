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
	Version int
	// Status is Helm's own word: deployed, failed, pending-upgrade …
	Status      string
	Description string
	First, Last time.Time // when the release was first and last deployed
	// Members are, before the manifest's, the objects of hooks that are running,
	// have failed, or are of the action in progress.
	Members []Member
}

// maxRelease bounds a decompressed release. A Secret holds at most 1 MiB;
// manifests compress to about a tenth.
const maxRelease = 32 << 20

// inflate decodes base64 of what may be compressed by gzip.
func inflate(text []byte) ([]byte, error) {
	data, err := base64.StdEncoding.AppendDecode(nil, bytes.TrimSpace(text))
	if err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b, 0x08}) {
		return data, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(io.LimitReader(r, maxRelease+1))
	if len(data) > maxRelease {
		err = fmt.Errorf("it is larger than %d MiB", maxRelease>>20)
	}
	return data, err
}

// DecodeHelm decodes the payload of Helm's storage drivers
// (pkg/storage/driver/util.go, the same in Helm 3 and 4): base64 of JSON, which
// is compressed except in old releases. The caller decodes the additional
// base64 of a Secret's data.
func DecodeHelm(payload []byte) (HelmRevision, error) {
	data, err := inflate(payload)
	if err != nil {
		return HelmRevision{}, fmt.Errorf("the release is corrupted: %w", err)
	}
	var rel struct { // only these fields are kept
		Name, Namespace, Manifest string
		Version                   int
		Info                      struct {
			Status, Description string
			First               string `json:"first_deployed"`
			Last                string `json:"last_deployed"`
		}
		Hooks []struct {
			Name, Kind, Manifest string
			Events               []string
			LastRun              struct{ Phase string } `json:"last_run"`
		}
	}
	if json.Unmarshal(data, &rel) != nil || rel.Name == "" {
		return HelmRevision{}, errors.New("the release is corrupted: it is not the JSON that Helm writes")
	}
	out := HelmRevision{
		Version: rel.Version, Status: object.Clean(rel.Info.Status), Description: object.Clean(rel.Info.Description),
		First: helmTime(rel.Info.First), Last: helmTime(rel.Info.Last),
	}
	var s Set
	for _, h := range rel.Hooks {
		if !out.shows(h.LastRun.Phase, h.Events) {
			continue
		}
		before := len(s.Members)
		if s.manifest("hook "+h.Name, h.Manifest, rel.Namespace); len(s.Members) == before {
			s.add(unreadable(h.Kind+"/"+h.Name, errors.New("the hook has no manifest")))
		}
		note := "hook " + strings.Join(h.Events, ", ")
		if h.LastRun.Phase != "" {
			note += " (" + strings.ToLower(h.LastRun.Phase) + ")"
		}
		for i := range s.Members[before:] {
			s.Members[before+i].Optional, s.Members[before+i].Note = true, object.Clean(note)
		}
	}
	s.manifest("manifest", rel.Manifest, rel.Namespace)
	out.Members = s.Members
	return out, nil
}

func helmTime(s string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, s)
	if t.Year() < 1971 {
		return time.Time{}
	}
	return t.UTC()
}

// Pending reports whether an action of Helm is in progress.
func (r HelmRevision) Pending() bool {
	return strings.HasPrefix(r.Status, "pending-") || r.Status == "uninstalling"
}

// Add makes a set list what the newest revision of its release does, unless it
// lists that already. After Helm has finished, a controller still lists the older
// one for a while.
func (s *Set) Add(r HelmRevision) {
	if listed, _ := strconv.Atoi(s.Revision); len(s.Members) > 0 && !r.Pending() && r.Version <= listed {
		return
	}
	s.Members = slices.Clone(r.Members)
	s.Revision = strconv.Itoa(r.Version)
	if r.Pending() {
		s.Applying = s.Pending == "" && r.Status != "uninstalling"
		s.Pending = cmp.Or(s.Pending, "Helm: "+r.Status)
	}
}

// Labels select the objects of a release whose record may not be read.
func (r Release) Labels() []Labels {
	return []Labels{{
		Selector: "app.kubernetes.io/managed-by=Helm", Namespaces: []string{r.Namespace},
		Filter: Filter("meta.helm.sh/release-name=" + r.Name),
	}}
}

// shows reports whether a hook gets a row, by the phase of its last run and the
// events that it is for (pre-install, post-upgrade …).
func (r HelmRevision) shows(phase string, events []string) bool {
	action := strings.TrimPrefix(r.Status, "pending-")
	if r.Status == "uninstalling" {
		action = "delete"
	}
	due := phase == "" && (slices.Contains(events, "pre-"+action) || slices.Contains(events, "post-"+action))
	return r.Pending() && (phase == "Running" || phase == "Unknown" || due) || phase == "Failed"
}

// manifest reads the manifest of a release. Helm takes any line that begins
// with three dashes for a marker, even "---apiVersion: v1".
func (s *Set) manifest(what, text, namespace string) {
	for d := range (Input{Data: []byte(strings.ReplaceAll("\n"+text, "\n---", "\n---\n"))}).documents() {
		entry := fmt.Sprintf("document %d of the %s", d.number, what)
		objs, broken := d.all()
		for _, o := range objs {
			if o.Name == "" && o.GenerateName != "" {
				s.add(unreadable(o.Kind+"/"+o.GenerateName,
					errors.New("its name was generated when it was created, and is not in the manifest")))
				continue
			}
			gvk := o.GroupVersionKind()
			m := checked(Member{
				ID: object.ID{
					Group: gvk.Group, Kind: gvk.Kind,
					Namespace: cmp.Or(o.Namespace, namespace), Name: o.Name,
				},
				Version: gvk.Version,
			}, entry)
			if m.Unreadable == "" && o.Annotations["helm.sh/resource-policy"] == "keep" {
				m.Note = "kept when uninstalled"
			}
			s.add(m)
		}
		if broken != nil {
			s.add(unreadable(entry, errors.New("it is not YAML of an object")))
		}
	}
}
