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
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

const rbacLong = `Print the Roles, and the ClusterRole, that following these sources needs: what is read of
them now and of everything generated from them, their events and logs, and nothing else.
With --check, say which of these rights the present user lacks instead (-o yaml: as the
Roles that grant them); exit codes 0 none, 1 some.`

type rbacOptions struct {
	followOptions
	check       bool
	name        string
	output      string
	outputGiven bool
}

func newRBACCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	o := &rbacOptions{followOptions: newFollowOptions(s, c)}
	cmd := &cobra.Command{
		Use: "rbac [SOURCE…]", Short: "Print the rights that following needs, or check them", Long: rbacLong,
		Example: "  kstatus-tui rbac -n shop --all > role.yaml\n  kstatus-tui rbac helm/shop --check",
		RunE:    runs(o),
	}
	o.addFlags(cmd)
	o.children, cmd.Flags().Lookup("children").DefValue = "all", "all"
	cmd.Flags().BoolVar(&o.check, "check", false, "say what the present user lacks")
	cmd.Flags().StringVar(&o.name, "name", "kstatus-tui", "the name of the Roles")
	choose(cmd.Flags(), &o.output, "output", "o", "yaml", "yaml or table", []cobra.Completion{"yaml", "table"})
	return cmd
}

func (o *rbacOptions) Complete(cmd *cobra.Command, args []string) error {
	o.outputGiven = cmd.Flags().Changed("output")
	return o.followOptions.Complete(cmd, args)
}

func (o *rbacOptions) Validate() error {
	if o.replay != "" {
		return problem.New("leave --replay out", "a recording needs no permissions")
	}
	return o.followOptions.Validate()
}

func (o *rbacOptions) Run(ctx context.Context) error {
	ses, err := o.open(ctx)
	if err != nil {
		return err
	}
	m, err := o.look(ctx, ses, onceTimeout)
	if err = cmp.Or(err, ses.close()); err != nil {
		return err
	}
	rights := rightsFor(m.Sources(), m.Namespaces())
	if slices.ContainsFunc(m.Sources(), func(s feed.SourceState) bool { return s.Phase == feed.Forbidden }) {
		fmt.Fprintln(o.ErrOut, "kstatus-tui: what may not be read may have more below it: once it may be read, ask again")
	}
	if !o.check {
		return rights.print(o.Out, o.output, o.name)
	}
	connection, err := connect(o.connection)
	if err != nil {
		return err
	}
	lacking, err := watch.Lacking(ctx, connection.config, rights.each())
	if err != nil || len(lacking) == 0 {
		return err
	}
	if !o.outputGiven {
		for _, a := range lacking {
			fmt.Fprintln(o.Out, a)
		}
	} else if err := rightsOf(lacking).print(o.Out, o.output, o.name); err != nil {
		return err
	}
	return exitWith(exitError)
}

// rights are the required read permissions: by namespace ("" for the whole
// cluster) and resource, the names of single objects, or none for all objects.
type rights map[string]map[resourceOf]map[string]bool

type resourceOf struct{ group, resource string }

// rightsFor returns the permissions that the sources need, including those for
// events and for the logs of their Pods.
func rightsFor(sources []feed.SourceState, namespaces []string) rights {
	r := rights{}
	for _, s := range sources {
		r.add(s.Namespace, resourceOf{s.Group, s.Resource}, s.Name)
		if s.Group == "" && s.Resource == "pods" {
			r.add(s.Namespace, resourceOf{"", "pods/log"}, "")
		}
	}
	for _, ns := range namespaces {
		r.add(ns, resourceOf{"", "events"}, "")
	}
	for ns, list := range r {
		for of := range list {
			if _, all := r[""][of]; ns != "" && all && len(r[""][of]) == 0 {
				delete(list, of)
			}
		}
		if len(list) == 0 {
			delete(r, ns)
		}
	}
	return r
}

