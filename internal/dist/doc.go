// Package dist holds what a release is made with (GoReleaser and the SBOM's tool,
// as tools of this module; the container image, in image/) and tries what comes out:
// "make dist dist-test".
package dist
