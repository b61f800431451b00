package find

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// StoredRevision finds the requested revision of a release, or the newest, and
// the number of the newest.
func StoredRevision(objects []*object.Object, pinned int) (found *object.Object, newest int) {
	for _, o := range objects {
		label, _ := o.Label("version")
		v := inventory.HelmVersion(label)
		if v > newest {
			newest = v
			if pinned == 0 {
				found = o
			}
		}
		if v == pinned && pinned != 0 {
			found = o
		}
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
	return r, nil
}

// RecordError is the error of a revision that was read but cannot be decoded.
type RecordError struct{ error }

// ReleaseObject returns the object that represents a Helm release, which has
// none in the cluster. Its condition says what "helm status" says.
func ReleaseObject(id object.ID, r inventory.HelmRevision, serial int) *object.Object {
	ready := map[string]any{
		"type": "Ready", "status": "False", "reason": helmReason(r.Status),
		"message": cmp.Or(r.Description, r.Status), "observedGeneration": r.Version,
	}
	conditions := []any{ready}
	flag := func(typ string) {
		conditions = append(conditions, map[string]any{"type": typ, "status": "True", "reason": ready["reason"], "message": ready["message"], "observedGeneration": r.Version})
	}
	switch {
	case r.Status == "deployed", r.Status == "superseded":
		ready["status"] = "True"
	case r.Status == "failed":
		flag("Stalled")
	case r.Pending():
		flag("Reconciling")
	default:
		ready["status"] = "Unknown"
	}
	if !r.Last.IsZero() {
		ready["lastTransitionTime"] = r.Last.Format(time.RFC3339)
	}
	meta := map[string]any{
		"name": id.Name, "namespace": id.Namespace, "generation": r.Version, "resourceVersion": strconv.Itoa(serial),
		// A reinstalled release is a new object.
		"uid": "helm-" + r.First.Format(time.RFC3339Nano),
	}
	if !r.First.IsZero() {
		meta["creationTimestamp"] = r.First.Format(time.RFC3339)
	}
	o, err := convert.Map(map[string]any{
		"apiVersion": id.Group + "/v1", "kind": id.Kind, "metadata": meta,
		"status": map[string]any{
			"observedGeneration": r.Version, "conditions": conditions, "status": r.Status,
			"chart": r.Chart, "appVersion": r.AppVersion, "revision": r.Version,
		},
	}, convert.Options{})
	if err != nil { // nothing in it can be refused
		return nil
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
