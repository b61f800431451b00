package report

import "regexp"

// Text that starts a command in a CI log: GitHub's "::error::" at the beginning
// of a line and "##[group]" anywhere in it, Azure's "##vso[…]", TeamCity's
// "##teamcity[…]".
var (
	colons = regexp.MustCompile(`(?m)^(\s*):(:)`)
	hashes = regexp.MustCompile(`#(#[A-Za-z]*\[)`)
)

// Inert breaks up the text that would start a command of the CI system that
// reads the log: messages may come from anybody who can write to the cluster.
func Inert(text string) string {
	return colons.ReplaceAllString(hashes.ReplaceAllString(text, "# $1"), "$1: $2")
}