// rightsOf returns the permissions of which single ones are given.
func rightsOf(list []watch.Access) rights {
	r := rights{}
	for _, a := range list {
		resource := a.Resource
		if a.Subresource != "" {
			resource += "/" + a.Subresource
		}
		r.add(a.Namespace, resourceOf{a.Group, resource}, a.Name)
	}
	return r
}

func (r rights) add(namespace string, of resourceOf, name string) {
	if r[namespace] == nil {
		r[namespace] = map[resourceOf]map[string]bool{}
	}
	names, known := r[namespace][of]
	switch {
	case name == "":
		r[namespace][of] = nil
	case !known:
		r[namespace][of] = map[string]bool{name: true}
	case names != nil:
		names[name] = true
	}
}

// verbs are the verbs that a resource is read with.
func (of resourceOf) verbs() []string {
	switch of.resource {
	case "pods/log":
		return []string{"get"}
	case "events":
		return []string{"list", "watch"}
	}
	return []string{"get", "list", "watch"} // the YAML pane needs get
}

// each returns every single permission, sorted.
func (r rights) each() (out []watch.Access) {
	for _, ns := range slices.Sorted(maps.Keys(r)) {
		for of, names := range r[ns] {
			resource, sub, _ := strings.Cut(of.resource, "/")
			for _, verb := range of.verbs() {
				a := watch.Access{Verb: verb, Group: of.group, Resource: resource, Subresource: sub, Namespace: ns}
				if len(names) == 0 {
					out = append(out, a)
				}
				for name := range names {
					a.Name = name
					out = append(out, a)
				}
			}
		}
	}
	slices.SortFunc(out, watch.Access.Compare)
	return out
}

// rules returns a Role's rules for a namespace: one for each API group and set
// of verbs, and one for each resource of which only named objects are read.
func (r rights) rules(namespace string) (out []rbacv1.PolicyRule) {
	at := map[string]int{}
	list := r[namespace]
	for _, of := range slices.SortedFunc(maps.Keys(list), func(a, b resourceOf) int {
		return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.resource, b.resource))
	}) {
		rule := rbacv1.PolicyRule{APIGroups: []string{of.group}, Resources: []string{of.resource}, Verbs: of.verbs(), ResourceNames: slices.Sorted(maps.Keys(list[of]))}
		key := of.group + " " + strings.Join(of.verbs(), " ")
		if i, known := at[key]; known && len(rule.ResourceNames) == 0 {
			out[i].Resources = append(out[i].Resources, of.resource)
			continue
		}
		if len(rule.ResourceNames) == 0 {
			at[key] = len(out)
		}
		out = append(out, rule)
	}
	return out
}

// print prints the Roles, or a table with a line for each of their rules.
func (r rights) print(w io.Writer, output, name string) error {
	if output == "yaml" {
		return printRoles(w, r, name)
	}
	t := tabbed(w)
	fmt.Fprintln(t, "NAMESPACE\tRESOURCES\tNAMES\tVERBS")
	for _, ns := range slices.Sorted(maps.Keys(r)) {
		for _, rule := range r.rules(ns) {
			var resources []string
			for _, resource := range rule.Resources {
				resources = append(resources, schema.GroupResource{Group: rule.APIGroups[0], Resource: resource}.String())
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", cmp.Or(ns, "-"), strings.Join(resources, ","), cmp.Or(strings.Join(rule.ResourceNames, ","), "*"), strings.Join(rule.Verbs, ","))
		}
	}
	return t.Flush()
}

// printRoles prints a Role for each namespace, and a ClusterRole for
// cluster-scoped resources and reads of all namespaces.
func printRoles(w io.Writer, r rights, name string) error {
	for _, ns := range slices.Sorted(maps.Keys(r)) {
		role := any(rbacv1.Role{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns}, Rules: r.rules(ns),
		})
		if ns == "" {
			role = rbacv1.ClusterRole{
				TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
				ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: r.rules(ns),
			}
		}
		text, err := yaml.Marshal(role)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}
