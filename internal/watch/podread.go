package watch

import (
	"bytes"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Most pods of a first sync are plain: their spec has been read from another of
// their template, nobody deletes them, and nothing in them is out of place. They
// are read from protobuf without a detour. Whatever is not plain is left to
// decodeProto, which is the one that knows what to make of it; for the rest
// [TestARememberedSpecIsThatOfThePod] holds that both read the same.

// common is what the pods of one spec mostly share beside it.
type common struct {
	labels, annotations []object.Label
	owners              []object.Owner
}

// fields walks over the fields of a message. What comes twice, or not together
// where it may, is bad, and so is whatever Kubernetes would not write.
type fields struct {
	b     []byte
	lists uint64 // the fields below 64 that may be repeated
	num   protowire.Number
	typ   protowire.Type
	data  []byte
	v     uint64
	seen  uint64
	bad   bool
}

func (f *fields) next() bool {
	b := f.b
	if len(b) == 0 || f.bad {
		return false
	}
	tag, n := uint64(b[0]), 1
	if tag >= 0x80 {
		tag, n = varint(b)
	}
	num := protowire.Number(tag >> 3)
	if n <= 0 || tag>>3 == 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
		f.bad = true
		return false
	}
	b = b[n:]
	if bit := uint64(1) << num; num < 64 {
		if f.seen&bit != 0 && (f.lists&bit == 0 || num != f.num) {
			f.bad = true
			return false
		}
		f.seen |= bit
	}
	f.num, f.typ = num, protowire.Type(tag&7)
	if len(b) == 0 {
		f.bad = true
		return false
	}
	v, n := uint64(b[0]), 1
	if v >= 0x80 {
		if v, n = varint(b); n <= 0 {
			f.bad = true
			return false
		}
	}
	b = b[n:]
	switch f.typ {
	case protowire.BytesType:
		if v > uint64(len(b)) {
			f.bad = true
			return false
		}
		f.data, f.b = b[:v], b[v:]
	case protowire.VarintType:
		f.v, f.b = v, b
	default:
		f.bad = true // Kubernetes writes no others here
		return false
	}
	return true
}

// varint reads one of more than one byte.
func varint(b []byte) (uint64, int) {
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	}
	return protowire.ConsumeVarint(b)
}

// is reports whether the field has the type that the schema says.
func (f *fields) is(typ protowire.Type) bool {
	f.bad = f.bad || f.typ != typ
	return !f.bad
}

func (f *fields) word() string {
	if !f.is(protowire.BytesType) {
		return ""
	}
	return object.Intern(f.data)
}

func (f *fields) text() string {
	if !f.is(protowire.BytesType) || len(f.data) == 0 {
		return ""
	}
	return object.Clean(string(f.data))
}

func (f *fields) boolean() bool { return f.is(protowire.VarintType) && f.v != 0 }

func (f *fields) number() int64 {
	if !f.is(protowire.VarintType) {
		return 0
	}
	return int64(f.v)
}

// integer is one that is left out where it is zero.
func (f *fields) integer() object.Int {
	if n := f.number(); n != 0 {
		return object.IntOf(n)
	}
	return object.Int{}
}

func (f *fields) small() int32 {
	n := f.number()
	f.bad = f.bad || n != int64(int32(n))
	return int32(n)
}

// lastSecond is that of the year 9999, the last one that JSON can say.
const lastSecond = 253402300799

func (f *fields) when() time.Time {
	if !f.is(protowire.BytesType) || len(f.data) == 0 {
		return time.Time{}
	}
	var seconds int64
	t := fields{b: f.data}
	for t.next() {
		if t.num == 1 {
			seconds = t.number()
		}
	}
	f.bad = f.bad || t.bad || seconds < 0 || seconds > lastSecond
	return time.Unix(seconds, 0).UTC()
}

// sub walks over a message in the field.
func (f *fields) sub() fields {
	f.is(protowire.BytesType)
	return fields{b: f.data, bad: f.bad}
}

