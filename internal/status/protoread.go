package status

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Protobuf is read by the functions that read JSON: the walk below hands them
// the fields of the schema under the names that JSON has for them. So there is
// one set of rules about what is read, cleaned and kept, and most of an object
// (managed fields, environment values, volume mounts) is passed over without
// having been looked at.

var errProtobuf = errors.New("this is not the protobuf of a Kubernetes object")

// DecodeProto is [DecodeJSON] for the protobuf message of an object, without its
// envelope, of the kind that opts name; with partial it is the message of a
// PartialObjectMetadata. Only kinds with a view can be read, and none whole. What
// the generated code of Kubernetes writes reads as its JSON does.
func DecodeProto(data []byte, partial bool, opts DecodeOptions) (*object.Object, error) {
	m := protoMessages[opts.Kind]
	switch {
	case partial:
		m = protoMessages["Partial"]
	case opts.PodSpec.Filled():
		m = protoMessages["Pod of a known spec"]
	}
	if m == nil || opts.Whole {
		return nil, fmt.Errorf("no protobuf of %s is known", opts.Kind)
	}
	o := &object.Object{ID: object.ID{Group: opts.Group, Kind: opts.Kind}, Version: opts.Version}
	path := protoPaths.Get().(*[]step)
	d := decoder{reader: reader{o: o, path: (*path)[:0], proto: true}, opts: opts}
	d.val = value{field: m.itself, data: data}
	o.MetadataOnly = MetadataKind(o.Group, o.Kind)
	d.prepare()
	o, err := d.run()
	clear(*path) // the keys are data's
	protoPaths.Put(path)
	return o, err
}

var protoPaths = sync.Pool{New: func() any { return new(make([]step, 12)) }}

// value is where the walk over a message stands: at a field of it, at an entry
// of a list, or at all of a list or a map.
type value struct {
	field *protoField
	data  []byte
	num   uint64
	// Of all of a list or a map: the message that it is in, and what follows its
	// first entry there.
	in   *protoMessage
	rest []byte
}

// cursor walks over the fields of a message as they come.
type cursor struct {
	b    []byte // what follows
	num  uint64 // the field that it stands at: its number,
	wire uint64 // how it is written,
	data []byte // and its bytes
	v    uint64 // or its number
	bad  bool   // the message is broken
}

const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// next goes on to the next field of which mask has the bit. There is none at the
// end, and where the message is broken.
func (c *cursor) next(mask uint64) bool {
	b := c.b
	for len(b) > 0 {
		tag, n := uint64(b[0]), 1
		if tag >= 0x80 {
			tag, n = binary.Uvarint(b)
		}
		if n <= 0 || tag < 8 || tag >= 1<<32 {
			break
		}
		b = b[n:]
		var v, size uint64
		switch tag & 7 {
		case wireBytes:
			if size, n = takeVarint(b); n <= 0 || size > uint64(len(b)-n) {
				c.bad = true
				return false
			}
			b = b[n:]
		case wireVarint:
			if v, n = takeVarint(b); n <= 0 {
				c.bad = true
				return false
			}
			b = b[n:]
		case wireFixed64:
			size = 8
		case wireFixed32:
			size = 4
		default: // groups: Kubernetes has none
			c.bad = true
			return false
		}
		if size > uint64(len(b)) {
			break
		}
		if num := tag >> 3; num < 64 && mask&(1<<num) != 0 {
			c.num, c.wire, c.v, c.data, c.b = num, tag&7, v, nil, b[size:]
			if tag&7 == wireBytes {
				c.data = b[:size:size]
			}
			return true
		}
		b = b[size:]
	}
	c.bad = c.bad || len(b) > 0
	return false
}

func takeVarint(b []byte) (uint64, int) {
	switch {
	case len(b) > 0 && b[0] < 0x80:
		return uint64(b[0]), 1
	case len(b) > 1 && b[1] < 0x80:
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	}
	return binary.Uvarint(b)
}

func (r *reader) broken() {
	if r.err == nil {
		r.err = errProtobuf
	}
}

// message calls f with the name of every field of a message that is read, or
// with every key of a map. f may leave the value alone.
func (r *reader) message(f func(key []byte)) bool {
	at, n := r.val, len(r.path)
	switch {
	case at.in == nil && at.field.typ == 'M':
		r.members(at.data, at.field.sub, f)
	case at.in != nil && !at.field.list:
		r.entries(at, f)
	default:
		r.wrong("an object")
		return false
	}
	r.path = r.path[:n]
	return r.err == nil
}

func (r *reader) members(b []byte, m *protoMessage, f func(key []byte)) {
	n := len(r.path)
	for _, mask := range m.reads[:m.passes] {
		open := uint64(0) // the list or map that f has had, while its entries follow
		c := cursor{b: b}
		for c.next(mask) {
			if c.num == open {
				continue
			}
			open = 0
			fd := &m.fields[c.num]
			if !fd.there(&c) {
				continue
			}
			if fd.typ == '.' {
				if r.members(c.data, fd.sub, f); r.err != nil {
					return
				}
				continue
			}
			if fd.many {
				open = c.num
				r.val = value{field: fd, data: c.data, num: c.v, in: m, rest: c.b}
			} else {
				r.val = value{field: fd, data: c.data, num: c.v}
			}
			r.path = append(r.path[:n], step{key: fd.key})
			if f(fd.key); r.err != nil {
				return
			}
		}
		if c.bad {
			r.broken()
		}
	}
}

