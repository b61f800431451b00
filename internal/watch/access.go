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

// Access is a right: to do what to which resource, where ("" is everywhere), and of
// which name ("" is any).
type Access struct {
	Verb, Group, Resource, Subresource, Namespace, Name string
}

// Compare orders rights by where, on what and what they are.
func (a Access) Compare(b Access) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
		cmp.Compare(a.Subresource, b.Subresource), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Verb, b.Verb))
}

// String is the sentence that who lacks it needs: "cannot watch deployments.apps in shop".
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

// Lacking are those of the rights that the user of this configuration does not have, as
// the API server's SelfSubjectAccessReview says, which stores nothing.
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
