package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

const rbacLong = `Print the minimal RBAC (Roles and a ClusterRole) needed to follow these resources, with
everything generated from them, their events and their logs. Apply it, and bind it to whoever
needs it: kubectl create rolebinding kstatus-tui --role kstatus-tui --user dev -n shop.

With --check, print the permissions that the current user lacks instead (-o yaml: the Roles
that grant them). Exit codes: 0 none is missing, 1 some are missing. With --poll, nothing is
watched, and so no permission to watch is needed.`

// askForRights is the next step where something may not be read.
const askForRights = "kstatus-tui rbac SOURCE prints the Role that following a source needs; --check lists what you lack"

// askFor is the next step where something cannot be seen, by the message about it.
func askFor(refusal string) string {
	if feed.IsUnsaved(refusal) {
		return "how to save more: " + pagesURL + "saved-cluster.md"
	}
	return askForRights
}

type rbacOptions struct {
	followOptions
	printer
	check bool
	name  string
	lines bool // -o is not given: --check prints a line for each permission
}

func newRBACCommand(f followOptions) *cobra.Command {
	o := &rbacOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "rbac [SOURCE…]", Short: "Print the permissions that following needs, or check them", Long: rbacLong,
		Example: "  kstatus-tui rbac -n shop --all > role.yaml\n  kstatus-tui rbac helm/shop --check",
		RunE:    runs(o),
	}
	grouped(cmd.Flags(), sourceGroup, func(flags *pflag.FlagSet) {
		o.addSource(flags)
		o.addFrom(flags)
	})
	o.addReading(cmd.Flags())
	o.children, cmd.Flags().Lookup("children").DefValue = "all", "all"
	cmd.Flags().BoolVar(&o.check, "check", false, "print the permissions that the current user lacks")
	cmd.Flags().StringVar(&o.name, "name", "kstatus-tui", "the name of the Roles")
	o.printer.addFlags(cmd, "yaml", "table")
	addTimeout(cmd.Flags(), &o.timeout)
	return cmd
}

func (o *rbacOptions) Validate() error {
	if o.check && len(o.from) > 0 {
		return problem.New("leave --check out", "a saved cluster does not know the current user's permissions")
	}
	if err := o.followOptions.Validate(); err != nil {
		return err
	}
	return o.printer.Validate()
}

func (o *rbacOptions) Complete(cmd *cobra.Command, args []string) error {
	o.lines = !cmd.Flags().Changed("output") && !cmd.Flags().Changed("template")
	return o.followOptions.Complete(cmd, args)
}

func (o *rbacOptions) Run(ctx context.Context) error {
	ses, m, err := o.once(ctx)
	if err != nil {
		return err
	}
	if !m.Facts.Whole() {
		return problem.New(problem.Hint(noAnswer, ""), "%w: the permissions would be incomplete", noAnswer)
	}
	rights := rightsFor(searched(ses.targets, m), m.Facts.Sources(), m.Facts.Namespaces())
	if o.poll > 0 {
		rights = slices.DeleteFunc(rights, func(a watch.Access) bool { return a.Verb == "watch" })
	}
	if slices.ContainsFunc(m.Facts.Sources(), func(s feed.SourceState) bool { return s.Phase == feed.Forbidden }) {
		fmt.Fprintln(o.ErrOut,
			"kstatus-tui: what may not be read may have more below it: once it may be read, ask again")
	}
	if !o.check {
		return o.printRights(rights)
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	lacking, err := watch.Lacking(ctx, ses.config, rights)
	if err == nil && len(lacking) == 0 && o.lines {
		fmt.Fprintln(o.ErrOut, "kstatus-tui: no permission is missing")
	}
	if err != nil || len(lacking) == 0 {
		return err
	}
	if o.lines {
		for _, a := range lacking {
			fmt.Fprintln(o.Out, report.Inert(a.String()))
		}
	} else if err := o.printRights(lacking); err != nil {
		return err
	}
	return exitWith(exitError)
}

// searched returns the lists by which an inventory is found that is named by an
// id: at the place where it is, or, if it was not found, wherever it may be.
func searched(targets []inventory.Target, m *model.Model) map[watch.Access]bool {
	need := map[watch.Access]bool{}
	for _, t := range targets {
		places := t.Candidates()
		for _, id := range m.Facts.Roots() {
			if r, ok := m.Facts.Resource(id); ok && r.Object != nil &&
				r.Root != nil && r.Root.In.IsZero() && r.Root.Source == t.Source {
				elsewhere := func(c inventory.Candidate) bool {
					return c.ID.Kind != id.Kind || cmp.Or(c.ID.Name, id.Name) != id.Name
				}
				places = slices.DeleteFunc(places, elsewhere)
				places = places[:min(1, len(places))] // the search ends there
			}
		}
		for _, c := range places {
			resource, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: c.ID.Group, Kind: c.ID.Kind})
			need[watch.Access{
				Verb: "list", Group: c.ID.Group, Resource: resource.Resource,
				Namespace: c.ID.Namespace, Name: c.ID.Name,
			}] = true
		}
	}
	return need
}

