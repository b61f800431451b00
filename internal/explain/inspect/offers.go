package inspect

// What commands that change the cluster do: several families offer them.

// Uncordons is the effect of kubectl uncordon.
const Uncordons = "pods may be scheduled to the node again"

// OfferForce offers to force-delete a Pod whose end no kubelet confirms.
func OfferForce(in *Inspector, f *Finding) {
	f.Offer(in.Kubectl("delete", "pod", in.Object.Name, "--force", "--grace-period=0"),
		"removes the Pod from the API; its processes may still run")
}
