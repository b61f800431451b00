package inspect

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Where the controller of a custom kind runs. Nothing in the API says it. These tell:
//
//   - what has installed the definition of the kind: Helm's annotations and labels, OLM's label;
//   - the Service of its conversion webhook, and the certificate of that;
//   - the managers that have written the object's status;
//   - names: a namespace, a Pod, a container or an image is called after the project or the kind.

// Bounds of what is asked for.
const (
	controllerNamespaces = 3 // whose Pods are listed
	controllerPods       = 3
)

// Controllers is what runs the controller of a kind, as far as is known.
type Controllers struct {
	Pods    []Controller   // that run it, the most likely first
	Stopped *object.Object // otherwise, a Deployment that runs it and is scaled to 0
	Unread  []object.ID    // the kinds that may not be read
}

// Controller is a Pod, and the container in it.
type Controller struct {
	Pod       *object.Object
	Container string
	Called    bool // it is called a controller, or has written the object
}

// FindControllers finds the controllers of the inspected object's kind, and asks for the definition,
// the namespaces, and the Pods of a few of them. It searches once for all objects of a kind in a
// namespace.
func (in *Inspector) FindControllers() Controllers {
	s := controllerSearch{in: &Inspector{Snapshot: in.Snapshot, Object: in.Object}, kind: squashed(in.Object.Kind)}
	s.written()
	of := controllersOf{
		in.Object.Group, in.Object.Kind, in.Object.Namespace, strings.Join(s.managers, " "),
	}
	x, ok := in.controllers[of]
	if !ok {
		x = foundControllers{s.find(), s.in.Needs, s.in.Uses}
		if in.controllers == nil {
			in.controllers = map[controllersOf]foundControllers{}
		}
		in.controllers[of] = x
	}
	for _, n := range x.needs {
		in.Need(n)
	}
	for _, id := range x.uses {
		in.use(id)
	}
	return x.Controllers
}

// controllersOf is what the controllers of an object depend on.
type controllersOf struct{ group, kind, namespace, managers string }

// foundControllers are the controllers that a search has found, and what it asked for.
type foundControllers struct {
	Controllers
	needs []Need
	uses  []object.ID
}

