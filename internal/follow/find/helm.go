package find

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// release reads a Helm release.
func (f *Finder) release(ctx context.Context, t inventory.Target) (Listing, error) {
	l := Listing{Root: inventory.HelmReleaseID(t.Namespace, t.Name), Name: "Helm release"}
	release := inventory.Release{Namespace: t.Namespace, Name: t.Name}
	stored, err := f.stored(ctx, release, t.HelmVersion)
	switch {
	case kube.Code(err) == 403:
		l.Set.Notes = append(l.Set.Notes, "its record may not be read: these are the objects with its labels")
		l.Set.Labels = release.Labels()
	case err != nil:
		return l, err
	default:
		l.Set.Add(stored)
	}
	return l, nil
}

// storage lists the metadata of Helm's Secrets, or ConfigMaps (HELM_DRIVER=configmap).
func (f *Finder) storage(ctx context.Context, namespace, selector string) (out []*object.Object, why error) {
	for _, kind := range []string{"Secret", "ConfigMap"} {
		page, err := f.list(ctx, resolve.Builtin("", kind), namespace, url.Values{"labelSelector": {selector}}, false)
		out, why = append(out, page.Items...), cmp.Or(why, err)
	}
	return out, why
}

// stored reads a revision of a release from its storage.
func (f *Finder) stored(ctx context.Context, r inventory.Release, version int) (inventory.HelmRevision, error) {
	objects, err := f.storage(ctx, r.Namespace, "owner=helm,name="+r.Name)
	if found, _ := StoredRevision(objects, version); found != nil {
		return f.Revision(ctx, found.ID)
	}
	if err != nil {
		return inventory.HelmRevision{}, err
	}
	what, next := fmt.Sprintf("release %q", r.Name), ""
	if version > 0 {
		what = fmt.Sprintf("revision %d of %s", version, what)
	} else {
		next = f.Elsewhere(ctx, inventory.Candidate{ID: inventory.HelmReleaseID(r.Namespace, r.Name)})
	}
	return inventory.HelmRevision{}, problem.New(cmp.Or(next, "helm list -A shows those there are"),
		"there is no %s in namespace %q", what, r.Namespace)
}

// StoredRevision finds the requested revision, or the newest, and the newest's number.
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
	body, err := f.body(ctx, resolve.Builtin("", id.Kind), id, false)
	if err != nil {
		return inventory.HelmRevision{}, err
	}
	payload, _ := object.At(body, "data", "release").(string)
	raw := []byte(payload)
	if id.Kind == "Secret" { // a Secret's data is base64-encoded once more
		raw, err = base64.StdEncoding.DecodeString(payload)
	}
	var r inventory.HelmRevision
	if err == nil {
		r, err = inventory.DecodeHelm(raw)
	}
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
		ID: id, Version: "v1", ResourceVersion: resourceVersion,
		Generation: version, Observed: version, Created: r.First, Changed: r.Last,
		UID:  "helm-" + r.First.Format(time.RFC3339Nano), // a reinstalled release is a new object
		Tree: map[string]any{"status": map[string]any{"status": r.Status, "revision": int64(r.Version)}},
	}
	condition := func(typ, is string) {
		o.Conditions = append(o.Conditions, object.Condition{LastTransitionTime: r.Last, Statement: &object.Statement{
			Type: typ, Status: is, Reason: helmReason(r.Status),
			Message: cmp.Or(r.Description, r.Status), ObservedGeneration: version,
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

// helmReason makes a reason of Helm's status: pending-upgrade → PendingUpgrade.
func helmReason(word string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return cmp.Or(b.String(), "Unknown")
}
