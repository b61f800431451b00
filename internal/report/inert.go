package report

import (
	"regexp"

	"github.com/kstatus-tui/kstatus-tui/internal/mask"
)

// Text that starts a command in a CI log: GitHub's "::error::" at the beginning
// of a line and "##[group]" anywhere in it, Azure's "##vso[…]", TeamCity's
// "##teamcity[…]".
var (
	colons = regexp.MustCompile(`(?m)^(\s*):(:)`)
	hashes = regexp.MustCompile(`#(#[A-Za-z]*\[)`)
)

// Inert breaks up the text that would start a command of the CI system that reads the
// log: messages may come from anybody who can write to the cluster. Credentials are
// masked, of which the text may have some of the command line.
func Inert(text string) string {
	return colons.ReplaceAllString(hashes.ReplaceAllString(mask.Credentials(text), "# $1"), "$1: $2")
}

var secondHash = regexp.MustCompile(`##([A-Za-z]*\[)`)

// InertJSON does so in JSON, where "#" may be written as an escape: it means the same to
// every parser. No line of JSON begins with a colon.
func InertJSON(text []byte) []byte {
	return secondHash.ReplaceAll(invisible(text), []byte(`#\u0023$1`))
}

// InertXML does so in XML: in HTML, JUnit and SVG.
func InertXML(text []byte) []byte { return secondHash.ReplaceAll(text, []byte(`#&#35;$1`)) }