func (s *controllerSearch) find() (found Controllers) {
	s.installed()
	s.holds = s.awaits
	places := s.places(&found)
	type candidate struct {
		Controller
		points int
	}
	var list []candidate
	for _, p := range places {
		for _, pod := range s.list(&found, "", "Pod", p.namespace) {
			if pod.Pod == nil || pod.Pod.Phase == "Succeeded" || pod.Pod.Phase == "Failed" || !pod.Deleted.IsZero() {
				continue
			}
			if points, runs := s.points(namesOf(pod), p); points >= enough && !beside(pod.Name) {
				list = append(list, candidate{Controller{pod, s.container(pod), runs}, points})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(b.points-a.points, a.Pod.ID.Compare(b.Pod.ID))
	})
	for _, c := range list[:min(len(list), controllerPods)] {
		if c.points >= list[0].points-3 {
			found.Pods = append(found.Pods, c.Controller)
		}
	}
	if len(found.Pods) > 0 {
		return found
	}
	s.holds = s.awaits
	best := 0
	for _, p := range places {
		for _, w := range s.list(&found, "apps", "Deployment", p.namespace) {
			if w.Workload == nil || w.Workload.Replicas.Or(1) != 0 {
				continue
			}
			if points, runs := s.points(namesOf(w), p); runs && points >= enough && points > best {
				best, found.Stopped = points, w
			}
		}
	}
	return found
}

// enough are the points with which something is taken for a controller of the kind.
const enough = 4

// controllerSearch is a search for the controller of an object.
type controllerSearch struct {
	in       *Inspector
	kind     string
	words    []string // the project may be called
	installs []string // the names of what has installed the definition
	managers []string // that have written the object's status, or keep it from deletion
	certain  []string // namespaces that something names
	awaits   bool     // not all that has been asked for is known
	holds    bool     // what follows is not asked for before that is known
}

// place is a namespace in which a controller may be.
type place struct {
	namespace string
	points    int
	own       bool // nothing but the object itself is there for sure
}

// written reads who writes the object.
func (s *controllerSearch) written() {
	for _, w := range s.in.Object.Writers {
		if (w.Status || len(w.Finalizers) > 0) && !slices.Contains(commonManagers, strings.ToLower(w.Manager)) {
			s.managers = append(s.managers, squashed(w.Manager))
		}
	}
}

// installed reads who has installed the definition.
func (s *controllerSearch) installed() {
	o := s.in.Object
	for part := range strings.SplitSeq(o.Group, ".") {
		if len(part) > 2 && !slices.Contains(commonWords, part) {
			s.words = append(s.words, part)
		}
	}
	definitions := Definitions(s.in, o.Group, o.Kind)
	usual := ClusterID("apiextensions.k8s.io", "CustomResourceDefinition", wording.PluralOf(o.Kind)+"."+o.Group)
	s.awaits = len(definitions) == 0 && !s.in.Absent(usual) &&
		s.in.Snapshot.Hidden(usual.Group, usual.Kind, "") == ""
	for _, d := range definitions {
		s.name(&s.certain, d.Str("spec", "conversion", "webhook", "clientConfig", "service", "namespace"))
		for _, a := range d.Annotations {
			switch a.Key {
			case "meta.helm.sh/release-namespace":
				s.name(&s.certain, a.Value)
			case "meta.helm.sh/release-name":
				s.name(&s.installs, a.Value)
			case "cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret":
				namespace, _, _ := strings.Cut(a.Value, "/")
				s.name(&s.certain, namespace)
			}
		}
		for _, l := range d.Labels {
			switch l.Key {
			case "app.kubernetes.io/instance", "app.kubernetes.io/name", "app.kubernetes.io/part-of", "app", "release",
				"cluster.x-k8s.io/provider":
				s.name(&s.installs, l.Value)
			}
			// operators.coreos.com/PACKAGE.NAMESPACE (operator-lifecycle-manager v0.30)
			if rest, ok := strings.CutPrefix(l.Key, "operators.coreos.com/"); ok {
				if i := strings.LastIndexByte(rest, '.'); i > 0 {
					s.name(&s.certain, rest[i+1:])
					s.name(&s.installs, rest[:i])
				}
			}
		}
	}
}

// commonWords are parts of the names of many API groups.
var commonWords = []string{
	"com", "org", "net", "dev", "k8s", "x-k8s", "kubernetes", "sigs", "api", "apps", "app", "cloud", "operator",
	"operators", "core", "crd", "crds", "tech", "infra", "services", "resources", "github", "gitlab", "example", "toolkit",
}

// commonManagers are field managers that say nothing of who they are.
var commonManagers = []string{
	"manager", "controller", "operator", "unknown", "kubectl", "helm", "main", "python-httpx", "okhttp",
}

func (s *controllerSearch) name(list *[]string, name string) {
	if name != "" && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// places are the namespaces whose Pods are looked at: those that something names, or else those that
// are called after the project, and the object's own.
func (s *controllerSearch) places(found *Controllers) (out []place) {
	for _, n := range s.certain[:min(len(s.certain), controllerNamespaces-1)] {
		out = append(out, place{namespace: n, points: 3})
	}
	own := s.in.Object.Namespace
	if len(out) == 0 {
		for _, n := range s.list(found, "", "Namespace", "") {
			if points := s.calledAfter(n.Name); points > 0 && n.Name != own {
				out = append(out, place{namespace: n.Name, points: points})
			}
		}
		slices.SortStableFunc(out, func(a, b place) int {
			return cmp.Or(b.points-a.points, cmp.Compare(len(a.namespace), len(b.namespace)))
		})
		out = out[:min(len(out), controllerNamespaces)]
		for i := range out {
			out[i].points = 2
		}
		if own != "" {
			out = append(out, place{own, min(2*s.calledAfter(own), 2), true})
		}
	}
	return out
}

// calledAfter reports how well the name of a namespace fits the project: 2 if a part of it is a word of
// the group, or the name of what has installed the definition, 1 if only their beginnings are the same.
func (s *controllerSearch) calledAfter(namespace string) (best int) {
	whole := squashed(namespace)
	for _, word := range slices.Concat(s.words, s.installs, []string{s.kind}) {
		word = squashed(word)
		if len(word) < 3 {
			continue
		}
		for part := range strings.SplitSeq(namespace, "-") {
			switch {
			case part == word || len(word) > 4 && strings.Contains(whole, word):
				best = max(best, 2)
			case len(part) > 3 && strings.HasPrefix(word, part), len(word) > 3 && strings.HasPrefix(part, word):
				best = max(best, 1)
			}
		}
	}
	return best
}

// points say how likely something with these names is the controller, and runs whether it is called
// so, or writes the object.
func (s *controllerSearch) points(names []string, at place) (points int, runs bool) {
	has := func(test func(name string) bool) bool { return slices.ContainsFunc(names, test) }
	contains := func(words []string, least int) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			word = squashed(word)
			return len(word) >= least && has(func(name string) bool { return strings.Contains(name, word) })
		})
	}
	runs = has(func(name string) bool { // an Alertmanager is none
		name = strings.ReplaceAll(name, s.kind, "")
		return strings.Contains(name, "operator") || strings.Contains(name, "controller") ||
			strings.Contains(name, "manager") || strings.Contains(name, "reconciler")
	})
	called := contains(s.words, 3)
	points = at.points
	if runs {
		points += 3
	}
	if called {
		points += 2
	}
	if contains(s.installs, 3) {
		points += 3
		called = true
	}
	if runs && contains([]string{s.kind}, 5) { // what an object consists of is called after its kind, too
		points += 4
		called = true
	}
	if contains(s.managers, 3) {
		points += 5
		called, runs = true, true
	}
	switch {
	case at.own && !runs:
		return 0, runs
	case !runs && !called, at.points < 3 && !called:
		return 0, runs
	}
	return points, runs
}

