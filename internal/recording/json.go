package recording

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A parser reads JSON straight into the shapes of package status (read.go): a
// jump in a large recording reads ten thousand objects while somebody waits. It
// refuses what is not JSON, and cleans every string of what could move a cursor.
// It may be used for one line after the other.
type parser struct {
	b     []byte
	i     int
	depth int
	// known finds an object that was read before; nil where changes are passed
	// over.
	known func(object.ID) *object.Object
	// made is about how many bytes of memory the present line has become: a few
	// bytes of text may stand for an object.
	made int
	// texts are short strings read lately, by a hash: reasons, nodes and the like
	// come again and again.
	texts []string
	// The time that was read last, and how it was written.
	lastText [40]byte
	lastLen  int
	lastTime time.Time
	// general leaves everything to reflection, for the test that compares.
	general bool
}

// maxDepth bounds how deep values nest; nothing of Kubernetes comes near.
const maxDepth = 200

var (
	errEnds   = errors.New("it ends in the middle of a value")
	errDepth  = errors.New("it nests too deep")
	errSyntax = errors.New("it is not JSON")
	errDense  = fmt.Errorf("it stands for more than %d MB", maxMade>>20)
)

// make notes that so many bytes of memory are needed.
func (p *parser) make(bytes int) error {
	if p.made += bytes; p.made > maxMade {
		return errDense
	}
	return nil
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// peek is the next byte that is not space, or 0 at the end.
func (p *parser) peek() byte {
	if p.i < len(p.b) && p.b[p.i] > ' ' {
		return p.b[p.i]
	}
	p.space()
	if p.i >= len(p.b) {
		return 0
	}
	return p.b[p.i]
}

func (p *parser) end() error {
	if p.peek() != 0 {
		return errSyntax
	}
	return nil
}

func (p *parser) word(w string) error {
	if len(p.b)-p.i < len(w) {
		return errEnds
	}
	if string(p.b[p.i:p.i+len(w)]) != w {
		return errSyntax
	}
	p.i += len(w)
	return nil
}

// open takes an opening bracket; more reports whether an element follows, and
// takes the comma or the closing bracket.
func (p *parser) open() error {
	p.i++
	if p.depth++; p.depth > maxDepth {
		return errDepth
	}
	return nil
}

func (p *parser) more(first bool, closing byte) (bool, error) {
	switch c := p.peek(); {
	case c == 0:
		return false, errEnds
	case c == closing:
		p.i++
		p.depth--
		return false, nil
	case first:
		return true, nil
	case c == ',':
		p.i++
		return true, nil
	}
	return false, errSyntax
}

// field takes the next key of an object and its colon, or the closing brace.
func (p *parser) field(first bool) (key []byte, more bool, err error) {
	if more, err := p.more(first, '}'); !more {
		return nil, false, err
	}
	if key, err = p.text(); err != nil {
		return nil, false, err
	}
	if p.peek() != ':' {
		return nil, false, errSyntax
	}
	p.i++
	return key, true, nil
}

// fields calls f with each key of an object; f reads the value.
func (p *parser) fields(f func(key []byte) error) error {
	if p.peek() != '{' {
		return p.mismatch("an object")
	}
	if err := p.open(); err != nil {
		return err
	}
	for first := true; ; first = false {
		key, more, err := p.field(first)
		if !more {
			return err
		}
		if err := f(key); err != nil {
			return err
		}
	}
}

// elements calls f for each element of a list; f reads it.
func (p *parser) elements(f func(i int) error) error {
	if p.peek() != '[' {
		return p.mismatch("a list")
	}
	if err := p.open(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if more, err := p.more(i == 0, ']'); !more {
			return err
		}
		if err := f(i); err != nil {
			return err
		}
	}
}

// text is the next string, not cleaned. It is valid until the line is gone.
func (p *parser) text() ([]byte, error) {
	b, _, err := p.quoted()
	return b, err
}

// quoted is text, and whether there is nothing to clean: all is printable ASCII.
func (p *parser) quoted() (text []byte, plain bool, err error) {
	switch p.peek() {
	case '"':
	case 0:
		return nil, false, errEnds
	default:
		return nil, false, p.mismatch("a string")
	}
	begin := p.i + 1
	i := begin
	for plain = true; ; i++ {
		for i+8 <= len(p.b) { // eight at once
			n := special(binary.LittleEndian.Uint64(p.b[i:]))
			if i += n; n < 8 {
				break
			}
		}
		if i >= len(p.b) {
			return nil, false, errEnds
		}
		switch c := p.b[i]; {
		case c == '"':
			p.i = i + 1
			return p.b[begin:i], plain, nil
		case c == '\\':
			text, err = p.escaped(begin)
			return text, false, err
		case c < 0x20:
			return nil, false, errSyntax
		case c > 0x7e:
			plain = false
		}
	}
}

// special is how many of eight bytes come before the first that is a quote, a
// backslash or no printable ASCII.
func special(v uint64) int {
	const ones = 0x0101010101010101
	quote, back := v^'"'*ones, v^'\\'*ones
	// A bit may be wrong only above one that is right.
	found := (v | (v - 0x20*ones) | (v + ones) | (quote-ones)&^quote | (back-ones)&^back) & (0x80 * ones)
	return bits.TrailingZeros64(found) / 8
}

// escaped is a string with escapes in it.
func (p *parser) escaped(begin int) ([]byte, error) {
	for i := begin; i < len(p.b); i++ {
		switch p.b[i] {
		case '\\':
			i++
		case '"':
			p.i = i + 1
			var s string
			if json.Unmarshal(p.b[begin-1:i+1], &s) != nil {
				return nil, errSyntax
			}
			return []byte(s), nil
		}
	}
	return nil, errEnds
}

// str is the next string, clean.
func (p *parser) str() (string, error) {
	b, plain, err := p.quoted()
	if err != nil {
		return "", err
	}
	return p.cleaned(b, plain), nil
}

// shared is the longest string that is looked for among those read lately.
const shared = 32

func (p *parser) cleaned(b []byte, plain bool) string {
	if len(b) == 0 {
		return ""
	}
	if !plain {
		return clean(string(b))
	}
	if len(b) > shared {
		p.made += len(b)
		return string(b)
	}
	if p.texts == nil {
		p.texts = make([]string, 512)
	}
	n := len(b)
	h := uint(n)*31 + uint(b[0])
	h = h*31 + uint(b[n/2])
	h = h*31 + uint(b[n-1])
	if n > 2 {
		h = h*31 + uint(b[n-2])*7 + uint(b[n-3])
	}
	slot := &p.texts[h%uint(len(p.texts))]
	if *slot != string(b) {
		p.made += len(b)
		*slot = string(b)
	}
	return *slot
}

func (p *parser) number() ([]byte, error) {
	p.space()
	begin := p.i
	for p.i < len(p.b) {
		if c := p.b[p.i]; c-'0' > 9 && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		p.i++
	}
	if p.i == begin {
		if p.i >= len(p.b) {
			return nil, errEnds
		}
		return nil, p.mismatch("a number")
	}
	return p.b[begin:p.i], nil
}

func (p *parser) integer() (int64, error) {
	at := p.i
	text, err := p.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		p.i = at
		return 0, p.mismatch("an integer")
	}
	return n, nil
}

