package dump

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// sections passes on the objects in what it reads, without the margin of the file.
// Logs go elsewhere: kubectl cluster-info dump writes them between its lists, or
// alone into logs.txt. Lines that are no part of an object divide those before from
// those after.
type sections struct {
	in   *bufio.Reader
	form form
	log  func(key logKey, text []byte)
	rest []byte // of the line that is being passed on
	key  *logKey
	text tail
	line bool // the next bytes are the rest of a line, not its beginning
	skip bool // that line is no part of an object
}

var sectionMark = regexp.MustCompile(`^==== (START|END) logs for container (\S+) of pod ([^/\s]+)/(\S+) ====\s*$`)

func (s *sections) Read(b []byte) (int, error) {
	for len(s.rest) == 0 {
		line, err := s.in.ReadSlice('\n')
		if len(line) == 0 && err != nil {
			s.end()
			return 0, err
		}
		begins := !s.line
		s.line = err == bufio.ErrBufferFull
		if begins {
			line, s.skip = s.form.trim(line), false
		}
		if begins && bytes.HasPrefix(line, []byte("==== ")) {
			if m := sectionMark.FindSubmatch(line); m != nil {
				s.end()
				if string(m[1]) == "START" {
					s.key = &logKey{namespace: string(m[3]), pod: string(m[4]), container: string(m[2])}
				}
				continue
			}
		}
		if s.key != nil {
			s.text.Write(line)
			continue
		}
		if begins && isForeign(line, s.form.json) {
			s.skip = true
			if !s.form.json && !complaint.Match(line) { // which may be a field of the object, too
				s.rest = []byte("---\n")
			}
			continue
		}
		if s.skip {
			continue
		}
		s.rest = line
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *sections) end() {
	if s.key != nil {
		s.log(*s.key, s.text.Bytes())
	}
	s.key, s.text = nil, tail{}
}

// tail keeps the end of what is written to it.
type tail struct {
	b   []byte
	cut bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.b = append(t.b, b...)
	if len(t.b) > 2*maxLog {
		t.b = append(t.b[:0], t.b[len(t.b)-maxLog:]...)
		t.cut = true
	}
	return len(b), nil
}

// Bytes is the end, from the beginning of a line.
func (t *tail) Bytes() []byte {
	b := t.b
	if len(b) > maxLog {
		b, t.cut = b[len(b)-maxLog:], true
	}
	if t.cut {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	return bytes.Clone(b)
}

// readTail reads the end of a log.
func readTail(r io.Reader) ([]byte, error) {
	var t tail
	_, err := io.Copy(&t, r)
	return t.Bytes(), err
}