// rightsFor returns the single permissions that the sources need beside others,
// sorted, including those for events and for the logs of their Pods.
func rightsFor(need map[watch.Access]bool, sources []feed.SourceState, namespaces []string) []watch.Access {
	add := func(of watch.Access, verbs ...string) {
		for _, of.Verb = range verbs {
			need[of] = true
		}
	}
	for _, s := range sources {
		// The YAML pane needs get.
		add(watch.Access{
			Group: s.Group, Resource: s.Resource, Namespace: s.Namespace,
			Name: s.Name,
		}, "get", "list", "watch")
		if s.Group == "" && s.Resource == "pods" {
			add(watch.Access{Resource: "pods", Subresource: "log", Namespace: s.Namespace}, "get")
		}
	}
	for _, ns := range namespaces {
		add(watch.Access{Resource: "events", Namespace: ns}, "list", "watch")
	}
	maps.DeleteFunc(need, func(a watch.Access, _ bool) bool { // another one includes it
		all, everywhere := a, a
		all.Name, everywhere.Name, everywhere.Namespace = "", "", ""
		return a != all && need[all] || a != everywhere && need[everywhere]
	})
	return slices.SortedFunc(maps.Keys(need), watch.Access.Compare)
}

// rolesOf returns the Roles that grant sorted permissions, and a ClusterRole for
// cluster-scoped resources and reads of all namespaces: with one rule for each
// API group and set of verbs, and one for each resource of which only named
// objects are read.
func rolesOf(rights []watch.Access, name string) (out []*rbacv1.Role) {
	verbs := map[watch.Access][]string{}
	for _, a := range rights {
		verb := a.Verb
		a.Verb = ""
		verbs[a] = append(verbs[a], verb)
	}
	for _, a := range slices.SortedFunc(maps.Keys(verbs), watch.Access.Compare) {
		if len(out) == 0 || out[len(out)-1].Namespace != a.Namespace {
			kind := "Role"
			if a.Namespace == "" {
				kind = "ClusterRole"
			}
			out = append(out, &rbacv1.Role{
				TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind},
				ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: a.Namespace},
			})
		}
		r, resource := out[len(out)-1], strings.TrimSuffix(a.Resource+"/"+a.Subresource, "/")
		i := slices.IndexFunc(r.Rules, func(rule rbacv1.PolicyRule) bool {
			named := len(rule.ResourceNames) > 0
			return rule.APIGroups[0] == a.Group && slices.Equal(rule.Verbs, verbs[a]) &&
				named == (a.Name != "") && (!named || rule.Resources[0] == resource)
		})
		if i < 0 {
			i = len(r.Rules)
			r.Rules = append(r.Rules, rbacv1.PolicyRule{APIGroups: []string{a.Group}, Verbs: verbs[a]})
		}
		rule := &r.Rules[i]
		if a.Name != "" {
			rule.ResourceNames = append(rule.ResourceNames, a.Name)
		}
		if !slices.Contains(rule.Resources, resource) {
			rule.Resources = append(rule.Resources, resource)
		}
	}
	return out
}

// printRights prints the Roles, or a table with a line for each of their rules.
func (o *rbacOptions) printRights(rights []watch.Access) error {
	roles := rolesOf(rights, o.name)
	var ids []object.ID
	for _, r := range roles {
		ids = append(ids, object.ID{Group: rbacv1.GroupName, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name})
	}
	return o.print(o.Out, o.ErrOut, printable{
		value: map[string]any{"apiVersion": "v1", "kind": "List", "items": roles}, items: "items", ids: ids,
		own: map[string]func(io.Writer) error{
			"yaml":  func(w io.Writer) error { return printRoles(w, roles) },
			"table": func(w io.Writer) error { return o.printRules(w, roles) },
		},
	})
}

// printRoles prints a stream of YAML documents, for kubectl apply -f.
func printRoles(w io.Writer, roles []*rbacv1.Role) error {
	for i, r := range roles {
		if i > 0 {
			if _, err := io.WriteString(w, "---\n"); err != nil {
				return err
			}
		}
		if err := report.WriteYAML(w, r); err != nil {
			return err
		}
	}
	return nil
}

func (o *rbacOptions) printRules(w io.Writer, roles []*rbacv1.Role) error {
	table := [][]string{{"NAMESPACE", "RESOURCES", "NAMES", "VERBS"}}
	if o.noHeaders {
		table = nil
	}
	for _, r := range roles {
		for _, rule := range r.Rules {
			var resources []string
			for _, resource := range rule.Resources {
				resources = append(resources,
					schema.GroupResource{Group: rule.APIGroups[0], Resource: resource}.String())
			}
			names := cmp.Or(strings.Join(rule.ResourceNames, ","), "*")
			table = append(table,
				[]string{r.Namespace, strings.Join(resources, ","), names, strings.Join(rule.Verbs, ",")})
		}
	}
	return printRows(w, table)
}
