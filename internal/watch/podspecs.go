package watch

import (
	"hash/maphash"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// specsKept is how many specs of pods a source remembers.
const specsKept = 512

// podSpecs remembers the specs of the pods of one source, which came from a few
// templates: a spec that was read before is told by a hash of its bytes and not
// read again. Three quarters of a pod's bytes are its spec.
//
// The hash is over all of it but what the API server and the controllers write
// into each pod anew, of which nothing is read: so two pods with one hash have
// nothing in their specs that would be read differently. It is seeded anew in
// every process: nobody can write two pods that share one.
type podSpecs struct {
	mu sync.Mutex
	of map[uint64]*knownSpec
}

type knownSpec struct {
	spec   *status.PodSpec
	common common // guarded by the lock
}

var specSeed = maphash.MakeSeed()

// decode is decodeProto for any kind; the specs of pods are looked up.
func (p *podSpecs) decode(b []byte, res resource, opts status.DecodeOptions) (*object.Object, error) {
	if res.Kind != "Pod" || res.Group != "" || res.Enc == encMeta || opts.Whole {
		return decodeProto(b, res, opts)
	}
	parts, ok := partsOfPod(b)
	if !ok {
		return decodeProto(b, res, opts)
	}
	p.mu.Lock()
	if known := p.of[parts.spec]; known != nil {
		o := plainPod(&parts, res, known.spec, &known.common)
		p.mu.Unlock()
		if o != nil {
			return o, nil
		}
		opts.PodSpec = known.spec
		return decodeProto(b, res, opts)
	}
	p.mu.Unlock()
	opts.PodSpec = new(status.PodSpec)
	o, err := decodeProto(b, res, opts)
	if opts.PodSpec.Filled() {
		p.mu.Lock()
		if p.of == nil || len(p.of) >= specsKept {
			p.of = map[uint64]*knownSpec{}
		}
		p.of[parts.spec] = &knownSpec{spec: opts.PodSpec}
		p.mu.Unlock()
	}
	return o, err
}

// The field numbers that a pod's spec is told by (k8s.io/api v0.37.2,
// core/v1/generated.proto).
const (
	metadataField       = 1
	podSpecField        = 2
	podStatusField      = 3
	volumesField        = 1
	containersField     = 2
	nodeNameField       = 10
	hostnameField       = 16
	affinityField       = 18 // a DaemonSet's names the node; it is read of pods without a node
	initContainersField = 20
	volumeNameField     = 1 // "kube-api-access-x7k2p"
	volumeSourceField   = 2
	ephemeralField      = 29
	volumeMountsField   = 9 // they name the volume
)

// podParts is a pod taken apart.
type podParts struct {
	metadata, status, node []byte
	spec                   uint64 // the hash of its spec
}

// partsOfPod takes a pod apart. ok is false where its spec says something of the
// pod alone: a claim named after it, or, before it has a node, its place.
func partsOfPod(b []byte) (p podParts, ok bool) {
	var h specHash
	h.SetSeed(specSeed)
	f := fields{b: b}
	for f.next() {
		if !f.is(protowire.BytesType) {
			break
		}
		switch f.num {
		case metadataField:
			p.metadata = f.data
		case podSpecField:
			h.spec(f.data)
		case podStatusField:
			p.status = f.data
		}
	}
	p.node, p.spec = h.node, h.Sum64()
	return p, len(p.node) > 0 && !h.bad && !f.bad
}

// specHash hashes the fields of messages in runs. What is left out is written as
// nothing, and a message within as runs of its own; each ends with a zero, which
// is no field's beginning.
type specHash struct {
	maphash.Hash
	node []byte // where the pod is
	bad  bool
}

// hashing is the walk over one message.
type hashing struct {
	fields
	all       []byte
	start, at int // the run
}

func hashingOf(b []byte) hashing { return hashing{fields: fields{b: b, lists: ^uint64(0)}, all: b} }

// other goes on to the next field of which mask has the bit and leaves it out.
func (h *specHash) other(w *hashing, mask uint64) bool {
	for w.next() {
		end := len(w.all) - len(w.b)
		if w.num < 64 && mask&(1<<w.num) != 0 {
			_, _ = h.Write(w.all[w.start:w.at])
			w.start, w.at = end, end
			return true
		}
		w.at = end
	}
	_, _ = h.Write(w.all[w.start:])
	_ = h.WriteByte(0)
	h.bad = h.bad || w.bad
	return false
}

func (h *specHash) spec(b []byte) {
	const mask = 1<<volumesField | 1<<containersField | 1<<initContainersField | 1<<nodeNameField | 1<<hostnameField | 1<<affinityField
	for w := hashingOf(b); h.other(&w, mask); {
		switch w.num {
		case nodeNameField:
			h.bad = h.bad || h.node != nil || !w.is(protowire.BytesType)
			h.node = w.data
		case volumesField:
			_ = h.WriteByte(volumesField)
			h.volume(w.data)
		case containersField, initContainersField:
			_ = h.WriteByte(byte(w.num))
			for c := hashingOf(w.data); h.other(&c, 1<<volumeMountsField); {
				continue
			}
		}
	}
}

func (h *specHash) volume(b []byte) {
	for w := hashingOf(b); h.other(&w, 1<<volumeNameField|1<<volumeSourceField); {
		if w.num == volumeSourceField {
			for source := hashingOf(w.data); h.other(&source, 1<<ephemeralField); {
				h.bad = true
			}
		}
	}
}
