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
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// finding renders the model's finding as md, json or svg.
func finding(m model.Model, format string, look views.Look) ([]byte, error) {
	switch format {
	case "json":
		return report.FindingJSON(m, "kstatus-tui "+programVersion())
	case "svg":
		return views.Picture(m, look), nil
	}
	return report.Finding(m, "kstatus-tui "+programVersion()), nil
}

// writeReport writes the finding to the file of --report, in the format of the
// file's extension.
func (o *lookOptions) writeReport(m model.Model) error {
	if o.report == "" {
		return nil
	}
	th, err := views.NewTheme("dark", true, false)
	if err != nil {
		return err
	}
	format, look := strings.TrimPrefix(strings.ToLower(filepath.Ext(o.report)), "."), views.Look{Theme: th}
	if format == "svg" && !m.Options().Screen {
		m = onScreen(m, look)
	}
	text, err := finding(m, format, look)
	if err != nil {
		return err
	}
	if err := writeFile(o.report, text); err != nil {
		return problem.New("choose another file for --report", "cannot write the report: %w", err)
	}
	return nil
}

// writeFile writes a file without waiting for a disk or reader that is stuck.
func writeFile(name string, text []byte) error {
	out, err := spool.Create(name, 0o644)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return cmp.Or(out.Close(), err)
}

// onScreen returns the model on a screen that is high enough for all rows.
func onScreen(m model.Model, look views.Look) model.Model {
	const wide, head, least, most = 140, 8, 32, 120
	m, _ = m.Staged(look.Fit).Update(tea.WindowSizeMsg{Width: wide, Height: least})
	m, _ = m.Update(tea.WindowSizeMsg{Width: wide, Height: min(max(m.RowCount()+head, least), most)})
	return m
}

// saveText writes text to a new file in the working directory; an existing file
// is kept.
func saveText(name, text string) (string, error) {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-' // names from the cluster must not form a path
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

// writeNew writes a new file that only the user can read: logs may hold
// confidential text.
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
