package recording

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// One reader serves whole values and changes. It reads onto what dst holds:
// null makes a zero of it, a struct keeps the fields that are not named, an
// object in a list's place names elements by their index. Onto a zero value
// that is reading the whole. What dst shares with others (everything behind a
// pointer, the elements of a list) is replaced, never written to. Keys that the
// shape does not have are passed over: a later version of the same schema may
// have added them.

// readLine reads a line into what into points at.
func readLine(text []byte, into any) error { return new(parser).line(text, into) }

// line reads a line into what into points at.
func (p *parser) line(text []byte, into any) error {
	p.b, p.i, p.depth, p.made = text, 0, 0, 0
	v := reflect.ValueOf(into).Elem()
	if err := readerOf(v.Type())(p, v); err != nil {
		return err
	}
	return p.end()
}

// reader reads the next value onto dst, which can be set.
type reader func(p *parser, dst reflect.Value) error

var readers sync.Map // reflect.Type → reader

func readerOf(t reflect.Type) reader {
	if r, ok := readers.Load(t); ok {
		return r.(reader)
	}
	read := newReader(t)
	r := reader(func(p *parser, dst reflect.Value) error {
		if p.peek() == 'n' {
			dst.SetZero()
			if err := p.word("null"); err != nil || t.Kind() != reflect.Struct {
				return err
			}
			f := shapeOf(t).begin(dst)
			return f.end(p)
		}
		return read(p, dst)
	})
	readers.Store(t, r)
	return r
}

func newReader(t reflect.Type) reader {
	general, fast := generalReader(t), quickReader(t)
	if fast == nil {
		return general
	}
	return func(p *parser, dst reflect.Value) error {
		if p.general {
			return general(p, dst)
		}
		return fast(p, dst)
	}
}

func generalReader(t reflect.Type) reader {
	switch t {
	case timeType:
		return readTime
	case intType:
		return readInt
	case labelType:
		return readLabel
	case durationType:
		return readDuration
	case treeType:
		return readTree
	case rawType:
		return readRaw
	case objectsType:
		return readObjects
	case changesType:
		return readChanges
	}
	switch t.Kind() {
	case reflect.Bool:
		return readBool
	case reflect.String:
		return func(p *parser, dst reflect.Value) error {
			s, err := p.str()
			dst.SetString(s)
			return err
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return readNumber(func(dst reflect.Value, n int64) bool {
			dst.SetInt(n)
			return dst.Int() == n
		})
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return readNumber(func(dst reflect.Value, n int64) bool {
			dst.SetUint(uint64(n))
			return n >= 0 && dst.Uint() == uint64(n)
		})
	case reflect.Pointer:
		elem := readerOf(t.Elem())
		return func(p *parser, dst reflect.Value) error {
			if err := p.make(int(t.Elem().Size())); err != nil {
				return err
			}
			v := reflect.New(t.Elem())
			if !dst.IsNil() {
				v.Elem().Set(dst.Elem())
			}
			dst.Set(v)
			return elem(p, v.Elem())
		}
	case reflect.Slice:
		return listReader(t)
	case reflect.Struct:
		return shapeOf(t).read
	}
	panic("recording: cannot read a " + t.String())
}

func readTime(p *parser, dst reflect.Value) error {
	b, err := p.text()
	if err != nil {
		return err
	}
	t, err := p.moment(b)
	if err != nil {
		return err
	}
	*dst.Addr().Interface().(*time.Time) = t
	return nil
}

// readNumber reads an integer; set reports whether it has found room.
func readNumber(set func(dst reflect.Value, n int64) bool) reader {
	return func(p *parser, dst reflect.Value) error {
		n, err := p.integer()
		if err == nil && !set(dst, n) {
			err = fmt.Errorf("%d is out of range", n)
		}
		return err
	}
}

// moment reads a time. The same often comes again at once.
func (p *parser) moment(b []byte) (time.Time, error) {
	if len(b) > 0 && string(b) == string(p.lastText[:p.lastLen]) {
		return p.lastTime, nil
	}
	var t time.Time
	if err := t.UnmarshalText(b); err != nil {
		return t, fmt.Errorf("%.40q is not a time", b)
	}
	t = t.UTC()
	if len(b) <= len(p.lastText) {
		p.lastLen, p.lastTime = copy(p.lastText[:], b), t
	}
	return t, nil
}

func readInt(p *parser, dst reflect.Value) error {
	n, err := p.integer()
	if err == nil {
		*dst.Addr().Interface().(*object.Int) = object.IntOf(n)
	}
	return err
}

var errPair = errors.New("a pair has two parts")

func readLabel(p *parser, dst reflect.Value) error {
	if p.peek() != '[' {
		return p.mismatch("a pair")
	}
	n := 0
	err := p.elements(func(i int) error {
		if n++; i > 1 {
			return p.mismatch("the end of a pair")
		}
		s, err := p.str()
		dst.Field(i).SetString(s)
		return err
	})
	if err == nil && n != 2 {
		return errPair
	}
	return err
}

func readDuration(p *parser, dst reflect.Value) error {
	b, err := p.text()
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%.40q is not a duration", b)
	}
	dst.SetInt(int64(d))
	return nil
}

