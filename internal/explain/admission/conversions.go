package admission

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// AddConversionFailure looks for an unavailable conversion webhook in a text. It adds to the finding
// the CRD that has the webhook, and the Service that serves it.
func AddConversionFailure(in *inspect.Inspector, f *inspect.Finding, text string) {
	kind, version, _, ok := message.ConversionDown(text)
	group, _, _ := strings.Cut(version, "/")
	if !ok {
		return
	}
	// A CRD is named PLURAL.GROUP. The text has no plural: try the two usual ones.
	for _, plural := range [...]string{strings.ToLower(kind) + "s", strings.ToLower(kind)} {
		crd := in.Get(inspect.ClusterID("apiextensions.k8s.io", "CustomResourceDefinition", plural+"."+group))
		if crd != nil && crd.Str("spec", "names", "kind") == kind {
			AddConversionService(in, f, crd)
			f.Next = append([]string{wording.Command("", "describe", "crd", crd.Name)}, f.Next...)
			return
		}
	}
}

// AddConversionService adds to a finding the Service that serves a CRD's conversion webhook.
func AddConversionService(in *inspect.Inspector, f *inspect.Finding, crd *object.Object) {
	service := fields.Map(crd.Map("spec", "conversion", "webhook", "clientConfig", "service"))
	ns, name := service.Str("namespace"), service.Str("name")
	if name == "" {
		return
	}
	id := object.ID{Kind: "Service", Namespace: ns, Name: name}
	in.Get(id)
	f.AddBecause(id)
	f.ProveOn(crd.ID, "spec.conversion.webhook.clientConfig.service.name", name)
	f.Next = append(f.Next, wording.Command(ns, "get", "service,endpointslices"))
}