// plainPod reads a pod whose spec is known. It returns nil where that is to be
// left to decodeProto.
func plainPod(parts *podParts, res resource, spec *status.PodSpec, known *common) *object.Object {
	r := plainReader{o: &object.Object{ID: object.ID{Group: res.Group, Kind: res.Kind}, Version: res.Version}, known: known}
	r.o.Pod = spec.Pod(object.Intern(parts.node))
	if !r.metadata(fields{b: parts.metadata}) || !r.status(fields{b: parts.status}) {
		return nil
	}
	if g := r.o.Generation; g.Set && r.o.Observed.Set && r.o.Observed.V < g.V {
		return nil // then it matters who wrote what
	}
	return r.o
}

type plainReader struct {
	o     *object.Object
	known *common
}

func (r *plainReader) touched(t time.Time) {
	if t.After(r.o.Changed) {
		r.o.Changed = t
	}
}

func (r *plainReader) metadata(f fields) bool {
	o := r.o
	var fewLabels, fewAnnotations [16]object.Label
	var fewOwners [2]object.Owner
	labels, annotations, owners := fewLabels[:0], fewAnnotations[:0], fewOwners[:0]
	f.lists = 1<<11 | 1<<12 | 1<<13 | 1<<17
	for f.next() {
		switch f.num {
		case 1:
			o.Name = f.text()
		case 3:
			o.Namespace = f.word()
		case 5:
			o.UID = f.text()
		case 6:
			o.ResourceVersion = f.text()
		case 7:
			o.Generation = f.integer()
		case 8:
			o.Created = f.when()
			r.touched(o.Created)
		case 9, 10, 14: // it is being deleted, or somebody holds on to it
			return false
		case 11:
			k, v, ok := plainEntry(f.sub())
			if !ok {
				return false
			}
			labels = append(labels, object.Label{Key: object.Intern(k), Value: object.Intern(v)})
		case 12:
			k, v, ok := plainEntry(f.sub())
			switch {
			case !ok:
				return false
			case !status.KeepAnnotation(o.Group, o.Kind, string(k), len(v)):
				if len(v) > 64<<10 {
					return false
				}
				continue
			case bytes.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }):
				return false // its length is counted as it stands in JSON
			}
			annotations = append(annotations, object.Label{Key: object.Intern(k), Value: object.Clean(string(v))})
		case 13:
			w, ok := plainOwner(f.sub())
			if !ok {
				return false
			}
			owners = append(owners, w)
		case 17:
			m := f.sub()
			for m.next() {
				if m.num == 4 {
					at := m.when()
					r.touched(at)
					if at.After(o.Written) {
						o.Written = at
					}
				}
			}
			f.bad = f.bad || m.bad
		}
	}
	if f.bad || len(labels) > 64 || len(annotations) > 64 || len(owners) > 16 {
		return false
	}
	o.Labels = keep(object.SortLabels(labels), &r.known.labels)
	o.Annotations = keep(object.SortLabels(annotations), &r.known.annotations)
	o.Owners = keep(owners, &r.known.owners)
	return true
}

// keep is the list as others have it already, or a copy for them to have.
func keep[T comparable](list []T, known *[]T) []T {
	if len(list) == 0 {
		return nil
	}
	if !slices.Equal(list, *known) {
		*known = append(make([]T, 0, len(list)), list...)
	}
	return *known
}

// plainEntry reads an entry of a map.
func plainEntry(f fields) (k, v []byte, ok bool) {
	for f.next() {
		switch {
		case f.num == 1 && f.is(protowire.BytesType):
			k = f.data
		case f.num == 2 && f.is(protowire.BytesType):
			v = f.data
		}
	}
	return k, v, !f.bad
}

func plainOwner(f fields) (w object.Owner, ok bool) {
	for f.next() {
		switch f.num {
		case 1:
			w.Kind = f.word()
		case 3:
			w.Name = f.word()
		case 4:
			w.UID = f.word()
		case 5:
			if group, _, ok := bytes.Cut(f.data, []byte("/")); f.is(protowire.BytesType) && ok {
				w.Group = object.Intern(group)
			}
		case 6:
			w.Controller = f.boolean()
		}
	}
	return w, !f.bad
}

