package watch

import (
	"cmp"
	"context"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// Access is a permission: a verb on a resource in a namespace ("" means all),
// for one name ("" means any).
type Access authorizationv1.ResourceAttributes

// Compare orders permissions by namespace, resource, name and verb.
func (a Access) Compare(b Access) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
		cmp.Compare(a.Subresource, b.Subresource), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Verb, b.Verb))
}

// String says what is not permitted without it: "cannot watch pods in shop".
func (a Access) String() string {
	resource := schema.GroupResource{Group: a.Group, Resource: strings.TrimSuffix(a.Resource+"/"+a.Subresource, "/")}
	s := strings.TrimSuffix("cannot "+a.Verb+" "+resource.String()+" "+a.Name, " ")
	return strings.TrimSuffix(s+" in "+a.Namespace, " in ")
}

// Lacking returns the permissions that the configuration's user does not have,
// according to SelfSubjectAccessReviews, which store nothing.
func Lacking(ctx context.Context, config *rest.Config, rights []Access) ([]Access, error) {
	client, err := authorizationclient.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	var out []Access
	for _, a := range rights {
		review := authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: new(authorizationv1.ResourceAttributes(a)),
			},
		}
		answer, err := client.SelfSubjectAccessReviews().Create(ctx, &review, metav1.CreateOptions{})
		if err != nil {
			return nil, problem.New("kubectl auth can-i "+a.Verb+" "+a.Resource,
				"cannot ask for the rights of the present user: %w", err)
		}
		if !answer.Status.Allowed {
			out = append(out, a)
		}
	}
	return out, nil
}
