package report

import "regexp"

// What starts a command in a log: GitHub's "::error::" at the beginning of a line
// and "##[group]" anywhere in it, Azure's "##vso[…]", TeamCity's "##teamcity[…]".
var (
	colons = regexp.MustCompile(`(?m)^(\s*):(:)`)
	hashes = regexp.MustCompile(`#(#[A-Za-z]*\[)`)
)

// Inert parts the signs with which a line of a log would start a command of the
// CI system that reads it: the words may be anybody's who writes to the cluster.
func Inert(text string) string {
	return colons.ReplaceAllString(hashes.ReplaceAllString(text, "# $1"), "$1: $2")
}
