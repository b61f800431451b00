package refs

import "github.com/kstatus-tui/kstatus-tui/internal/feed"

// Join adds the references that have changed to a batch of the hub, and holds back that
// its Wants are answered until their references have been read.
func (k *Keeper) Join(b *feed.Batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) > 0 {
		k.compare(b)
	}
	for _, e := range k.changed {
		e.changed = false
		k.handOver(e, b)
		if e.readers == 0 && e.object == nil {
			delete(k.kept, e.id)
		}
	}
	k.changed = nil
	b.Sources = append(b.Sources, k.states...)
	k.states = nil
	all := true
	for _, r := range k.readers {
		all = all && r.known
	}
	if all {
		k.completeGen = b.Answered
	}
	b.Answered = k.completeGen
}

// compare notes what the hub hands over of what is kept, and takes over what it lets go of.
func (k *Keeper) compare(b *feed.Batch) {
	for i := range b.Gone {
		g := &b.Gone[i]
		e := k.kept[g.ID]
		if e == nil {
			continue
		}
		if e.uid == g.UID {
			e.handedOver = nothing
		}
		if _, followed := k.Followed(g.ID); !followed {
			g.Dropped = g.Dropped || e.object != nil && e.object.UID == g.UID // it is still there, as far as is known
			k.mark(e)
		}
	}
	for i, o := range b.Objects {
		e := k.kept[o.ID]
		if e == nil {
			continue
		}
		if e.handedOver == theObject && e.uid != o.UID {
			b.Gone = append(b.Gone, feed.Gone{ID: e.id, UID: e.uid})
		}
		b.Objects[i] = withType(o, e.object)
		e.object, e.from, e.absent, e.handedOver = b.Objects[i], nil, false, nothing
	}
}

// handOver adds an entry to a batch.
func (k *Keeper) handOver(e *entry, b *feed.Batch) {
	if o, followed := k.Followed(e.id); followed {
		if typed := withType(o, e.object); typed != o {
			e.object = typed
			b.Objects = append(b.Objects, typed)
		}
		return
	}
	if e.handedOver == theObject && (e.object == nil || e.object.UID != e.uid) {
		b.Gone = append(b.Gone, feed.Gone{ID: e.id, UID: e.uid, Dropped: e.dropped})
		e.handedOver = nothing
	}
	switch {
	case e.object != nil:
		o := new(*e.object)
		o.LookedUp = true
		b.Objects = append(b.Objects, o)
		e.handedOver, e.uid = theObject, o.UID
	case e.absent && e.handedOver != itsAbsence:
		b.Absent = append(b.Absent, e.id)
		e.handedOver = itsAbsence
	}
}
