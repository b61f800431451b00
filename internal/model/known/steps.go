package known

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// mostSteps is the number of commands that have a key: 1 to 9.
const mostSteps = 9

// NextStep is a command to copy, and the cause that it is for.
type NextStep struct {
	explain.Step
	Cause int // index of its cause in the list
}

// NextSteps returns the commands to copy for the causes, each once. For each cause, commands that
// only read come before those that change the cluster. The key of a command is its position. If a
// cause affects several objects, its commands name about, if about is one of them. A zero about
// stands for everything.
func (f *Facts) NextSteps(causes []explain.Cause, about object.ID) (steps []NextStep) {
	seen := map[string]bool{}
	for i := range causes {
		c := &causes[i]
		if !c.Healed.IsZero() {
			continue
		}
		for _, s := range append(c.StepsFor(about), f.undoSteps(c)...) {
			if len(steps) < mostSteps && !seen[s.Command] {
				seen[s.Command] = true
				steps = append(steps, NextStep{s, i})
			}
		}
	}
	return steps
}

// undoSteps returns the command that undoes the change that brought a cause, or applies it again.
// It is a command of the tool that manages the blocked object (Flux, Helm, Argo CD). Without one it
// is kubectl rollout undo.
func (f *Facts) undoSteps(c *explain.Cause) (steps []explain.Step) {
	if c.Class != explain.Action && c.Class != explain.Terminal {
		return nil
	}
	for _, id := range c.Blocks {
		n := f.World.Tree.Nodes[id]
		if n == nil || n.Root == nil {
			continue
		}
		tool := cmp.Or(n.Root.In, managerOf(n.Object))
		if tool.IsZero() {
			tool = id
		}
		if step, ok := toolStep(tool); ok {
			return []explain.Step{step}
		}
		if tool != id || len(c.Changed) == 0 || n.Assess.Status == status.Current ||
			n.Object == nil || n.Object.Observed.V < n.Object.Generation.V {
			continue // nothing to take back, or a newer change is on its way
		}
		if step, ok := undoStep(n, c.Chain); ok {
			return []explain.Step{step}
		}
	}
	return nil
}

// undoStep returns kubectl's command that returns a workload to its previous revision. It is not
// ok if the cause is in an older revision: the rollout replaces that one anyway.
func undoStep(n *world.Node, chain []object.ID) (step explain.Step, ok bool) {
	switch n.ID.Kind {
	case "Deployment", "StatefulSet", "DaemonSet": // those that kubectl rollout undo knows
	default:
		return step, false
	}
	step = explain.Step{
		Command: fmt.Sprintf("kubectl rollout undo %s/%s -n %s", strings.ToLower(n.ID.Kind), n.ID.Name, n.ID.Namespace),
		Does:    "goes back to the previous revision", Mutates: true,
	}
	newest := world.NewestRevision(n)
	if newest == nil {
		return step, true
	}
	previous, images := int64(0), ""
	for _, k := range n.Kids {
		if k == newest || k.ID.Kind != "ReplicaSet" || k.Object == nil || k.Object.Workload == nil {
			continue
		}
		if slices.Contains(chain, *k.ID) {
			return step, false
		}
		if number, err := strconv.ParseInt(k.Object.Workload.Revision, 10, 64); err == nil && number > previous {
			previous, images = number, imagesOf(k.Object.Workload)
		}
	}
	// With its number the command does the same when it is run twice.
	if previous > 0 {
		step.Command += fmt.Sprint(" --to-revision=", previous)
		step.Does = fmt.Sprintf("goes back to revision %d%s", previous, images)
	}
	return step, true
}

