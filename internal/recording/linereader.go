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
// describes the damage in one line.
type lineReader struct {
	r       *bufio.Reader
	quit    <-chan struct{} // closed to stop reading
	number  int
	total   int64
	checked int64 // total when the heap was last checked
	err     error
}

// errCut is the error of a file that ends in the middle of something.
var errCut = errors.New("the recording was cut off")

// checkEvery is how many bytes are read between two checks of the heap.
const checkEvery = 64 << 10

func newLineReader(r io.Reader, quit <-chan struct{}) (*lineReader, error) {
	plain := bufio.NewReader(r)
	compressed, err := isCompressed(plain)
	if err != nil || !compressed {
		return &lineReader{r: plain, quit: quit}, err
	}
	zip, err := gzip.NewReader(plain)
	if err != nil {
		return nil, errors.New("not a recording: its compression is broken")
	}
	return &lineReader{r: bufio.NewReaderSize(zip, 256<<10), quit: quit}, nil
}

// isCompressed inspects the first bytes. A file that begins neither with gzip
// nor with JSON is not a recording.
func isCompressed(r *bufio.Reader) (bool, error) {
	head, err := r.Peek(2)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
		return false, errEmpty
	case bytes.Equal(head, []byte{0x1f, 0x8b}):
		return true, nil
	case len(head) > 0 && head[0] == '{':
		return false, nil
	}
	return false, errors.New("not a recording: neither gzip nor JSON lines")
}

// fail ends the reading: the last line was invalid.
func (l *lineReader) fail(why error) {
	if l.err == nil {
		l.err = fmt.Errorf("the recording is damaged in line %d: %.200s", l.number, why)
	}
}

// next returns the next line; it is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	if l.err != nil {
		return nil, l.err
	}
	var out []byte
	for {
		part, err := l.r.ReadSlice('\n')
		l.total += int64(len(part))
		if l.err = l.enough(); l.err != nil {
			return nil, l.err
		}
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
			l.err = fmt.Errorf("%w in line %d", errCut, l.number+1)
		default:
			l.err = fmt.Errorf("the recording is damaged after line %d: %.100s", l.number, err)
		}
		return nil, l.err
	}
}

// enough returns why no more may be read, or nil.
func (l *lineReader) enough() error {
	select {
	case <-l.quit:
		return errClosed
	default:
	}
	if l.total-l.checked < checkEvery {
		return nil
	}
	l.checked = l.total
	return overMemory()
}
