package dump

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// objectReader reads the text of the objects in a file. It removes the indentation that all lines
// have (form.margin). It takes out the logs of containers and gives them to log: kubectl
// cluster-info dump writes them between its lists, or into logs.txt. It leaves out lines that
// belong to no object, such as a shell prompt (isForeign). In YAML it writes --- instead, so that
// the objects before and after it stay two documents.
type objectReader struct {
	in       *bufio.Reader
	form     form
	log      func(key logKey, text []byte)
	rest     []byte  // what is left of the current line
	current  *logKey // the log that is being read; nil outside of logs
	logEnd   tail    // its end so far
	midLine  bool    // the next bytes continue a line
	skipping bool    // that line belongs to no object
}

var sectionMark = regexp.MustCompile(`^==== (START|END) logs for container (\S+) of pod ([^/\s]+)/(\S+) ====\s*$`)

func (s *objectReader) Read(b []byte) (int, error) {
	for len(s.rest) == 0 {
		line, err := s.in.ReadSlice('\n')
		if len(line) == 0 && err != nil {
			s.end()
			return 0, err
		}
		begins := !s.midLine
		s.midLine = err == bufio.ErrBufferFull
		if begins {
			line, s.skipping = s.form.trim(line), false
		}
		if begins && bytes.HasPrefix(line, []byte("==== ")) {
			if m := sectionMark.FindSubmatch(line); m != nil {
				s.end()
				if string(m[1]) == "START" {
					s.current = &logKey{namespace: string(m[3]), pod: string(m[4]), container: string(m[2])}
				}
				continue
			}
		}
		if s.current != nil {
			s.logEnd.Write(line)
			continue
		}
		if begins && isForeign(line, s.form.json) {
			s.skipping = true
			if !s.form.json && !complaint.Match(line) { // "Error: …" may also be a field: the object continues
				s.rest = []byte("---\n")
			}
			continue
		}
		if s.skipping {
			continue
		}
		s.rest = line
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// end hands over the log that was being read, if any.
func (s *objectReader) end() {
	if s.current != nil {
		s.log(*s.current, s.logEnd.Bytes())
	}
	s.current, s.logEnd = nil, tail{}
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

// Bytes returns the last maxLog bytes. If the text was cut, it starts at the next line.
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
