package cluster

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"certificates.k8s.io/CertificateSigningRequest"}, Find: request})
}

// approvalPatience is how long an approver takes at most: all that are known react to the request
// itself. What nobody approves is deleted after a day (kubernetes v1.36,
// pkg/controller/certificates/cleaner, pendingExpiration).
const approvalPatience = 10 * time.Minute

// request finds RequestNotApproved. The API server's own signers approve themselves only the
// requests of kubelets for client certificates (kubernetes v1.36,
// pkg/controller/certificates/approver/sarapprove.go).
func request(in *inspect.Inspector) {
	o := in.Object
	decided := func(c object.Condition) bool { return c.Type == "Approved" || c.Type == "Denied" || c.Type == "Failed" }
	if slices.ContainsFunc(o.Conditions, decided) {
		return
	}
	signer, by := o.Str("spec", "signerName"), o.Str("spec", "username")
	f := in.Find(codes.RequestNotApproved,
		"waits for somebody to approve it, for signer %s, requested by %s", signer, by)
	f.Since, f.Key = o.Created, signer
	f.Prove("spec.signerName", signer)
	f.Prove("spec.username", by)
	f.ProveUnset(o.ID, "status.conditions")
	if signer == "kubernetes.io/kubelet-serving" {
		f.Detail = "Kubernetes itself approves no serving certificates of kubelets: an approver does, or an administrator."
	}
	if in.Older(o.Created, approvalPatience) {
		f.Class = codes.Action
		f.Say("nobody has approved it, for signer %s, requested by %s", signer, by)
	}
	f.Offer("kubectl certificate approve "+o.Name, "the signer issues the certificate")
}
