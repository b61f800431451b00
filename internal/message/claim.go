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

// Claim reads why a claim has no volume (kubernetes v1.36, pkg/controller/volume/persistentvolume,
// and the errors of the API for a class that is not found).
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

// NoScale reports whether a PodDisruptionBudget cannot count its Pods because their owner has no
// scale subresource (kubernetes v1.36, pkg/controller/disruption).
func NoScale(text string) bool {
	return strings.Contains(quotedNames().ReplaceAllString(Line(text), "…"), "does not implement the scale subresource")
}

// NeverAdmitted reports whether Kueue does not admit a Workload however long it waits: what it asks
// for is more than the whole queue has, or its queue does not exist (sigs.k8s.io/kueue v0.13,
// pkg/scheduler, pkg/workload).
func NeverAdmitted(text string) bool {
	return containsAny(quotedNames().ReplaceAllString(Line(text), "…"),
		[]string{"maximum capacity", "exceeds", "doesn't exist", "not found"})
}

// ConversionDown reads that objects cannot be read in the version asked for because the webhook
// that converts them does not answer, and why (apiextensions-apiserver v0.36,
// pkg/apiserver/conversion/webhook_converter.go):
//
//	conversion webhook for group/version, Kind=kind failed: Post "URL": text
func ConversionDown(text string) (kind, version, why string, ok bool) {
	before, rest, found := strings.Cut(Fold(text), "conversion webhook for ")
	what, why, failed := strings.Cut(rest, " failed: ")
	version, kind, _ = strings.Cut(what, ", Kind=")
	if !found || !failed || !isWord(strings.ReplaceAll(kind, "-", "")) || strings.ContainsAny(version, " \"") ||
		strings.HasSuffix(before, `"`) {
		return "", "", "", false
	}
	if strings.HasPrefix(why, `Post "`) {
		if _, after, quoted := strings.Cut(why, `": `); quoted {
			why = after
		}
	}
	return kind, version, why, true
}
