// Package archtest holds the repository's own rules as tests: which package may
// import which, that every package has a comment, and that the pure packages
// stay pure. It only reads the source. A failing rule prints the reason for it.
package archtest