// mismatch says what stands where something else was expected.
func (p *parser) mismatch(want string) error {
	p.space()
	if p.i >= len(p.b) {
		return errEnds
	}
	got := p.b[p.i:min(len(p.b), p.i+40)]
	if i := bytes.IndexAny(got, ",]}"); i > 0 {
		got = got[:i]
	}
	return fmt.Errorf("%s is not %s", strings.Join(strings.Fields(clean(strings.ToValidUTF8(string(got), ""))), " "), want)
}

func (p *parser) null() bool {
	return p.peek() == 'n' && p.word("null") == nil
}

// skip passes over the next value.
func (p *parser) skip() error {
	switch p.peek() {
	case 0:
		return errEnds
	case '{':
		return p.fields(func([]byte) error { return p.skip() })
	case '[':
		return p.elements(func(int) error { return p.skip() })
	case '"':
		_, err := p.text()
		return err
	case 't':
		return p.word("true")
	case 'f':
		return p.word("false")
	case 'n':
		return p.word("null")
	}
	_, err := p.number()
	return err
}

// treeEntry is about how many bytes an entry of a map or a list of anything
// needs, and treeMap a map beside its entries.
const (
	treeEntry = 64
	treeMap   = 320
)

// tree reads any value, as Object.Tree has it: an integer stays one.
func (p *parser) tree() (any, error) {
	switch p.peek() {
	case 0:
		return nil, errEnds
	case '{':
		if err := p.make(treeMap); err != nil {
			return nil, err
		}
		m := map[string]any{}
		err := p.fields(func(key []byte) error {
			k := p.cleaned(key, !slices.ContainsFunc(key, func(c byte) bool { return c < 0x20 || c > 0x7e }))
			if err := p.make(treeEntry); err != nil {
				return err
			}
			v, err := p.tree()
			m[k] = v
			return err
		})
		return m, err
	case '[':
		list := []any{}
		err := p.elements(func(int) error {
			if err := p.make(treeEntry); err != nil {
				return err
			}
			v, err := p.tree()
			list = append(list, v)
			return err
		})
		return list, err
	case '"':
		return p.str()
	case 't':
		return true, p.word("true")
	case 'f':
		return false, p.word("false")
	case 'n':
		return nil, p.word("null")
	}
	text, err := p.number()
	if err != nil {
		return nil, err
	}
	if !bytes.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return i, nil
		}
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return nil, fmt.Errorf("%.40s is not a number", text)
	}
	return f, nil
}
