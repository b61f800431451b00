//go:build !nocluster

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
)

// recorder begins the recording that the command line or the configuration asks
// for; nil where neither does. What the command line asks for and cannot be had
// is an error. What the configuration asks for goes for every run: there a line
// says what is wrong, and the run goes on.
func (f *followFlags) recorder(stderr io.Writer, tell func(feed.Notice), h recording.Header) (*recording.Writer, error) {
	if f.recordSet == nil {
		return nil, nil // a command that records nothing
	}
	path, origin := f.record, ""
	if !f.recordSet() {
		c, err := readConfiguration()
		if err != nil {
			return nil, err
		}
		path, origin = c.record.value, c.origin(c.record)
	}
	if path == "" {
		return nil, nil
	}
	w, err := record(path, h)
	switch {
	case err == nil:
		return w, nil
	case origin == "":
		return nil, problemf("choose another file for --record", "cannot record: %w", err)
	}
	text := fmt.Sprintf("this run is not recorded: %v (recordTo of %s)", err, origin)
	fmt.Fprintln(stderr, "kstatus-tui:", report.Inert(text))
	tell(feed.Notice{At: h.Started, Level: "warning", From: "recording", Text: text})
	return nil, nil
}

// recordsAnyway reports whether the configuration asks for a recording.
func (f *followFlags) recordsAnyway() bool {
	c, err := readConfiguration()
	return err == nil && c.record.value != "" && f.recordSet != nil && !f.recordSet()
}

// record begins a recording in a file; in a folder, in a file of its own there,
// named by the time and by what is followed. A path that ends with a slash is a
// folder, which is made where there is none.
func record(path string, h recording.Header) (*recording.Writer, error) {
	info, err := os.Stat(path)
	ends := strings.HasSuffix(path, "/") || os.IsPathSeparator(path[len(path)-1])
	if !ends && (err != nil || !info.IsDir()) {
		return recording.Create(path, h)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		name := filepath.Join(path, fileName(h, n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue // another run of the same second
		}
		if err != nil {
			return nil, err
		}
		return recording.NewWriter(spool.On(f), h), nil
	}
}

// fileName is the name of the nth recording of a second.
func fileName(h recording.Header, n int) string {
	name := h.Started.UTC().Format("20060102T150405Z")
	if words := strings.FieldsFunc(h.Title, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}); len(words) > 0 && !h.Redacted {
		title := strings.Join(words, "-")
		name += "-" + strings.TrimRight(title[:min(len(title), 40)], "-")
	}
	if n > 1 {
		name += fmt.Sprint("-", n)
	}
	return name + ".rec.gz"
}
