package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/find"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// helmRecord is a decoded revision, at a version of its storage object.
type helmRecord struct {
	rv       string
	revision inventory.HelmRevision
	err      error
}

// watchStorage follows the storage objects of a Helm release, by their
// metadata. They are not shown.
func (k *setKeeper) watchStorage(s *set, r inventory.Release, source string) {
	if s.storage == r && !s.maps {
		return
	}
	s.storage = r
	var targets []inventory.Target
	if r.Name != "" {
		kinds := []string{"Secret"}
		if s.maps {
			kinds = append(kinds, "ConfigMap")
		}
		for _, kind := range kinds {
			targets = append(targets, inventory.Target{
				Source: source, ID: object.ID{Kind: kind}, Namespace: r.Namespace, Selector: "owner=helm,name=" + r.Name,
				Aside: true, In: s.root,
			})
		}
	}
	k.e.setGroup("aside "+groupOf(s.root), targets)
}

// record decodes a revision from its storage object: once per version.
func (k *setKeeper) record(ctx context.Context, s *set, o *object.Object) (inventory.HelmRevision, error) {
	key := o.Kind + "/" + o.Name
	if r, ok := s.known[key]; ok && r.rv == o.ResourceVersion {
		return r.revision, r.err
	}
	select {
	case k.room <- struct{}{}:
		defer func() { <-k.room }()
	case <-ctx.Done():
		return inventory.HelmRevision{}, ctx.Err()
	}
	revision, err := find.HelmRevision(ctx, k.e.client, o.ID)
	if _, damaged := errors.AsType[*find.RecordError](err); err == nil || damaged {
		clear(s.known) // only one revision is needed
		s.known[key] = helmRecord{o.ResourceVersion, revision, err}
	}
	return revision, err
}

// decideRelease finds the members of a Helm release that was named.
func (k *setKeeper) decideRelease(ctx context.Context, s *set, st rootState) {
	objects, phase, answered := k.e.hub.aside(s.root)
	if !answered {
		return // its sources have not answered
	}
	found, newest := find.StoredRevision(objects, s.pinned)
	if found == nil && newest == 0 && phase != feed.Forbidden && !s.maps {
		// Releases may be stored in ConfigMaps (HELM_DRIVER=configmap).
		s.maps = true
		k.watchStorage(s, s.storage, st.root.Source)
		k.settle(s, "")
		return
	}
	facts := rootFacts{asked: true}
	if newest > 0 {
		facts.revision = strconv.Itoa(newest)
	}
	if found == nil && phase == feed.Forbidden {
		k.byLabels(s, st, facts, "Secrets may not be read here")
		return
	}
	if found == nil {
		if s.pinned > 0 && newest > 0 {
			facts.note = fmt.Sprintf("its newest revision is %d", newest)
		}
		k.e.hub.putFixed(s.root, nil)
		none := inventory.Set{Revision: facts.revision}
		if newest == 0 {
			none.Told = k.elsewhere(ctx, s, st)
		}
		k.follow(s, st, none, facts)
		k.settle(s, "")
		return
	}
	revision, err := k.record(ctx, s, found)
	switch {
	case ctx.Err() != nil:
		return
	case kube.Code(err) == 403:
		k.byLabels(s, st, facts, "its Secrets may not be read")
		return
	case kube.Code(err) == 404:
		k.later(s.root, setRetry)
		return
	case err != nil && !errors.As(err, new(*find.RecordError)):
		k.later(s.root, setRetry)
		return
	case err != nil:
		k.e.setFacts(s.root, rootFacts{revision: facts.revision, asked: true, told: feed.Told{
			Status: status.Unknown, Reason: "UnreadableRelease", Message: found.ID.String() + ": " + err.Error(),
		}})
		k.settle(s, "")
		return
	}
	if label, _ := found.Label("status"); label != "" {
		revision.Status = label // the label changes without the payload being read again
	}
	list := inventory.Set{Members: append(revision.Active(), revision.Members...), Revision: facts.revision}
	if revision.Pending() {
		list.Pending = "Helm: " + revision.Status
	}
	if s.pinned > 0 && newest > s.pinned {
		list.Notes = append(list.Notes, fmt.Sprintf("revision %d has come since", newest))
	}
	version := ""
	s.uid = found.UID // the release existed before
	if revision.Status == "uninstalled" {
		k.e.hub.putFixed(s.root, nil)
	} else {
		s.serial++
		version = strconv.Itoa(s.serial)
		k.e.hub.putFixed(s.root, find.ReleaseObject(s.root, revision, s.serial))
	}
	k.follow(s, st, list, facts)
	k.settle(s, version)
}

// byLabels follows a release whose record cannot be read, by Helm's labels on
// its objects.
func (k *setKeeper) byLabels(s *set, st rootState, facts rootFacts, why string) {
	facts.told = feed.Told{
		Status: status.Current, Reason: "FollowedByLabels",
		Message: why + ": the release is followed by the labels of its objects, so what is missing does not show",
	}
	list := inventory.Set{Revision: facts.revision, Told: facts.told, Notes: []string{"followed by labels: " + why}}
	list.Labels = []inventory.Labels{{
		Selector: "app.kubernetes.io/managed-by=Helm", Namespaces: []string{s.storage.Namespace},
		Filter: inventory.Annotated("meta.helm.sh/release-name", s.storage.Name),
	}}
	k.follow(s, st, list, facts)
	k.settle(s, "")
}

// addRelease completes the set of a HelmRelease: while Helm is working, and if
// the HelmRelease has no inventory, Helm's own record counts.
func (k *setKeeper) addRelease(ctx context.Context, s *set, st rootState, list *inventory.Set) {
	if list.Pending == "" && len(list.Members) > 0 {
		k.watchStorage(s, inventory.Release{}, "")
		return
	}
	k.watchStorage(s, list.Release, st.root.Source)
	objects, phase, answered := k.e.hub.aside(s.root)
	found, _ := find.StoredRevision(objects, 0)
	switch {
	case phase == feed.Forbidden:
		list.Notes = append(list.Notes, "the release's Secrets may not be read")
	case found == nil && !answered:
		list.Pending = cmp.Or(list.Pending, "its release is being looked for")
	}
	if found == nil {
		return
	}
	revision, err := k.record(ctx, s, found)
	if err != nil {
		list.Notes = append(list.Notes, object.Clean("the release cannot be read: "+kube.ErrorText(err)))
		return
	}
	if label, _ := found.Label("status"); label != "" {
		revision.Status = label
	}
	// After Helm has finished, the controller still lists the older revision
	// for a while.
	listed, _ := strconv.Atoi(list.Revision)
	if len(list.Members) == 0 || revision.Pending() || revision.Version > listed {
		list.Members = append(revision.Active(), revision.Members...)
		list.Revision = strconv.Itoa(revision.Version)
	}
	if revision.Pending() {
		list.Pending = cmp.Or(list.Pending, "Helm: "+revision.Status)
	}
}
