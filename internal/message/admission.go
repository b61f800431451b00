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
	NoServiceAccount         // Denial.Name does not exist
	NoPriorityClass          // Denial.Name does not exist
	NoRuntimeClass           // Denial.Name does not exist
	WebhookFails             // the webhook Denial.Name cannot be called; why is Denial.Says
	WebhookDenies            // the webhook Denial.Name says Denial.Says
	PolicyDenies             // the ValidatingAdmissionPolicy Denial.Name says Denial.Says
	NamespaceEnding          // the namespace is being deleted
)

// Denial is what the API server says of an object that it does not admit.
type Denial struct {
	Refusal Refusal
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
	{OutsideLimits, []string{" usage per Container is ", " usage per Pod is ", " usage per PersistentVolumeClaim is ", " limit to request ratio per "}},
	{PodSecurity, []string{"violates PodSecurity "}},
	{NoServiceAccount, []string{"error looking up service account "}},
	{NoPriorityClass, []string{"no PriorityClass with name "}},
	{WebhookFails, []string{`failed calling webhook "`}},
	{WebhookDenies, []string{`admission webhook "`}},
	{PolicyDenies, []string{"ValidatingAdmissionPolicy '"}},
	{NamespaceEnding, []string{"because it is being terminated"}},
	{NoRuntimeClass, []string{"RuntimeClass "}},
}

// Refused reads why an object is not admitted. The phrase that stands first decides: what a webhook
// says may quote any other.
func Refused(text string) Denial {
	text = strings.TrimPrefix(Line(text), "Error creating: ")
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
	case NoServiceAccount:
		d.Name = Between(text, "error looking up service account ", ":")
		d.Name = d.Name[strings.LastIndexByte(d.Name, '/')+1:]
	case NoPriorityClass:
		d.Name = Between(text, "no PriorityClass with name ", " was found")
	case NoRuntimeClass:
		d.Name = Between(text, `RuntimeClass "`, `"`)
	case WebhookFails:
		d.Name, d.Says, _ = WebhookDown(text)
	case WebhookDenies:
		d.Name, d.Says = Between(text, `admission webhook "`, `"`), strings.TrimPrefix(Between(text, " denied the request", ""), ": ")
	case PolicyDenies:
		d.Name, d.Says = Between(text, "ValidatingAdmissionPolicy '", "'"), Between(text, "denied request: ", "")
	}
	switch d.Refusal {
	case NoServiceAccount, NoRuntimeClass: // it may be that it could not be looked up
		if !strings.Contains(text, "not found") {
			d.Refusal = OtherRefusal
		}
	case WebhookDenies:
		if !strings.Contains(text, " denied the request") {
			d.Refusal = OtherRefusal
		}
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
