package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
)

// recorder begins the recording that the command line or the configuration asks
// for; it is nil if neither does. A recording that fails is an error if the
// command line asked for it. The configuration applies to every run: there the
// failure is one line of warning, and the run goes on.
func (o *followOptions) recorder(tell func(feed.Notice), h recording.Header) (*recording.Writer, error) {
	if o.record == "" {
		return nil, nil
	}
	w, err := record(o.record, h)
	switch {
	case err == nil:
		return w, nil
	case o.recordedBy == "":
		return nil, problem.New("choose another file for --record", "cannot record: %w", err)
	}
	text := fmt.Sprintf("this run is not recorded: %v (recordTo of %s)", err, o.recordedBy)
	fmt.Fprintln(o.ErrOut, "kstatus-tui:", report.Inert(text))
	tell(feed.Notice{At: h.Started, Level: "warning", From: "recording", Text: text})
	return nil, nil
}

// record begins a recording in a file. In a folder it creates a file named by
// the time and the sources. A path that ends with a slash is a folder, created
// if necessary.
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
			continue // another run in the same second has that name
		}
		if err != nil {
			return nil, err
		}
		return recording.NewWriter(spool.On(f), h), nil
	}
}

// fileName is the name of the nth recording of the same second.
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
