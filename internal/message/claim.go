package message

import "strings"

// ClaimStep is a kind of reason for which a claim has no volume.
type ClaimStep int

// The kinds.
const (
	OtherClaim   ClaimStep = iota
	ClassUnknown           // the StorageClass that it names does not exist
	NoClass                // it names none, and no class is the default
)

// Claim reads why a claim has no volume (kubernetes v1.36, pkg/controller/volume/persistentvolume, and the errors of
// the API for a class that is not found).
func Claim(text string) ClaimStep {
	plain := quotedNames().ReplaceAllString(Line(text), "…")
	switch {
	case strings.Contains(plain, "storageclass.storage.k8s.io … not found"):
		return ClassUnknown
	case strings.Contains(plain, "no storage class is set"):
		return NoClass
	}
	return OtherClaim
}

// NoScale reports whether a PodDisruptionBudget cannot count its Pods because their owner has no scale subresource
// (kubernetes v1.36, pkg/controller/disruption).
func NoScale(text string) bool {
	return strings.Contains(quotedNames().ReplaceAllString(Line(text), "…"), "does not implement the scale subresource")
}

// NeverAdmitted reports whether Kueue does not admit a Workload however long it waits: what it asks for is more than
// the whole queue has, or its queue does not exist (sigs.k8s.io/kueue v0.13, pkg/scheduler, pkg/workload).
func NeverAdmitted(text string) bool {
	return containsAny(quotedNames().ReplaceAllString(Line(text), "…"), []string{"maximum capacity", "exceeds", "doesn't exist", "not found"})
}

// ConversionFailed reports whether objects cannot be read in the version asked for because the webhook that converts
// them does not answer (apiextensions-apiserver v0.36, pkg/apiserver/conversion/webhook_converter.go).
func ConversionFailed(text string) bool {
	return strings.Contains(quotedNames().ReplaceAllString(Line(text), "…"), "conversion webhook for ")
}
