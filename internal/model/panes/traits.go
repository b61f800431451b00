package panes

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// traitWidth is the width of the names of traits.
const traitWidth = 10

// traits are what an object is like: what kubectl describe has of a healthy one.
type traits struct {
	p     *Page
	usage Usage
}

// write writes them.
func (t traits) write(r known.Resource) {
	o := r.Object
	if o == nil {
		return
	}
	t.p.Gap()
	switch {
	case o.Pod != nil:
		t.podTraits(o.Pod)
	case o.Workload != nil:
		t.workloadTraits(o)
	case o.Service != nil:
		t.serviceTraits(o.Service)
	case o.Job != nil:
		t.trait("pods", fmt.Sprintf("%d of %d succeeded, %d at once",
			o.Job.Succeeded.Or(0), o.Job.Completions.Or(1), o.Job.Parallelism.Or(1)))
		t.images(o.Job.Images)
	case o.CronJob != nil:
		t.trait("schedule", strings.TrimSuffix(o.CronJob.Schedule+" "+o.CronJob.TimeZone, " "))
		t.trait("last run", t.dated(o.CronJob.LastSchedule))
	case o.Claim != nil:
		t.trait("volume", o.Claim.Volume)
		t.trait("class", o.Claim.StorageClass)
		t.trait("size", cmp.Or(o.Claim.Capacity, o.Claim.Requested))
	case o.Kind == autoscaler:
		of := o.Str("spec", "scaleTargetRef", "kind") + "/" + o.Str("spec", "scaleTargetRef", "name")
		t.trait("scales", t.p.spell(of)+": "+scaling(o))
	case o.Kind == "PodDisruptionBudget":
		t.trait("budget", budget(o))
	}
	for _, guard := range t.p.Facts.Guards(r.ID) {
		t.p.Leads(guard.ID, "")
		if guard.Kind == autoscaler {
			t.trait("scaled by", t.p.spell(guard.ID.String())+": "+scaling(guard))
			continue
		}
		t.trait("budget", t.p.spell(guard.ID.String())+": "+budget(guard))
	}
	if owner, ok := o.Controller(); ok {
		t.trait("owner", t.p.spell(owner.Kind+"/"+owner.Name))
	}
	t.trait("created", t.dated(o.Created))
	t.revisions(r.ID)
}

const autoscaler = "HorizontalPodAutoscaler"

// scaling is what an autoscaler does now.
func scaling(hpa *object.Object) string {
	return fmt.Sprintf("%d to %d replicas, now %d", hpa.Int("spec", "minReplicas").Or(1),
		hpa.Int("spec", "maxReplicas").V, hpa.Int("status", "currentReplicas").V)
}

// budget is what a PodDisruptionBudget allows now.
func budget(pdb *object.Object) string {
	return fmt.Sprintf("%d may be disrupted now", pdb.Int("status", "disruptionsAllowed").V)
}

// trait adds a named trait, if there is one.
func (t traits) trait(name, value string) {
	if value != "" {
		indent := strings.Repeat(" ", traitWidth)
		t.p.Hanging(markup.Line{markup.Dim.Of(markup.Pad(name, traitWidth-1) + " ")}, indent, value, markup.Text)
	}
}

// podTraits are a Pod's node, address and containers.
func (t traits) podTraits(p *object.Pod) {
	t.trait("node", p.Node)
	t.trait("IP", p.IP)
	if errors.Is(t.usage.Err, feed.ErrNoMetrics) {
		t.trait("usage", "not available: "+t.usage.Err.Error())
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		t.p.Gap()
		state := c.State.Kind
		switch {
		case c.State.Kind == "running" && !c.Ready && c.Kind != object.InitContainer:
			state = "running, not ready"
		case c.State.Reason != "":
			state += ": " + c.State.Reason
		}
		if !c.State.Started.IsZero() && c.State.Kind == "running" {
			state += ", for " + markup.Since(c.State.Started, t.p.Facts.Now())
		}
		if c.Restarts > 0 {
			state += ", " + markup.Count(int(c.Restarts), "restart")
		}
		what := map[object.ContainerKind]string{
			object.InitContainer:    "init container",
			object.SidecarContainer: "sidecar", object.EphemeralContainer: "ephemeral",
		}[c.Kind]
		t.p.Leads(t.p.Selected, c.Name)
		t.p.Spread(markup.Line{markup.Strong.Of(c.Name), markup.Dim.Of("  " + state)}, markup.Styled(what, markup.Dim))
		t.trait("  image", c.Image)
		var ports []string
		for _, port := range c.Ports {
			ports = append(ports, strings.TrimSuffix(strconv.Itoa(int(port.Number))+" "+port.Name, " "))
		}
		t.trait("  ports", strings.Join(ports, ", "))
		var used *feed.ContainerUsage
		for k := range t.usage.Pods {
			if i := slices.IndexFunc(t.usage.Pods[k].Containers, func(u feed.ContainerUsage) bool {
				return u.Name == c.Name
			}); i >= 0 {
				used = &t.usage.Pods[k].Containers[i]
			}
		}
		cpu, memory := "", ""
		if used != nil {
			cpu, memory = milli(used.MilliCPU), bytes(used.Memory)
		}
		t.trait("  cpu", amounts(cpu, c.CPURequest, c.CPULimit))
		t.trait("  memory", amounts(memory, c.MemoryRequest, c.Memory))
	}
	if len(p.Containers) > 0 {
		t.p.Gap()
	}
}