// imagesOf names a revision for people, by at most two images, without their registries.
func imagesOf(w *object.Workload) string {
	var names []string
	for _, image := range w.Images {
		names = append(names, image.Image[strings.LastIndexByte(image.Image, '/')+1:])
	}
	if len(names) == 0 || len(names) > 2 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// managerOf returns the Flux object, Helm release or Argo CD Application that applies an object, by
// its labels and annotations, followed or not. It would overwrite what kubectl undoes.
func managerOf(o *object.Object) object.ID {
	if o == nil {
		return object.ID{}
	}
	for _, id := range [...]object.ID{
		{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"},
		{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"},
	} {
		name, _ := o.Label(id.Group + "/name")
		namespace, _ := o.Label(id.Group + "/namespace")
		if name != "" && namespace != "" {
			id.Name, id.Namespace = name, namespace
			return id
		}
	}
	if release, ok := o.Annotation("meta.helm.sh/release-name"); ok {
		namespace, _ := o.Annotation("meta.helm.sh/release-namespace")
		return object.ID{Group: "helm.sh", Kind: "Release", Name: release, Namespace: cmp.Or(namespace, o.Namespace)}
	}
	if tracked, ok := o.Annotation("argocd.argoproj.io/tracking-id"); ok { // APPLICATION:GROUP/KIND:NAMESPACE/NAME
		application, _, _ := strings.Cut(tracked, ":")
		return object.ID{Group: "argoproj.io", Kind: "Application", Name: application}
	}
	return object.ID{}
}

// toolStep is the command by which a tool applies an inventory again, or goes back.
func toolStep(id object.ID) (explain.Step, bool) {
	step := func(does, format string) (explain.Step, bool) {
		return explain.Step{
			Command: fmt.Sprintf(format, wording.Quote(id.Name), wording.Quote(id.Namespace)),
			Mutates: true, Does: does,
		}, true
	}
	switch {
	case id.Group == "kustomize.toolkit.fluxcd.io" && id.Kind == "Kustomization":
		return step("fetches and applies it now", "flux reconcile kustomization %s -n %s --with-source")
	case id.Group == "helm.toolkit.fluxcd.io" && id.Kind == "HelmRelease":
		return step("fetches and applies it now", "flux reconcile helmrelease %s -n %s --with-source")
	case id.Group == "helm.sh" && id.Kind == "Release":
		return step("goes back to the previous release", "helm rollback %s -n %s")
	case id.Group == "argoproj.io" && id.Kind == "Application" && id.Namespace != "":
		return step("applies it now", "argocd app sync %s --app-namespace %s")
	}
	return explain.Step{}, false
}

// Serving says how much of a workload serves although it is not Current, and which
// revision that is; "" if the object is not a workload, or is Current.
func (f *Facts) Serving(id object.ID) string {
	n := f.World.Tree.Nodes[id]
	if n == nil || n.Object == nil || n.Object.Workload == nil || n.Assess.Status == status.Current {
		return ""
	}
	wl := n.Object.Workload
	want, ready := wl.Replicas.Or(1), wl.Ready.Or(0)
	if n.ID.Kind == "DaemonSet" {
		want, ready = wl.Desired.Or(0), wl.Available.Or(0)
	}
	switch {
	case want == 0:
		return ""
	case ready == 0:
		return "no Pod serves"
	}
	newest, old := world.NewestRevision(n), int64(0)
	for _, k := range n.Kids {
		if k.ID.Kind == "ReplicaSet" && k != newest && k.Object != nil && k.Object.Workload != nil {
			old += k.Object.Workload.Ready.Or(0)
		}
	}
	switch {
	case newest != nil && old >= ready:
		return pods(ready, "old ") + " still " + serve(ready)
	case old > 0:
		return fmt.Sprintf("%s and %s", pods(ready-old, "new "), pods(old, "old ")+" serve")
	}
	return fmt.Sprintf("%d of %s serve", ready, pods(want, ""))
}

func pods(n int64, which string) string {
	if n == 1 {
		return "1 " + which + "Pod"
	}
	return fmt.Sprint(n, " ", which, "Pods")
}

func serve(n int64) string {
	if n == 1 {
		return "serves"
	}
	return "serve"
}