func readTree(p *parser, dst reflect.Value) error {
	if p.peek() != '{' {
		return p.mismatch("an object")
	}
	t, err := p.tree()
	if err == nil {
		dst.Set(reflect.ValueOf(t))
	}
	return err
}

func readRaw(p *parser, dst reflect.Value) error {
	p.space()
	begin := p.i
	if err := p.skip(); err != nil {
		return err
	}
	dst.SetBytes(p.b[begin:p.i])
	return nil
}

func readBool(p *parser, dst reflect.Value) error {
	switch p.peek() {
	case 't':
		dst.SetBool(true)
		return p.word("true")
	case 'f':
		dst.SetBool(false)
		return p.word("false")
	}
	return p.mismatch("true or false")
}

// shape is how a struct is read.
type shape struct {
	members []member
	byName  map[string]int
	shared  []int // the fields that are embedded pointers: many structs point at one
}

type member struct {
	name  string
	outer int // the index of the field, or of the embedded struct
	inner int // the index in that, -1 where it is no embedded one
	// shared is which of the shape's embedded pointers it stands behind, -1 for none.
	shared int
	read   reader
}

var shapes sync.Map // reflect.Type → *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{byName: map[string]int{}}
	add := func(m member) {
		s.byName[m.name] = len(s.members)
		s.members = append(s.members, m)
	}
	for _, f := range fieldsOf(t) {
		if !f.inline {
			add(member{f.name, f.index, -1, -1, readerOf(t.Field(f.index).Type)})
			continue
		}
		embedded, shared := t.Field(f.index).Type, -1
		if embedded.Kind() == reflect.Pointer {
			embedded, shared = embedded.Elem(), len(s.shared)
			s.shared = append(s.shared, f.index)
		}
		for _, g := range fieldsOf(embedded) {
			add(member{g.name, f.index, g.index, shared, readerOf(embedded.Field(g.index).Type)})
		}
	}
	shapes.Store(t, s)
	return s
}

func (s *shape) read(p *parser, dst reflect.Value) error {
	if p.peek() != '{' {
		return p.mismatch("an object")
	}
	if err := p.open(); err != nil {
		return err
	}
	f := s.begin(dst)
	for first := true; ; first = false {
		key, more, err := p.field(first)
		if err == nil && !more {
			err = f.end(p)
		}
		if !more || err != nil {
			return err
		}
		if err := f.member(p, key); err != nil {
			return err
		}
	}
}

// filling is a struct that is being read.
type filling struct {
	*shape
	dst   reflect.Value
	at    int    // keys mostly come in the order of the fields: the next is likely this
	owned uint64 // the embedded pointers, by number, that are dst's own already
}

