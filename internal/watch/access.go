package watch

import (
	"cmp"
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Access is a permission: a verb on a resource in a namespace ("" means all),
// for one name ("" means any).
type Access struct {
	Verb, Group, Resource, Subresource, Namespace, Name string
}

// Compare orders permissions by namespace, resource, name and verb.
func (a Access) Compare(b Access) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
		cmp.Compare(a.Subresource, b.Subresource), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Verb, b.Verb))
}

// String says what is not permitted without it: "cannot watch deployments.apps
// in shop".
func (a Access) String() string {
	s := "cannot " + a.Verb + " " + a.Resource
	if a.Subresource != "" {
		s += "/" + a.Subresource
	}
	if a.Group != "" {
		s += "." + a.Group
	}
	if a.Name != "" {
		s += " " + a.Name
	}
	if a.Namespace != "" {
		s += " in " + a.Namespace
	}
	return s
}

// Lacking returns the permissions that the configuration's user does not have,
// according to SelfSubjectAccessReviews, which store nothing.
func Lacking(ctx context.Context, config *rest.Config, rights []Access) ([]Access, error) {
	scheme := runtime.NewScheme()
	if err := authorizationv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.GroupVersion, config.APIPath = &authorizationv1.SchemeGroupVersion, "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	var out []Access
	for _, a := range rights {
		review := authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: a.Namespace, Verb: a.Verb, Group: a.Group, Resource: a.Resource, Subresource: a.Subresource, Name: a.Name,
			}},
		}
		if err := client.Post().Resource("selfsubjectaccessreviews").Body(&review).Do(ctx).Into(&review); err != nil {
			return nil, &kube.Problem{Text: "cannot ask for the rights of the present user: " + err.Error(), Next: "kubectl auth can-i " + a.Verb + " " + a.Resource}
		}
		if !review.Status.Allowed {
			out = append(out, a)
		}
	}
	return out, nil
}