// beside reports whether a Pod is called as a part of a project that does not work on its objects.
func beside(pod string) bool {
	return slices.ContainsFunc(strings.Split(pod, "-"), func(part string) bool {
		return slices.Contains([]string{"webhook", "cainjector", "dashboard", "exporter", "ui"}, part)
	})
}

// namesOf are the names by which a Pod or a Deployment may be recognized, squashed.
func namesOf(o *object.Object) (out []string) {
	add := func(name string) {
		if name != "" {
			out = append(out, squashed(name))
		}
	}
	image := func(image string) {
		image, _, _ = strings.Cut(image, "@")
		add(strings.Split(image[strings.LastIndexByte(image, '/')+1:], ":")[0])
	}
	add(o.Name)
	for _, key := range [...]string{
		"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/part-of",
		"app.kubernetes.io/component", "app", "name", "control-plane", "k8s-app", "release", "chart",
		"cluster.x-k8s.io/provider",
	} {
		value, _ := o.Label(key)
		add(value)
	}
	if o.Pod != nil {
		for i := range o.Pod.Containers {
			if c := &o.Pod.Containers[i]; c.Kind != object.InitContainer && !slices.Contains(sidecars, c.Name) {
				add(c.Name)
				image(c.Image)
			}
		}
	}
	if o.Workload != nil {
		for _, i := range o.Workload.Images {
			add(i.Container)
			image(i.Image)
		}
	}
	return out
}

// sidecars are containers beside a controller.
var sidecars = []string{
	"kube-rbac-proxy", "istio-proxy", "linkerd-proxy", "vault-agent", "cloud-sql-proxy", "oauth-proxy", "config-reloader",
}

// container is the container of a Pod that runs the controller.
func (s *controllerSearch) container(pod *object.Object) (name string) {
	best := -1
	for i := range pod.Pod.Containers {
		c := &pod.Pod.Containers[i]
		if c.Kind == object.InitContainer || slices.Contains(sidecars, c.Name) {
			continue
		}
		points, low := 0, squashed(c.Name)
		for _, word := range [...]string{"manager", "controller", "operator", s.kind} {
			if strings.Contains(low, word) {
				points++
			}
		}
		if points > best {
			name, best = c.Name, points
		}
	}
	return name
}

// list are the known objects of a kind. All are asked for.
func (s *controllerSearch) list(found *Controllers, group, kind, namespace string) []*object.Object {
	l := s.in.Known(group, kind, namespace)
	if !s.holds {
		l = s.in.List(group, kind, namespace)
	}
	id := object.ID{Group: group, Kind: kind, Namespace: namespace}
	if l.hidden != "" && !slices.Contains(found.Unread, id) {
		found.Unread = append(found.Unread, id)
	}
	s.awaits = s.awaits || !l.Complete && l.hidden == ""
	return l.Items
}

// squashed is a name in lower case without what stands between its parts.
func squashed(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
