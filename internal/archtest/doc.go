// Package archtest holds the house's own rules as a test: which room may import
// which, that every package says what it is for, and that the pure rooms stay
// pure. It reads the source alone and runs in well under a second. A rule that
// fails prints the reason for it.
package archtest
