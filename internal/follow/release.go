package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// storage is what is known of a Helm release's storage objects: Secrets, or
// ConfigMaps (HELM_DRIVER=configmap).
type storage struct {
	release inventory.Release
	maps    bool // its ConfigMaps are followed, too
	pinned  int  // the requested revision

	// The revision that was read last, and the storage object it was read from.
	read     object.ID
	version  string
	revision inventory.HelmRevision
	err      error
}

// stored are the storage objects of a release, which are followed by their
// metadata and not shown.
func (s *set) stored(source string) (out []inventory.Target) {
	t := inventory.Target{
		Source: source, ID: object.ID{Kind: "Secret"}, Namespace: s.helm.release.Namespace,
		Selector:   "owner=helm,name=" + s.helm.release.Name,
		Supporting: true, In: s.root,
	}
	out = append(out, t)
	if s.helm.maps {
		t.ID.Kind = "ConfigMap"
		out = append(out, t)
	}
	return out
}

// record decodes a revision from its storage object, if there is one: once per
// version.
func (f *Follower) record(ctx context.Context, s *set, o *object.Object) (inventory.HelmRevision, error) {
	h := &s.helm
	if o == nil {
		return inventory.HelmRevision{}, nil
	}
	if h.read != o.ID || h.version != o.ResourceVersion {
		revision, err := f.Reader.Revision(ctx, o.ID)
		if _, damaged := errors.AsType[*find.RecordError](err); err != nil && !damaged {
			return revision, err
		}
		h.read, h.version, h.revision, h.err = o.ID, o.ResourceVersion, revision, err
	}
	return h.revision, h.err
}

// decideRelease decides what a Helm release that was named lists.
func (f *Follower) decideRelease(ctx context.Context, s *set, r Root) {
	supporting := f.Engine.Supporting(s.root)
	if !supporting.Answered {
		s.now.Hold = true
		return
	}
	found, newest := find.StoredRevision(supporting.Objects, s.helm.pinned)
	if newest == 0 && !supporting.Forbidden && !s.helm.maps {
		s.helm.maps = true
		s.now.Targets = append(slices.Clip(s.now.Targets), s.stored(r.Source)[1])
		return
	}
	list := inventory.Set{}
	revision, err := f.record(ctx, s, found)
	switch {
	case found == nil && supporting.Forbidden, kube.Code(err) == 403:
		list.Given = feed.GivenStatus{
			Status: status.Current, Reason: "FollowedByLabels",
			Message: "Secrets may not be read here: the release is followed by the labels of its objects, so what is missing does not show",
		}
		list.Notes = []string{"followed by labels: Secrets may not be read here"}
		list.Labels = s.helm.release.Labels()
	case found == nil:
		if newest == 0 {
			list.Given = f.elsewhere(ctx, s, r)
		}
		s.now.Fixed, s.now.Object = true, nil
	case errors.As(err, new(*find.RecordError)):
		s.now.Facts = Facts{Revision: strconv.Itoa(newest), NeedsMembers: true, Given: damaged(found, err)}
		return
	case err != nil:
		s.now.Hold, s.now.Pending = true, fmt.Sprintf("revision %d cannot be read: %s",
			newest, object.Clean(kube.ErrorText(err)))
		f.changed.AddAfter(s.root, setRetry)
		return
	default:
		list.Add(revision)
		if s.helm.pinned > 0 && newest > s.helm.pinned {
			list.Notes = append(list.Notes, fmt.Sprintf("revision %d has come since", newest))
		}
		s.existed = true
		s.now.Fixed, s.now.Object = true, nil
		if revision.Status != "uninstalled" {
			s.now.Object = find.ReleaseObject(s.root, revision, found.ResourceVersion)
		}
	}
	if newest > 0 {
		list.Revision = strconv.Itoa(newest)
	}
	f.follow(s, r, list, s.stored(r.Source))
}

// damaged is what is said of a release whose record cannot be decoded.
func damaged(record *object.Object, err error) feed.GivenStatus {
	return feed.GivenStatus{
		Status: status.Unknown, Reason: "UnreadableRelease",
		Message: record.ID.String() + ": " + err.Error(),
	}
}

// addRelease completes the set of a HelmRelease by Helm's own record, while Helm is
// working or there is no inventory. It returns what is followed for that.
func (f *Follower) addRelease(ctx context.Context, s *set, r Root, list *inventory.Set) ([]inventory.Target, error) {
	if list.Release.Name == "" || list.Pending == "" && len(list.Members) > 0 {
		return nil, nil
	}
	s.helm.release = list.Release
	supporting := f.Engine.Supporting(s.root)
	found, _ := find.StoredRevision(supporting.Objects, 0)
	revision, err := f.record(ctx, s, found)
	switch {
	case errors.As(err, new(*find.RecordError)):
		list.Given = damaged(found, err)
	case found == nil && supporting.Forbidden, kube.Code(err) == 403:
		// its own status counts: labels would cost a watch a kind
		list.Hidden = len(list.Members) == 0
		list.Notes = append(list.Notes, "the release's Secrets may not be read")
	case err != nil:
		return nil, err
	case found != nil:
		list.Add(revision)
	case !supporting.Answered:
		list.Pending = cmp.Or(list.Pending, "its release is being looked for")
	}
	return s.stored(r.Source), nil
}