// there reports whether JSON would have the field, too.
func (f *protoField) there(c *cursor) bool {
	switch f.typ {
	case 'M', '.', 'm', 'Q':
		return c.wire == wireBytes
	case 's':
		return f.list || len(c.data) > 0
	case 't': // an empty one is the zero time
		return len(c.data) > 0
	case 'i', 'b':
		return c.v != 0
	case 'r':
		c.data = protoString(c.data)
		return len(c.data) > 1 && c.data[0] == '{'
	}
	return true
}

var protoWord = &protoField{typ: 's'}

// entries calls f with the keys of a map.
func (r *reader) entries(at value, f func(key []byte)) {
	n := len(r.path)
	for {
		key, v := protoEntry(at.data)
		if at.field.typ == 'Q' { // Quantity: string = 1
			v = protoString(v)
		}
		r.val = value{field: protoWord, data: v}
		r.path = append(r.path[:n], step{key: key})
		if f(key); r.err != nil || !r.nextEntry(&at) {
			return
		}
	}
}

// elements calls f with the index of every entry of a list.
func (r *reader) elements(f func(i int)) bool {
	at, n := r.val, len(r.path)
	if at.in == nil || !at.field.list {
		r.wrong("a list")
		return false
	}
	for i := 0; ; i++ {
		r.val = value{field: at.field, data: at.data, num: at.num}
		r.path = append(r.path[:n], step{idx: i})
		if f(i); r.err != nil || !r.nextEntry(&at) {
			break
		}
	}
	r.path = r.path[:n]
	return r.err == nil
}

// nextEntry goes on to the next entry of a list or a map. They follow one
// another, as Kubernetes writes them.
func (r *reader) nextEntry(at *value) bool {
	c := cursor{b: at.rest}
	for c.next(at.in.reads[at.field.pass]) && &at.in.fields[c.num] == at.field {
		if at.field.there(&c) {
			at.data, at.num, at.rest = c.data, c.v, c.b
			return true
		}
	}
	if c.bad {
		r.broken()
	}
	return false
}

// count is how many entries the list has that comes next; 0 where that is not
// known without having read it.
func (r *reader) count() (n int) {
	if at := r.val; r.proto && at.in != nil {
		for n = 1; r.nextEntry(&at); n++ {
		}
	}
	return n
}

// initial is the character that the value would begin with in JSON.
func (r *reader) initial() byte {
	f := r.val.field
	if r.val.in != nil && f.list {
		return '['
	}
	switch f.typ {
	case 'i', 'I':
		return '0'
	case 'b', 'B':
		return 'f'
	case 'M', 'm', 'Q', 'r':
		return '{'
	case 'q':
		if text, _ := protoIntOrString(r.val.data); text == nil {
			return '0'
		}
	}
	return '"'
}

// protoEntry reads an entry of a map.
func protoEntry(b []byte) (k, v []byte) {
	k = noKey
	for c := (cursor{b: b}); c.next(1<<1 | 1<<2); {
		if c.num == 1 {
			k = c.data
		} else {
			v = c.data
		}
	}
	return k, v
}

var noKey = []byte{} // nil marks an index in a path

// protoString takes field 1 out of a message.
func protoString(b []byte) (s []byte) {
	for c := (cursor{b: b}); c.next(1 << 1); {
		s = c.data
	}
	return s
}

// protoTime reads a Time. Of its fractions JSON knows nothing, either.
func (r *reader) protoTime() time.Time {
	const first, last = -62167219200, 253402300799 // the years 0 and 9999 are what JSON can say
	var seconds int64
	for c := (cursor{b: r.val.data}); c.next(1 << 1); {
		seconds = int64(c.v)
	}
	if seconds < first || seconds > last {
		r.flaw("is not a time")
		seconds = 0
	}
	t := time.Unix(seconds, 0).UTC()
	if t.IsZero() {
		t = time.Unix(0, 0).UTC()
	}
	return t
}

// protoIntOrString reads an IntOrString: text that is not nil, or a number.
func protoIntOrString(b []byte) (text []byte, number int64) {
	isText := false
	for c := (cursor{b: b}); c.next(1<<1 | 1<<2 | 1<<3); {
		switch c.num {
		case 1:
			isText = c.v == 1
		case 2:
			number = int64(int32(c.v))
		case 3:
			text = c.data
		}
	}
	switch {
	case !isText:
		text = nil
	case text == nil:
		text = noKey
	}
	return text, number
}

func (r *reader) protoNumberOrWord() string {
	var digits [20]byte
	switch r.val.field.typ {
	case 'q':
		text, number := protoIntOrString(r.val.data)
		if text == nil {
			text = strconv.AppendInt(digits[:0], number, 10)
		}
		return object.Intern(text)
	case 'i', 'I':
		return object.Intern(strconv.AppendInt(digits[:0], int64(r.val.num), 10))
	}
	return r.word()
}

// quotedLength is the length of a string in JSON, or something near it where it
// is far from any limit.
func quotedLength(b []byte) int {
	n := len(b) + 2
	if n > object.MaxText && n < maxAnnotation/6 {
		return n
	}
	for _, c := range b {
		switch {
		case c == '"' || c == '\\' || c == '\n':
			n++
		case c < 0x20:
			n += 5
		}
	}
	return n
}

// sumProtoSpec adds all of a spec but its replicas to [object.Object.SpecSum].
func (d *decoder) sumProtoSpec(at value) {
	fields := at.field.sub.fields
	for c := (cursor{b: at.data}); ; {
		b := c.b
		if !c.next(^uint64(0)) {
			return
		}
		if c.num >= uint64(len(fields)) || string(fields[c.num].key) != "replicas" {
			d.o.SpecSum = crc32.Update(d.o.SpecSum, SpecSums, b[:len(b)-len(c.b)])
		}
	}
}