// amounts are what a container uses of a resource beside what it requests and its limit.
func amounts(used, request, limit string) string {
	var parts []string
	if used != "" {
		parts = append(parts, used+" used")
	}
	if request != "" {
		parts = append(parts, request+" requested")
	}
	if limit != "" {
		parts = append(parts, "limit "+limit)
	}
	return strings.Join(parts, ", ")
}

func milli(v int64) string { return strconv.FormatInt(v, 10) + "m" }

// bytes is an amount of memory in the unit that kubectl top uses.
func bytes(v int64) string { return strconv.FormatInt((v+1<<19)>>20, 10) + "Mi" }

// workloadTraits are a workload's counters, strategy, images and revisions.
func (t traits) workloadTraits(o *object.Object) {
	w := o.Workload
	want := w.Replicas.Or(1)
	if o.Kind == "DaemonSet" {
		want = w.Desired.Or(0)
	}
	t.trait("replicas", fmt.Sprintf("%d wanted, %d ready, %d available", want, w.Ready.Or(0), w.Available.Or(0)))
	strategy := w.Strategy
	if w.MaxSurge != "" || w.MaxUnavailable != "" {
		strategy += fmt.Sprintf(", at most %s more and %s unavailable",
			cmp.Or(w.MaxSurge, "0"), cmp.Or(w.MaxUnavailable, "0"))
	}
	t.trait("strategy", strategy)
	t.trait("selector", known.SelectorText(w.Selector))
	if o.Kind != "Deployment" {
		t.trait("revision", cmp.Or(w.Revision, w.UpdateRevision))
	}
	t.images(w.Images)
	t.sum()
}

// revisions lists a Deployment's ReplicaSets, the newest first.
func (t traits) revisions(id object.ID) {
	all, newest := t.p.Facts.Revisions(id)
	if len(all) == 0 {
		return
	}
	t.p.Heading("REVISIONS")
	for i, rs := range all {
		if i == mostRevisions {
			t.p.Add(markup.Dim.Of(fmt.Sprintf("and %d older ones", len(all)-i)))
			break
		}
		side, tok := "old", markup.Dim
		if rs == newest {
			side, tok = "new", markup.Strong
		}
		var images []string
		for _, image := range rs.Workload.Images {
			images = append(images, image.Image)
		}
		t.p.Leads(rs.ID, "")
		lead := markup.Line{
			tok.Of(markup.Pad(rs.Workload.Revision, 4) + side + "  "),
			markup.Dim.Of(fmt.Sprintf("%d/%d  ", rs.Workload.Ready.Or(0), rs.Workload.Replicas.Or(1))),
		}
		age := markup.Line{markup.Dim.Of(markup.Since(rs.Created, t.p.Facts.Now()) + " ago")}
		room := max(t.p.W-lead.Width()-age.Width()-2, 8)
		t.p.Spread(append(lead, markup.Text.Of(markup.TruncateSentence(strings.Join(images, ", "), room))), age)
	}
}

// mostRevisions bounds the revisions that are listed.
const mostRevisions = 8

// sum writes what a workload's Pods use together.
func (t traits) sum() {
	var cpu, memory int64
	for _, p := range t.usage.Pods {
		for _, c := range p.Containers {
			cpu += c.MilliCPU
			memory += c.Memory
		}
	}
	switch {
	case errors.Is(t.usage.Err, feed.ErrNoMetrics):
		t.trait("usage", "not available: "+t.usage.Err.Error())
	case len(t.usage.Pods) > 0:
		t.trait("usage", fmt.Sprintf("cpu %s, memory %s in %s", milli(cpu),
			bytes(memory), markup.Count(len(t.usage.Pods), "pod")))
	}
}

// images are the images of a template's containers.
func (t traits) images(all []object.Image) {
	for _, i := range all {
		t.trait("image", i.Container+"  "+i.Image)
	}
}

func (t traits) serviceTraits(s *object.Service) {
	t.trait("type", s.Type)
	t.trait("IP", s.ClusterIP)
	t.trait("address", strings.Join(s.Ingress, ", "))
	var ports []string
	for _, p := range s.Ports {
		text := strings.TrimPrefix(p.Name+" ", " ") + strconv.Itoa(int(p.Number))
		if p.Target != "" && p.Target != strconv.Itoa(int(p.Number)) {
			text += " to " + p.Target
		}
		ports = append(ports, text)
	}
	t.trait("ports", strings.Join(ports, ", "))
	t.trait("selector", known.SelectorText(s.Selector))
}

// dated is a date with its age.
func (t traits) dated(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.p.zone()).Format("2006-01-02 15:04:05") + " (" + markup.Since(at, t.p.Facts.Now()) + " ago)"
}
