package watch

import (
	"encoding/binary"
	"hash/maphash"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// specsKept is how many specs of pods a source remembers.
const specsKept = 512

// podSpecs remembers the specs of the pods of one source, which came from a few
// templates: a spec that was read before is told by a hash of its bytes and not
// read again. Three quarters of a pod's bytes are its spec.
//
// The hash is over what the decoder reads (and over all of a probe, an
// environment or a volume, which is more than it reads), so that two pods with
// one hash have nothing in their specs that would be read differently. It is
// seeded anew in every process: nobody can write two pods that share one.
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
func (p *podSpecs) decode(b []byte, res resource, opts status.DecodeOptions) (*status.Object, error) {
	if res.Kind != "Pod" || res.Group != "" || res.Enc == encMeta || opts.Whole {
		return decodeProto(b, res, opts)
	}
	key, ok := specKey(b)
	if !ok {
		return decodeProto(b, res, opts)
	}
	p.mu.Lock()
	if known := p.of[key]; known != nil {
		o := plainPod(b, res, known.spec, &known.common)
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
		p.of[key] = &knownSpec{spec: opts.PodSpec}
		p.mu.Unlock()
	}
	return o, err
}

// The field numbers that a pod's spec is told by (k8s.io/api v0.37.2,
// core/v1/generated.proto).
const (
	podSpecField        = 2
	volumesField        = 1
	containersField     = 2
	nodeNameField       = 10
	initContainersField = 20
	volumeNameField     = 1
	volumeSourceField   = 2
	ephemeralField      = 29
)

// specKey hashes the spec of a pod. ok is false where it says something of the
// pod alone: a claim named after it, or, before it has a node, its place.
func specKey(b []byte) (key uint64, ok bool) {
	var h maphash.Hash
	h.SetSeed(specSeed)
	container := protoMessages["Container"].fields
	err := eachField(b, func(num protowire.Number, data []byte, _ uint64) error {
		if num != podSpecField {
			return nil
		}
		fields := protoMessages["PodSpec"].fields
		return eachField(data, func(num protowire.Number, data []byte, v uint64) error {
			if int(num) >= len(fields) || fields[num].typ == 0 {
				return nil
			}
			switch num {
			case nodeNameField:
				ok = len(data) > 0
				return nil
			case volumesField:
				return eachField(data, func(num protowire.Number, data []byte, v uint64) error {
					switch num {
					case volumeNameField: // "kube-api-access-x7k2p"
						return nil
					case volumeSourceField:
						if err := eachField(data, func(num protowire.Number, _ []byte, _ uint64) error {
							if num == ephemeralField {
								return errNoProto
							}
							return nil
						}); err != nil {
							return err
						}
					}
					hashField(&h, num, data, v)
					return nil
				})
			case containersField, initContainersField:
				hashField(&h, num, nil, 0)
				return eachField(data, func(num protowire.Number, data []byte, v uint64) error {
					if int(num) < len(container) && container[num].typ != 0 { // no mounts: they name the volume
						hashField(&h, num, data, v)
					}
					return nil
				})
			}
			hashField(&h, num, data, v)
			return nil
		})
	})
	return h.Sum64(), ok && err == nil
}

func hashField(h *maphash.Hash, num protowire.Number, data []byte, v uint64) {
	var n [24]byte
	binary.LittleEndian.PutUint64(n[:], uint64(num))
	binary.LittleEndian.PutUint64(n[8:], v)
	binary.LittleEndian.PutUint64(n[16:], uint64(len(data)))
	_, _ = h.Write(n[:])
	_, _ = h.Write(data)
}
