package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The types of JUnit's XML, as in the Jenkins schema (junit-10.xsd): the part
// that every consumer reads.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string `xml:"name,attr"`
		Tests     int    `xml:"tests,attr"`
		Failures  int    `xml:"failures,attr"`
		Errors    int    `xml:"errors,attr"`
		Skipped   int    `xml:"skipped,attr"`
		Time      string `xml:"time,attr"`
		Timestamp string `xml:"timestamp,attr"`
		// Required by the strictest schemas in use, even if empty.
		Hostname   string      `xml:"hostname,attr"`
		ID         int         `xml:"id,attr"`
		Package    string      `xml:"package,attr"`
		Properties struct{}    `xml:"properties"`
		Cases      []junitCase `xml:"testcase"`
		Output     string      `xml:"system-out"`
		Stderr     string      `xml:"system-err"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
		Error   *junitError   `xml:"error,omitempty"`
		Failure *junitFailure `xml:"failure,omitempty"`
	}
	// junitError is a failure of the wait itself.
	junitError   = junitFailure
	junitSkipped struct {
		Message string `xml:"message,attr,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit prints the end of a wait as a test suite: a case for each followed
// resource, which fails unless the wait succeeded or the resource is Current.
// Optional resources that are not Current are skipped. A wait that failed for
// another reason (recreated, connection lost) is an error case of its own.
func JUnit(w io.Writer, m *known.Facts, e End) error {
	suite := junitSuite{
		Name: "kstatus-tui " + strings.Join(m.Options().Sources, " "), Time: seconds(m.Elapsed().Seconds()),
		Timestamp: m.Options().Now.UTC().Format("2006-01-02T15:04:05"), Output: headline(m) + "; " + e.Why,
		Hostname: "localhost", Package: "kstatus-tui",
	}
	for _, id := range m.Roots() {
		r, ok := m.Resource(id)
		if !ok {
			continue
		}
		c := junitCase{
			Name: id.String(), Class: strings.Trim(id.Namespace+"."+id.GroupKind(), "."),
			Time: seconds(m.Elapsed().Seconds()),
		}
		suite.Tests++
		switch {
		case e.done(r) || e.Code == 0 && !optional(r):
		case optional(r):
			suite.Skipped++
			c.Skipped = &junitSkipped{Message: word(r) + ": " + reason(m, r)}
		default:
			suite.Failures++
			c.Failure = &junitFailure{Message: reason(m, r), Type: string(r.Assessment.Status), Text: proof(m, id)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	if e.Code != 0 && suite.Failures == 0 {
		// A consumer that counts failures must not read this as a success.
		suite.Tests++
		suite.Errors++
		suite.Cases = append(suite.Cases, junitCase{
			Name: "wait", Class: "kstatus-tui", Time: seconds(m.Elapsed().Seconds()),
			Error: &junitError{Message: oneLine(e.Why), Type: fmt.Sprintf("exit code %d", e.Code)},
		})
	}
	text, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, InertXML(text))
	return err
}

func optional(r known.Resource) bool { return r.Root != nil && r.Root.Optional }

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// proof is the causes of one object with their evidence, as text.
func proof(m *known.Facts, id object.ID) string {
	var b strings.Builder
	for _, c := range m.CausesOf(id) {
		b.WriteString(strings.TrimPrefix(causeLine(m, c), "» ") + "\n")
		for _, f := range facts(m.Now(), c) {
			fmt.Fprintf(&b, "  %s: %s\n", f.name, f.text)
		}
	}
	return b.String()
}

// GitHub prints the end of a wait as workflow commands: an error for each
// cause, and for each resource without one that is not Current; a notice after
// a success.
func GitHub(w io.Writer, m *known.Facts, e End) error {
	var b bytes.Buffer
	title := "kstatus-tui: " + headline(m)
	if e.Word != "" {
		title = "kstatus-tui: " + e.tally(m)
	}
	if e.Code == 0 {
		annotate(&b, "notice", title, e.Why)
	} else {
		annotate(&b, "error", title, e.Why)
	}
	list := e.causes(m)
	for _, c := range list {
		level := "error"
		if e.Code == 0 || string(c.Class) == "waits" {
			level = "warning"
		}
		var text strings.Builder
		text.WriteString(causeLine(m, c))
		if c.Detail != "" {
			text.WriteString("\n" + c.Detail)
		}
		for _, n := range c.Steps() {
			text.WriteString("\nnext: " + n.String())
		}
		annotate(&b, level, c.Title, strings.TrimPrefix(text.String(), "» "))
	}
	if len(list) == 0 && e.Code != 0 {
		for _, id := range m.Roots() {
			if r, ok := m.Resource(id); ok && !e.done(r) && !optional(r) {
				annotate(&b, "error", id.String(), word(r)+": "+reason(m, r))
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// annotate prints one workflow command. It escapes line breaks and the
// characters that end a property, as the runner's toolkit does, so that text
// from the cluster cannot begin another command.
func annotate(b *bytes.Buffer, level, title, text string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Inert(oneLine(lines[i]))
	}
	fmt.Fprintf(b, "::%s title=%s::%s\n", level,
		property.Replace(Inert(oneLine(title))), data.Replace(strings.Join(lines, "\n")))
}
