// Package admission knows the webhooks of admission and of conversion: which
// configuration a message names, and why it does not answer. Creating Pods and
// deleting a namespace meet the same ones.
package admission

import (
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// WebhookOf finds the configuration of a webhook, and makes it the subject.
func WebhookOf(in *inspect.Inspector, f *inspect.Finding, webhook string) (found fields.Map) {
	for _, kind := range [...]string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		configs := in.List("admissionregistration.k8s.io", kind, "").Items
		for _, c := range configs {
			for i, m := range fields.Each(c.List("webhooks")) {
				if m.Str("name") != webhook {
					continue
				}
				f.About = inspect.Subject{ID: c.ID}
				if policy := m.Str("failurePolicy"); policy != "" {
					f.ProveOn(c.ID, fmt.Sprintf("webhooks[%d].failurePolicy", i), policy)
				}
				found = m
			}
		}
	}
	return found
}

// WebhookDown finds WebhookUnreachable: a required webhook does not answer.
func WebhookDown(in *inspect.Inspector, text string) *inspect.Finding {
	webhook, why, _ := message.WebhookDown(text)
	f := in.Find(codes.WebhookUnreachable,
		"admission webhook %s does not answer (%s), so nothing is admitted", webhook, why)
	f.Key, f.Shared = webhook, true
	f.Detail = text
	f.Next = []string{"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"}
	svc := object.ID{Kind: "Service"}
	if m := WebhookOf(in, f, webhook); m != nil {
		f.Say("webhook %s (%s) does not answer (%s), and failurePolicy is %s", webhook, f.About.Name,
			why, m.Str("failurePolicy"))
		s := m.Sub("clientConfig").Sub("service")
		svc.Namespace, svc.Name = s.Str("namespace"), s.Str("name")
	}
	if svc.Name == "" {
		// https://NAME.NAMESPACE.svc:443/…
		host := message.Between(text, `Post "https://`, ".svc")
		svc.Name, svc.Namespace, _ = strings.Cut(host, ".")
	}
	if svc.Name != "" && svc.Namespace != "" {
		f.Next = append(f.Next, wording.Command(svc.Namespace, "get", "service,endpointslices"))
		if in.Absent(svc) || strings.Contains(text, `service "`+svc.Name+`" not found`) {
			f.ProveAbsent(svc)
		} else {
			f.Because = []object.ID{svc}
			inspect.BlamePods(in, f, in.Get(svc))
		}
	}
	return f
}
