package find

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// StoredRevision finds the requested revision of a release, or the newest, and
// the number of the newest.
func StoredRevision(objects []*object.Object, pinned int) (found *object.Object, newest int) {
	for _, o := range objects {
		label, _ := o.Label("version")
		version, _ := strconv.Atoi(label)
		if version == pinned && pinned > 0 || version > newest && pinned == 0 {
			found = o
		}
		newest = max(newest, version)
	}
	return found, newest
}

// Revision gets and decodes one stored revision. The payload is not kept.
func (f *Finder) Revision(ctx context.Context, id object.ID) (inventory.HelmRevision, error) {
	body, err := f.client.Body(ctx, kube.Builtin("", id.Kind), id, false)
	if err != nil {
		return inventory.HelmRevision{}, err
	}
	data, _ := body["data"].(map[string]any)
	payload, _ := data["release"].(string)
	if payload == "" {
		return inventory.HelmRevision{}, &RecordError{errors.New("it holds no release")}
	}
	raw := []byte(payload)
	if id.Kind == "Secret" { // a Secret's data is base64-encoded once more
		if raw, err = base64.StdEncoding.DecodeString(payload); err != nil {
			return inventory.HelmRevision{}, &RecordError{errors.New("it is not in base64")}
		}
	}
	r, err := inventory.DecodeHelm(raw)
	if err != nil {
		return r, &RecordError{err}
	}
	// The label says how far Helm is, and changes without the payload.
	if word, _ := object.At(body, "metadata", "labels", "status").(string); word != "" {
		r.Status = object.Clean(word)
	}
	return r, nil
}

// RecordError is the error of a revision that was read but cannot be decoded.
type RecordError struct{ error }

// ReleaseObject returns the object that represents a Helm release, which has
// none in the cluster. Its condition says what "helm status" says.
func ReleaseObject(id object.ID, r inventory.HelmRevision, resourceVersion string) *object.Object {
	version := object.IntOf(int64(r.Version))
	o := &object.Object{
		ID: id, Version: "v1", ResourceVersion: resourceVersion, Generation: version, Observed: version, Created: r.First, Changed: r.Last,
		UID:  "helm-" + r.First.Format(time.RFC3339Nano), // a reinstalled release is a new object
		Tree: map[string]any{"status": map[string]any{"status": r.Status, "revision": int64(r.Version)}},
	}
	condition := func(typ, is string) {
		o.Conditions = append(o.Conditions, object.Condition{LastTransitionTime: r.Last, Statement: &object.Statement{
			Type: typ, Status: is, Reason: helmReason(r.Status), Message: cmp.Or(r.Description, r.Status), ObservedGeneration: version,
		}})
	}
	switch {
	case r.Status == "deployed", r.Status == "superseded":
		condition("Ready", "True")
	case r.Status == "failed":
		condition("Ready", "False")
		condition("Stalled", "True")
	case r.Pending():
		condition("Ready", "False")
		condition("Reconciling", "True")
	default:
		condition("Ready", "Unknown")
	}
	return o
}

// helmReason converts Helm's status to a reason: pending-upgrade →
// PendingUpgrade.
func helmReason(word string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(word, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return cmp.Or(b.String(), "Unknown")
}