func (r *plainReader) status(f fields) bool {
	o, p := r.o, r.o.Pod
	var few [8]object.Condition
	conditions := few[:0]
	var qos string
	f.lists = ^uint64(1<<1 | 1<<3 | 1<<4 | 1<<7 | 1<<9 | 1<<11 | 1<<17)
	last, place := protowire.Number(0), int32(0)
	for f.next() {
		if f.num != last {
			last, place = f.num, 0
		}
		place++
		switch f.num {
		case 1:
			p.Phase = f.word()
		case 2:
			c, ok := plainCondition(f.sub())
			if !ok {
				return false
			}
			conditions = append(conditions, c)
			r.touched(c.LastTransitionTime)
		case 3:
			p.Message = f.text()
		case 4:
			p.Reason = f.word()
		case 7:
			p.Started = f.when()
		case 8:
			f.bad = !plainContainer(p, object.MainContainer, place, f.sub())
		case 9:
			qos = f.word()
		case 10:
			f.bad = !plainContainer(p, object.InitContainer, place, f.sub())
		case 11:
			p.Nominated = f.word()
		case 13:
			f.bad = !plainContainer(p, object.EphemeralContainer, place, f.sub())
		case 17:
			o.Observed = f.integer()
		}
	}
	// A status without a phase may be none at all.
	if f.bad || p.Phase == "" || qos != p.QOS || len(conditions) > 64 {
		return false
	}
	if len(conditions) > 0 {
		o.Conditions = append(make([]object.Condition, 0, len(conditions)), conditions...)
	}
	return true
}

func plainCondition(f fields) (c object.Condition, ok bool) {
	var says object.Statement
	for f.next() {
		switch f.num {
		case 1:
			says.Type = f.word()
		case 2:
			says.Status = f.word()
		case 4:
			if c.LastTransitionTime = f.when(); c.LastTransitionTime.Unix() == 0 {
				return c, false
			}
		case 5:
			says.Reason = f.word()
		case 6:
			says.Message = f.text()
		case 7:
			says.ObservedGeneration = f.integer()
		}
	}
	c.Statement = says.Shared()
	return c, !f.bad
}

// plainContainer joins a container's status with its spec.
func plainContainer(p *object.Pod, kind object.ContainerKind, place int32, f fields) bool {
	s := object.Container{Place: place}
	var name []byte
	f.lists = ^uint64(1<<10 - 1)
	for f.next() {
		switch f.num {
		case 1:
			if f.is(protowire.BytesType) {
				name = f.data
			}
		case 2:
			s.State = plainState(&f)
		case 3:
			if last := plainState(&f); last != (object.ContainerState{}) {
				s.Prior = new(last)
			}
		case 4:
			s.Ready = f.boolean()
		case 5:
			s.Restarts = f.number()
		case 9:
			s.Started = f.boolean()
		}
	}
	if f.bad {
		return false
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		sort := c.Kind
		if sort == object.SidecarContainer {
			sort = object.InitContainer
		}
		if c.Name == string(name) && sort == kind && c.Place == 0 {
			s.ContainerSpec = c.ContainerSpec
			*c = s
			return c.Image != ""
		}
	}
	return false
}

func plainState(f *fields) (s object.ContainerState) {
	outer := f.sub()
	for outer.next() {
		inner := outer.sub()
		outer.bad = outer.bad || s.Kind != "" // it is but one of them
		switch outer.num {
		case 1:
			s.Kind = "waiting"
			for inner.next() {
				switch inner.num {
				case 1:
					s.Reason = inner.word()
				case 2:
					s.Message = inner.text()
				}
			}
		case 2:
			s.Kind = "running"
			for inner.next() {
				if inner.num == 1 {
					s.Started = inner.when()
				}
			}
		case 3:
			s.Kind = "terminated"
			for inner.next() {
				switch inner.num {
				case 1:
					s.ExitCode = inner.small()
				case 2:
					s.Signal = inner.small()
				case 3:
					s.Reason = inner.word()
				case 4:
					s.Message = inner.text()
				case 5:
					s.Started = inner.when()
				case 6:
					s.Finished = inner.when()
				}
			}
		}
		outer.bad = outer.bad || inner.bad
	}
	f.bad = f.bad || outer.bad
	return s
}
