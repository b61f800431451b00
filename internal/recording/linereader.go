package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// lineReader reads lines within bounds. Its error is io.EOF at a proper end, or
// says in a line how the file is damaged.
type lineReader struct {
	r      *bufio.Reader
	number int
	total  int64
	err    error
}

func newLineReader(r io.Reader) (*lineReader, error) {
	plain := bufio.NewReader(r)
	head, err := plain.Peek(2)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
		return nil, errEmpty
	case bytes.Equal(head, []byte{0x1f, 0x8b}):
		zip, err := gzip.NewReader(plain)
		if err != nil {
			return nil, errors.New("not a recording: its compression is broken")
		}
		return &lineReader{r: bufio.NewReaderSize(zip, 256<<10)}, nil
	case len(head) > 0 && head[0] == '{':
		return &lineReader{r: plain}, nil
	}
	return nil, errors.New("not a recording: neither gzip nor JSON lines")
}

// fail ends the reading: the line that was returned last is no good.
func (l *lineReader) fail(why error) {
	if l.err == nil {
		l.err = fmt.Errorf("the recording is damaged in line %d: %.200s", l.number, why)
	}
}

// next returns the next line; it is valid until the call after.
func (l *lineReader) next() ([]byte, error) {
	if l.err != nil {
		return nil, l.err
	}
	var out []byte
	for {
		part, err := l.r.ReadSlice('\n')
		l.total += int64(len(part))
		switch {
		case len(out)+len(part) > maxLine:
			l.err = fmt.Errorf("the recording is damaged: line %d is longer than %d MB", l.number+1, maxLine>>20)
		case l.total > maxTotal:
			l.err = fmt.Errorf("the recording is larger than %d GB", maxTotal>>30)
		case err == nil:
			l.number++
			if out == nil {
				return part, nil
			}
			return append(out, part...), nil
		case errors.Is(err, bufio.ErrBufferFull):
			out = append(out, part...)
			continue
		case errors.Is(err, io.EOF) && len(out)+len(part) == 0:
			l.err = io.EOF
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			l.err = fmt.Errorf("the recording was cut off in line %d", l.number+1)
		default:
			l.err = fmt.Errorf("the recording is damaged after line %d: %.100s", l.number, err)
		}
		return nil, l.err
	}
}
