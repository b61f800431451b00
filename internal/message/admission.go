package message

import (
	"maps"
	"slices"
	"strings"
)

// Refusal is a kind of reason for which the API server does not admit an object.
type Refusal int

// The kinds.
const (
	OtherRefusal     Refusal = iota
	QuotaUsedUp              // of the quota Denial.Name; Denial.Short has too little of what
	QuotaNeedsFields         // the quota Denial.Name wants the fields Denial.Says
	OutsideLimits            // of a LimitRange
	PodSecurity              // the level Denial.Name forbids Denial.Says
	NamesMissing             // the object of Denial.Kind with Denial.Name does not exist
	WebhookFails             // the webhook Denial.Name cannot be called; why is Denial.Says
	WebhookDenies            // the webhook Denial.Name says Denial.Says
	PolicyDenies             // the ValidatingAdmissionPolicy Denial.Name says Denial.Says
	NamespaceEnding          // the namespace is being deleted
	NoConstraint             // no security context constraint of OpenShift allows it
)

// Denial is what the API server says of an object that it does not admit.
type Denial struct {
	Refusal Refusal
	Kind    string // of NamesMissing: that of Name
	Name    string
	Says    string
	Short   []Shortage
	Text    string // without who was to be made by whom
}

// Shortage is a resource of which a quota has too little.
type Shortage struct{ Resource, Asked, Used, Limit string }

// marks are the phrases by which admission plugins refuse (kubernetes v1.36, plugin/pkg/admission,
// apiserver/pkg/admission/plugin). Each has a blank or a quotation mark: no name can be one.
var marks = []struct {
	kind    Refusal
	phrases []string
}{
	{QuotaUsedUp, []string{"exceeded quota: "}},
	{QuotaNeedsFields, []string{"failed quota: "}},
	{OutsideLimits, []string{
		" usage per Container is ", " usage per Pod is ", " usage per PersistentVolumeClaim is ",
		" limit to request ratio per ",
	}},
	{PodSecurity, []string{"violates PodSecurity "}},
	{WebhookFails, []string{`failed calling webhook "`}},
	{WebhookDenies, []string{`admission webhook "`}},
	{PolicyDenies, []string{"ValidatingAdmissionPolicy '"}},
	{NamespaceEnding, []string{"because it is being terminated"}},
	// openshift/apiserver-library-go
	{NoConstraint, []string{"unable to validate against any security context constraint"}},
}

// Refused reads why an object is not admitted. The phrase that stands first decides: what a webhook
// says may quote any other.
func Refused(text string) Denial {
	text = strings.TrimPrefix(strings.TrimPrefix(Line(text), "Error creating: "), "Error creating job: ")
	if _, after, ok := strings.Cut(text, " failed error: "); ok { // the StatefulSet controller
		text = after
	}
	if _, after, ok := strings.Cut(text, " is forbidden: "); ok {
		text = after
	}
	d, first := Denial{Text: text}, len(text)
	for _, m := range marks {
		for _, p := range m.phrases {
			if i := strings.Index(text, p); i >= 0 && i < first {
				d.Refusal, first = m.kind, i
			}
		}
	}
	switch d.Refusal {
	case QuotaUsedUp:
		d.Name, d.Short = Between(text, "exceeded quota: ", ","), shortages(text)
	case QuotaNeedsFields:
		d.Name, d.Says = Between(text, "failed quota: ", ":"), Between(text, "must specify ", "")
	case PodSecurity:
		d.Name, d.Says = Between(text, `violates PodSecurity "`, `"`), Between(text, `": `, "")
	case WebhookFails:
		d.Name, d.Says, _ = WebhookDown(text)
	case WebhookDenies:
		d.Name, d.Says = Between(text, `admission webhook "`, `"`),
			strings.TrimPrefix(Between(text, " denied the request", ""), ": ")
	case PolicyDenies:
		d.Name, d.Says = Between(text, "ValidatingAdmissionPolicy '", "'"), Between(text, "denied request: ", "")
	}
	if d.Refusal == WebhookDenies && !strings.Contains(text, " denied the request") {
		d.Refusal = OtherRefusal
	} else if o, ok := firstMissing(text); ok && d.Refusal == OtherRefusal {
		d.Refusal, d.Kind, d.Name = NamesMissing, o.Kind, o.Name
	}
	return d
}

// shortages reads "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2".
func shortages(text string) (list []Shortage) {
	values := func(before, after string) map[string]string {
		m := map[string]string{}
		for part := range strings.SplitSeq(Between(text, before, after), ",") {
			k, v, _ := strings.Cut(strings.TrimSpace(part), "=")
			m[k] = v
		}
		return m
	}
	requested, used, limit := values("requested: ", ", used"), values("used: ", ", limited"), values("limited: ", "")
	for _, k := range slices.Sorted(maps.Keys(requested)) {
		if used[k] != "" && limit[k] != "" {
			list = append(list, Shortage{k, requested[k], used[k], limit[k]})
		}
	}
	return list
}
