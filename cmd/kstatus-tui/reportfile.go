package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// finding is what has been found, as md, json or svg.
func finding(m model.Model, format string, look views.Look) ([]byte, error) {
	switch format {
	case "json":
		var b bytes.Buffer
		err := report.JSON(&b, m)
		return b.Bytes(), err
	case "svg":
		return views.Picture(m, look), nil
	}
	return report.Finding(m, "kstatus-tui "+programVersion()), nil
}

// writeReport writes the finding where --report asks for it, in the format that
// the file's name ends in.
func (f *followFlags) writeReport(m model.Model) error {
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
	if err := os.WriteFile(f.report, text, 0o644); err != nil {
		return problemf("choose another file for --report", "cannot write the report: %w", err)
	}
	return nil
}

// onScreen is a model that nobody has looked at, on a screen that is as high as
// its rows need.
func onScreen(m model.Model, look views.Look) model.Model {
	const wide, head, least, most = 140, 8, 32, 120
	m, _ = m.Staged().Update(model.Resized{W: wide, H: least})
	m, _ = m.Update(model.Resized{W: wide, H: min(max(m.RowCount()+head, least), most)})
	m, _ = m.Update(views.Measure(m, look))
	return m
}

// saveReport writes the finding into the working directory. The model is read
// at once, the file written later.
func saveReport(m model.Model, format string, look views.Look) func() (string, error) {
	if format == "" {
		format = "md"
	}
	text, err := finding(m, format, look)
	name := fmt.Sprintf("kstatus-tui-%s.%s", m.Now().Local().Format("20060102-150405"), format)
	return func() (string, error) {
		if err != nil {
			return "", err
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return "", err
		}
		if _, err := f.Write(text); err != nil {
			_ = f.Close()
			return "", err
		}
		return name, f.Close()
	}
}
