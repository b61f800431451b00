package inventory

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Helm keeps revisions of a release and no object for the release itself, so
// there is no root to read: see helm.go.
var helmSources = []Source{{
	Name: "Helm release", Short: "helm", Group: "helm.sh", Kind: "Release",
	Scheme: &Scheme{
		form: "helm/[NAMESPACE/]RELEASE[@REVISION]", least: 1, most: 2,
		read: func(w []string, t *Target) error {
			t.Name = w[0]
			if name, revision, ok := strings.Cut(w[0], "@"); ok {
				n, err := strconv.Atoi(revision)
				if err != nil || n < 1 {
					return errors.New("a revision is a number, as in helm/web@3")
				}
				t.Name, t.HelmVersion = name, n
			}
			return nil
		},
	},
	InventoriesOf: func(o *object.Object) []Target {
		if label(o, "app.kubernetes.io/managed-by") != "Helm" {
			return nil
		}
		name := annotation(o, "meta.helm.sh/release-name")
		ns := cmp.Or(annotation(o, "meta.helm.sh/release-namespace"), o.Namespace)
		return []Target{{Source: "helm/" + name, Scheme: "helm", Namespace: ns, Name: name}}
	},
}}

// HelmReleaseID is the identity of a release: Helm stores revisions, but no
// object for the release itself.
func HelmReleaseID(namespace, name string) object.ID {
	return object.ID{Group: "helm.sh", Kind: "Release", Namespace: namespace, Name: name}
}

// HelmReleaseName is the name that helm-controller gives to a HelmRelease's
// release (internal/release/name.go, v1.6).
func HelmReleaseName(given, targetNamespace, name string) string {
	full := cmp.Or(given, strings.TrimPrefix(targetNamespace+"-"+name, "-"))
	if len(full) > 53 {
		return fmt.Sprintf("%s-%x", full[:40], sha256.Sum256([]byte(full)))[:53]
	}
	return full
}
