package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
	ends := os.IsPathSeparator(path[len(path)-1])
	if !ends && (err != nil || !info.IsDir()) {
		return recording.Create(path, h)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	f, err := createNew(filepath.Join(path, fileName(h)))
	if err != nil {
		return nil, err
	}
	return recording.NewWriter(spool.On(f), h), nil
}

// createNew creates a file for the user alone; where there is one of that name,
// -2 and so on follow it.
func createNew(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	stem, _, _ := strings.Cut(base, ".")
	for n := 2; ; n++ {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) || n == 1000 {
			return f, err
		}
		name = fmt.Sprintf("%s%s-%d%s", dir, stem, n, base[len(stem):])
	}
}

// notInNames are the characters that no file's name gets from a cluster: it must
// not form a path.
var notInNames = regexp.MustCompile(`[^\w.]+`)

// fileName names a recording by its time and its sources.
func fileName(h recording.Header) string {
	name := h.Started.UTC().Format("20060102T150405Z")
	if title := notInNames.ReplaceAllString(h.Title, "-"); title != "" && !h.Redacted {
		name += "-" + strings.Trim(title[:min(len(title), 40)], "-.")
	}
	return name + ".rec.gz"
}
