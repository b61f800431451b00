// Package custom finds what custom resources report, by the conventions of their
// conditions and by what is known of their projects.
package custom
