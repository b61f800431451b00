package recording

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// A recording is a sequence of chapters, each a gzip member of its own (other
// readers see one gzip stream). The members' extra fields hold what makes
// opening and seeking fast, readable without decompression: a marker with the
// chapter's time, the offset of the previous chapter, and the marks made in
// that one. The newest marker is found from the end of the file, the others by
// following the offsets. So no index has to be written at the end, and the file
// of a killed writer opens as fast as any other.

// marker is the content of a chapter's extra field.
type marker struct {
	Chapter int         `json:"chapter"` // from 1
	At      time.Time   `json:"at,omitzero"`
	Before  int64       `json:"before,omitempty"` // offset of the previous chapter
	Marks   []feed.Mark `json:"marks,omitempty"`  // made in the previous chapter
	Details bool        `json:"aside,omitempty"`  // the previous chapter holds details or log lines
	End     bool        `json:"end,omitempty"`    // the recording was closed properly here
}

// place is a chapter's marker and offset.
type place struct {
	marker
	offset int64
}

const (
	// maxExtra is the capacity of an extra field, without names and lengths.
	maxExtra    = 65535 - 4
	maxChapters = 100_000
	// headLen is the length of a member's header before its marker: gzip's ten
	// bytes, the extra field's length, the subfield's name and length.
	headLen = 16
	// tailWindow is how much is read at a time in the search for the newest
	// marker.
	tailWindow = 256 << 10
	// tailMost bounds that search: no chapter is that long.
	tailMost = 256 << 20
)

// markerStart is the beginning of every marker's JSON; the search looks for it.
var markerStart = []byte(`{"chapter":`)

// extra encodes a marker. If not all marks fit, the newest are dropped.
func (m marker) extra() []byte {
	text, _ := encode(m) // a marker holds nothing that cannot be encoded
	for len(text) > maxExtra && len(m.Marks) > 0 {
		m.Marks = m.Marks[:len(m.Marks)*3/4]
		text, _ = encode(m)
	}
	out := binary.LittleEndian.AppendUint16([]byte("KT"), uint16(len(text)))
	return append(out, text...)
}

// markerAt reads the marker of the gzip member at an offset.
func markerAt(r io.ReaderAt, offset int64) (marker, bool) {
	var m marker
	head := make([]byte, headLen)
	if _, err := r.ReadAt(head, offset); err != nil || !isHead(head) {
		return m, false
	}
	text := make([]byte, binary.LittleEndian.Uint16(head[14:]))
	if n, err := r.ReadAt(text, offset+headLen); n < len(text) && err != nil {
		return m, false
	}
	if !bytes.HasPrefix(text, markerStart) || decode(text, &m) != nil {
		return m, false
	}
	if m.Chapter == 1 {
		return m, offset == 0
	}
	return m, m.Chapter > 1 && m.Before >= 0 && m.Before < offset
}

func isHead(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0x1f, 0x8b, 8, 4}) && b[12] == 'K' && b[13] == 'T'
}

// chaptersOf finds the chapters of a file. Damaged ones are omitted; without
// any, the whole file is one chapter.
func chaptersOf(r io.ReaderAt, size int64) []place {
	whole := []place{{}}
	at, m, ok := newest(r, size)
	if !ok {
		return whole
	}
	var out []place
	for {
		out = append(out, place{m, at})
		if at == 0 || len(out) > maxChapters {
			break
		}
		before, ok := markerAt(r, m.Before)
		if !ok || before.Chapter != m.Chapter-1 || before.At.After(m.At) {
			return whole
		}
		at, m = m.Before, before
	}
	slices.Reverse(out)
	if out[0].offset != 0 {
		return whole
	}
	return out
}

// newest finds the last marker of a file.
func newest(r io.ReaderAt, size int64) (offset int64, m marker, ok bool) {
	buf := make([]byte, tailWindow+headLen+len(markerStart))
	for end := size; end > 0 && end > size-tailMost; end -= tailWindow {
		begin := max(end-tailWindow, 0)
		// Windows overlap, because a marker may cross the boundary.
		n, err := r.ReadAt(buf[:min(int64(len(buf)), size-begin)], begin)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, m, false
		}
		for b := buf[:n]; ; {
			i := bytes.LastIndex(b, markerStart)
			if i < headLen {
				break
			}
			at := begin + int64(i) - headLen
			if m, ok := markerAt(r, at); ok {
				return at, m, true
			}
			b = b[:i]
		}
	}
	return 0, m, false
}

// lines reads lines from a chapter on.
func (f *file) lines(chapter int) (*lineReader, error) {
	offset := f.places[chapter].offset
	return newLineReader(io.NewSectionReader(f.r, offset, f.size-offset), f.quit)
}

// headerOf reads the first line.
func headerOf(lines *lineReader) (h Header, err error) {
	text, err := lines.next()
	if errors.Is(err, errClosed) {
		return h, err
	}
	if err != nil {
		return h, errors.New("not a recording: it has no first line")
	}
	if err := decode(text, &h); err != nil || !strings.HasPrefix(h.Schema, schemas) {
		return h, errors.New("not a recording: its first line does not say " + Schema)
	}
	if h.Schema != Schema {
		return h, fmt.Errorf(
			"it is a recording of another version: %.60s, written by %.60s, which plays it; this program plays %s",
			h.Schema, cmp.Or(h.Program, "another program"), Schema)
	}
	return h, nil
}

// begin begins a chapter's gzip member.
func (m marker) begin(zip *gzip.Writer, out io.Writer) {
	zip.Reset(out)
	zip.Extra = m.extra()
}