func (s *shape) begin(dst reflect.Value) filling { return filling{shape: s, dst: dst} }

// own gives dst what an embedded pointer points at as its own.
func (f *filling) own(p *parser, i int) error {
	if f.owned&(1<<i) != 0 {
		return nil
	}
	f.owned |= 1 << i
	v := f.dst.Field(f.shared[i])
	if err := p.make(int(v.Type().Elem().Size())); err != nil {
		return err
	}
	fresh := reflect.New(v.Type().Elem())
	if !v.IsNil() {
		fresh.Elem().Set(v.Elem())
	}
	v.Set(fresh)
	return nil
}

// end sees to it that every embedded pointer points at something.
func (f *filling) end(p *parser) error {
	for i, field := range f.shared {
		if f.dst.Field(field).IsNil() {
			if err := f.own(p, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// member reads the value of one key.
func (f *filling) member(p *parser, key []byte) error {
	i := f.at
	for i < len(f.members) && f.members[i].name != string(key) {
		i++
	}
	if i == len(f.members) {
		there := false
		if i, there = f.byName[string(key)]; !there {
			return p.skip()
		}
	}
	f.at = i + 1
	m := &f.members[i]
	v := f.dst.Field(m.outer)
	if m.shared >= 0 {
		if err := f.own(p, m.shared); err != nil {
			return err
		}
		v = v.Elem()
	}
	if m.inner >= 0 {
		v = v.Field(m.inner)
	}
	if err := m.read(p, v); err != nil {
		return within(key, err)
	}
	return nil
}

// within says in which field something is wrong.
func within(key []byte, err error) error { return fmt.Errorf("%.40s: %w", key, err) }

// listReader reads a list, or, onto one, an object of the elements that are
// different. The elements of some lists are written as what is different from
// the one before.
func listReader(t reflect.Type) reader {
	elem := readerOf(t.Elem())
	zero, size := reflect.Zero(t.Elem()), int(t.Elem().Size())
	linked, structs := chained[t], t.Elem().Kind() == reflect.Struct
	pointers := t.Elem().Kind() == reflect.Pointer
	return func(p *parser, dst reflect.Value) error {
		if structs && p.peek() == '{' && dst.Len() > 0 {
			if err := p.make(dst.Len() * size); err != nil {
				return err
			}
			list := reflect.MakeSlice(t, dst.Len(), dst.Len())
			reflect.Copy(list, dst)
			dst.Set(list)
			return p.fields(func(key []byte) error {
				i, err := strconv.Atoi(string(key))
				if err != nil || i < 0 || i >= list.Len() {
					return fmt.Errorf("there is no element %.20s", key)
				}
				return elem(p, list.Index(i))
			})
		}
		if p.peek() != '[' {
			return p.mismatch("a list")
		}
		n, whole := p.guess()
		if linked && !whole {
			n = max(n, partObjects)
		}
		list := reflect.MakeSlice(t, 0, n)
		err := p.elements(func(i int) error {
			if pointers && p.peek() == 'n' {
				return p.mismatch("an object")
			}
			if err := p.make(size); err != nil {
				return err
			}
			if linked && i > 0 {
				list = reflect.Append(list, list.Index(i-1))
			} else {
				list = reflect.Append(list, zero)
			}
			return elem(p, list.Index(i))
		})
		dst.Set(list)
		return err
	}
}

// guess is how many elements the list that begins here is likely to have, and
// whether it was seen to its end: it keeps short lists, which are most, from
// growing twice.
func (p *parser) guess() (n int, whole bool) {
	depth := 0
	n = 1
	for _, c := range p.b[p.i:min(len(p.b), p.i+2000)] {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return n, true
			}
		case ',':
			if depth == 1 {
				n++
			}
		}
	}
	return n, false
}

// Objects and their changes are read without the detour of a general list:
// they are most of a file.

// objectSize is about how many bytes of memory an object needs: itself, and what
// the model makes of it.
var objectSize = int(reflect.TypeFor[object.Object]().Size()) + 1<<10

// readObjects reads a list of objects, each as what is different from the one
// of its kind before it; one that does not name its kind is of that of the one
// before.
func readObjects(p *parser, dst reflect.Value) error {
	var last *object.Object // in the list
	var byKind map[kind]*object.Object
	var out []*object.Object
	shape := shapeOf(reflect.TypeFor[object.Object]())
	err := p.elements(func(int) error {
		var o object.Object
		if err := p.make(objectSize); err != nil {
			return err
		}
		if p.peek() != '{' {
			return p.mismatch("an object")
		}
		if err := p.open(); err != nil {
			return err
		}
		k, begun := kind{}, false
		fill := shape.begin(reflect.ValueOf(&o).Elem())
		if last != nil {
			k = kind{last.Group, last.Kind}
		}
		named := false
		begin := func() {
			if begun {
				return
			}
			begun = true
			if named && last != nil {
				if byKind == nil {
					byKind = map[kind]*object.Object{}
				}
				byKind[kind{last.Group, last.Kind}] = last
				last = byKind[k]
			}
			if last != nil {
				o = *last
			}
			o.Group, o.Kind = k.group, k.kind
		}
		for first := true; ; first = false {
			key, more, err := p.field(first)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			if !begun && (string(key) == "group" || string(key) == "kind") {
				if !named {
					k, named = kind{}, true
				}
				s, err := p.str()
				if err != nil {
					return within(key, err)
				}
				if string(key) == "group" {
					k.group = s
				} else {
					k.kind = s
				}
				continue
			}
			begin()
			if err := p.objectMember(&fill, &o, key); err != nil {
				return err
			}
		}
		begin()
		last = &o
		out = append(out, last)
		return nil
	})
	dst.Set(reflect.ValueOf(out))
	return err
}

// readChanges reads what has become of objects that are known. What an entry
// does not say of their identity is that of the one before.
func readChanges(p *parser, dst reflect.Value) error {
	if p.known == nil {
		return p.skip()
	}
	var out []change // without a before where it is not known
	var id object.ID
	shape := shapeOf(reflect.TypeFor[object.Object]())
	err := p.elements(func(int) error {
		if err := p.make(objectSize); err != nil {
			return err
		}
		if p.peek() != '{' {
			return p.mismatch("an object")
		}
		if err := p.open(); err != nil {
			return err
		}
		var c change
		var fill filling
		begin := func() {
			if c.now != nil {
				return
			}
			if c.before = p.known(id); c.before != nil {
				c.now = new(*c.before)
			} else {
				c.now = &object.Object{ID: id}
			}
			fill = shape.begin(reflect.ValueOf(c.now).Elem())
		}
		for first := true; ; first = false {
			key, more, err := p.field(first)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			if c.now == nil {
				if part := partOf(&id, key); part != nil {
					if *part = ""; p.null() {
						continue
					}
					if *part, err = p.str(); err != nil {
						return within(key, err)
					}
					continue
				}
			}
			begin()
			if err := p.objectMember(&fill, c.now, key); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
		}
		begin()
		c.now.ID = id
		out = append(out, c)
		return nil
	})
	dst.Set(reflect.ValueOf(out))
	return err
}

// objectMember reads the value of one key of an object, which fill fills.
func (p *parser) objectMember(fill *filling, o *object.Object, key []byte) error {
	if !p.general {
		if known, err := objectMember(p, o, key); err != nil {
			return within(key, err)
		} else if known {
			return nil
		}
	}
	return fill.member(p, key)
}

// partOf is the part of an identity that a key names, nil for another key.
func partOf(id *object.ID, key []byte) *string {
	switch string(key) {
	case "group":
		return &id.Group
	case "kind":
		return &id.Kind
	case "namespace":
		return &id.Namespace
	case "name":
		return &id.Name
	}
	return nil
}
