package main

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// finding renders the model's finding as md, json, html or svg.
func finding(m *model.Model, format string, look views.Look) ([]byte, error) {
	switch format {
	case "json":
		return report.FindingJSON(m.Facts, "kstatus-tui "+programVersion())
	case "html":
		var page bytes.Buffer
		err := report.HTML(&page, m.Facts, "kstatus-tui "+programVersion())
		return page.Bytes(), err
	case "svg":
		return report.InertXML(views.Picture(views.Of(m), look)), nil
	}
	return report.Finding(m.Facts, "kstatus-tui "+programVersion()), nil
}

// reportFormats are the formats of --report, by the endings of file names.
var reportFormats = []string{"md", "json", "svg", "html"}

// reportFormat is the format of --report by the ending of its file's name.
func (o *followOptions) reportFormat() string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(o.report)), ".")
}

// checkReport refuses a file whose format is not known.
func (o *followOptions) checkReport() error {
	if o.report == "" || slices.Contains(reportFormats, o.reportFormat()) {
		return nil
	}
	return problem.New("give the file a name that ends in .md, .json, .svg or .html",
		"--report %s: its ending names no format of a report", o.report)
}

// writeReport writes the finding to the file of --report, in the format of the
// file's extension.
func (o *followOptions) writeReport(m *model.Model) error {
	if o.report == "" {
		return nil
	}
	th, err := views.NewTheme("dark", true, false)
	if err != nil {
		return err
	}
	format, look := o.reportFormat(), views.Look{Theme: th}
	if format == "svg" && !m.Options().Screen {
		m = onScreen(m)
	}
	text, err := finding(m, format, look)
	if err != nil {
		return err
	}
	out, err := spool.Create(o.report, 0o644) // a stuck disk or reader is not waited for
	if err == nil {
		_, err = out.Write(text)
		err = cmp.Or(out.Close(), err)
	}
	if err != nil {
		return problem.New("choose another file for --report", "cannot write the report: %w", err)
	}
	return nil
}

// onScreen returns the model on a screen that is high enough for all rows.
func onScreen(m *model.Model) *model.Model {
	const wide, head, least, most = 140, 8, 32, 120
	m, _ = m.Staged().Update(tea.WindowSizeMsg{Width: wide, Height: least})
	m, _ = m.Update(tea.WindowSizeMsg{Width: wide, Height: min(max(m.Tree.RowCount()+head, least), most)})
	return m
}

// saveText writes text to a new file in the working directory that only the user
// can read: logs may hold confidential text.
func saveText(name, text string) (string, error) {
	f, err := createNew(notInNames.ReplaceAllString(name, "-"))
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), cmp.Or(err, f.Close())
}
