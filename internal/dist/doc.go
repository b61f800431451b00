// Package dist holds the tools of a release (GoReleaser and the SBOM's tool, as
// tools of this module; the container image, in image/) and tests its
// artefacts: "make dist dist-test".
package dist
