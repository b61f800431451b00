package edges

import (
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

// What a project's resource names is found at any depth, by the names of its fields, although only
// little of the spec is kept.
func TestACustomResourcesSpecNamesObjects(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{"references without a kind", `{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"w","namespace":"a"},"spec":{"scaleTargetRef":{"name":"worker"},"triggers":[{"type":"sqs","metadata":{"url":"x"},"authenticationRef":{"name":"sqs-auth"}}]}}`, []string{
			"spec.scaleTargetRef.name apps/Deployment a/worker", "spec.triggers[0].authenticationRef.name keda.sh/TriggerAuthentication a/sqs-auth",
		}},
		{"a list of references", `{"apiVersion":"keda.sh/v1alpha1","kind":"TriggerAuthentication","metadata":{"name":"t","namespace":"a"},"spec":{"secretTargetRef":[{"parameter":"id","name":"creds","key":"id"}]}}`, []string{
			"spec.secretTargetRef[0].name Secret a/creds",
		}},
		{"deep in the spec", `{"apiVersion":"db.example.io/v1","kind":"Database","metadata":{"name":"d","namespace":"a"},"spec":{"backup":{"s3":{"credentials":{"accessKeySecretRef":{"name":"s3","key":"id"}}}},"storage":{"storageClassName":"fast"},"tls":{"secretName":"made-here"},"poolerRef":{"name":"p"}}}`, []string{
			"spec.backup.s3.credentials.accessKeySecretRef.name Secret a/s3", "spec.poolerRef.name db.example.io/Pooler a/p guessed",
			"spec.storage.storageClassName storage.k8s.io/StorageClass /fast", "spec.tls.secretName Secret a/made-here may be made",
		}},
		{"Flux has a group for each controller", `{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"k","namespace":"a"},"spec":{"sourceRef":{"kind":"GitRepository","name":"g"}}}`, []string{
			"spec.sourceRef.name source.toolkit.fluxcd.io/GitRepository a/g",
		}},
		{"what is taken from another", `{"apiVersion":"ec2.aws.upbound.io/v1beta1","kind":"Route","metadata":{"name":"r"},"spec":{"forProvider":{"routeTableIdRef":{"name":"rt"},"roleArnRef":{"name":"role"},"idRef":{"name":"x"}}}}`, []string{
			"spec.forProvider.idRef.name ec2.aws.upbound.io/Id /x guessed", "spec.forProvider.roleArnRef.name ec2.aws.upbound.io/Role /role guessed",
			"spec.forProvider.routeTableIdRef.name ec2.aws.upbound.io/RouteTable /rt guessed",
		}},
		{"what selects a key of a Secret", `{"apiVersion":"rds.services.k8s.aws/v1alpha1","kind":"DBInstance","metadata":{"name":"d","namespace":"a"},"spec":{"masterUserPassword":{"namespace":"b","name":"db","key":"password"},"tls":{"caCertificate":{"name":"ca","key":"ca.crt"}},"label":{"name":"x","key":"y"}}}`, []string{
			"spec.masterUserPassword.name Secret b/db", "spec.tls.caCertificate.name Secret a/ca",
		}},
		{"a template is no name", `{"apiVersion":"db.example.io/v1","kind":"Database","metadata":{"name":"d","namespace":"a"},"spec":{"secretRef":{"name":"{{ .x }}"}}}`, nil},
	} {
		o, err := convert.JSON([]byte(c.doc), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range Mentions(o) {
			s := m.Path + " " + m.To.GroupKind() + " " + m.To.Namespace + "/" + m.To.Name
			if m.Guessed {
				s += " guessed"
			}
			if !m.Ref {
				s += " may be made"
			}
			got = append(got, s)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The group of a kind that a message names without one is that of the object's inventory.
func TestAnInventoryKnowsTheGroupsOfItsKinds(t *testing.T) {
	o, err := convert.JSON([]byte(`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"k","namespace":"a"},
		"status":{"inventory":{"entries":[{"id":"a_web-tls_cert-manager.io_Certificate","v":"v1"},{"id":"a_web__Service","v":"v1"}]}}}`), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{"Certificate": "cert-manager.io", "HelmRelease": "helm.toolkit.fluxcd.io", "Widget": "kustomize.toolkit.fluxcd.io"} {
		if got := Sibling(o, kind); got != want {
			t.Errorf("%s: group %q, want %q", kind, got, want)
		}
	}
}
