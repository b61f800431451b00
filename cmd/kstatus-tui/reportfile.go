package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// finding is what has been found, as md, json or svg.
func finding(m model.Model, format string, look views.Look) ([]byte, error) {
	switch format {
	case "json":
		return report.FindingJSON(m, "kstatus-tui "+programVersion())
	case "svg":
		return views.Picture(m, look), nil
	}
	return report.Finding(m, "kstatus-tui "+programVersion()), nil
}

// writeReport writes the finding where --report asks for it, in the format that
// the file's name ends in.
func (f *lookFlags) writeReport(m model.Model) error {
	if f.report == "" {
		return nil
	}
	th, err := views.NewTheme("dark", true, false)
	if err != nil {
		return err
	}
	format, look := strings.TrimPrefix(strings.ToLower(filepath.Ext(f.report)), "."), views.Look{Theme: th}
	if format == "svg" && !m.Options().Screen {
		m = onScreen(m, look)
	}
	text, err := finding(m, format, look)
	if err != nil {
		return err
	}
	if err := writeFile(f.report, text); err != nil {
		return problemf("choose another file for --report", "cannot write the report: %w", err)
	}
	return nil
}

// writeFile writes a file, and does not wait for a disk or a reader that takes
// nothing.
func writeFile(name string, text []byte) error {
	out, err := spool.Create(name, 0o644)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return cmp.Or(out.Close(), err)
}

// onScreen is a model that nobody has looked at, on a screen that is as high as
// its rows need.
func onScreen(m model.Model, look views.Look) model.Model {
	const wide, head, least, most = 140, 8, 32, 120
	m, _ = m.Staged().Update(tea.WindowSizeMsg{Width: wide, Height: least})
	m, _ = m.Update(tea.WindowSizeMsg{Width: wide, Height: min(max(m.RowCount()+head, least), most)})
	m, _ = m.Update(views.Measure(m, look))
	return m
}

// saveText writes text into the working directory, beside what has that name
// already.
func saveText(name, text string) (string, error) {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-' // what a cluster calls something is no path
	}, name)
	ext := filepath.Ext(name)
	name = strings.TrimSuffix(name, ext)
	for i := 1; ; i++ {
		full := name + ext
		if i > 1 {
			full = fmt.Sprintf("%s-%d%s", name, i, ext)
		}
		where, err := writeNew(full, []byte(text))
		if !errors.Is(err, fs.ErrExist) || i == 1000 {
			return where, err
		}
	}
}

// writeNew writes a file that was not there. It is the user's alone: logs say
// more than anybody should read.
func writeNew(name string, text []byte) (string, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	if _, err := f.Write(text); err != nil {
		_ = f.Close()
		return "", err
	}
	return name, f.Close()
}
