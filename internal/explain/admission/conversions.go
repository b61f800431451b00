package admission

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Converted adds to a finding, if a text says that a conversion webhook cannot be called, the
// definition whose webhook that is, and the Service at which the webhook is.
func Converted(in *inspect.Inspector, f *inspect.Finding, text string) {
	kind, version, _, ok := message.ConversionDown(text)
	group, _, _ := strings.Cut(version, "/")
	if !ok {
		return
	}
	for _, plural := range [...]string{strings.ToLower(kind) + "s", strings.ToLower(kind)} { // as nearly all are named
		d := in.Get(inspect.ClusterID("apiextensions.k8s.io", "CustomResourceDefinition", plural+"."+group))
		if d != nil && d.Str("spec", "names", "kind") == kind {
			Converts(in, f, d)
			f.Next = append([]string{wording.Command("", "describe", "crd", d.Name)}, f.Next...)
			return
		}
	}
}

// Converts adds the Service at which a definition's conversion webhook is.
func Converts(in *inspect.Inspector, f *inspect.Finding, definition *object.Object) {
	service := fields.Map(definition.Map("spec", "conversion", "webhook", "clientConfig", "service"))
	ns, name := service.Str("namespace"), service.Str("name")
	if name == "" {
		return
	}
	id := object.ID{Kind: "Service", Namespace: ns, Name: name}
	in.Get(id)
	f.AddBecause(id)
	f.ProveOn(definition.ID, "spec.conversion.webhook.clientConfig.service.name", name)
	f.Next = append(f.Next, wording.Command(ns, "get", "service,endpointslices"))
}
