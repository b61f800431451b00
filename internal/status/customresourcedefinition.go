package status

// customResourceDefinition follows apiextensions-apiserver's controllers. Names
// taken by another definition do not become free by waiting.
func customResourceDefinition(j *judge) Assessment {
	conditions := j.o.Conditions
	if i := j.index("Terminating"); i >= 0 && isTrue(&conditions[i]) {
		return j.judged(InProgress, i, "terminating")
	}
	if i := j.index("NamesAccepted"); i >= 0 && isFalse(&conditions[i]) {
		return j.judged(Failed, i, "names-accepted").forGood()
	}
	if i := j.index("NonStructuralSchema"); i >= 0 && isTrue(&conditions[i]) {
		return j.judged(Failed, i, "structural-schema")
	}
	switch i := j.index("Established"); {
	case i < 0:
		return j.by("established", "status.conditions").progress("Installing", "Waiting to be established")
	case isTrue(&conditions[i]):
		a := j.judged(Current, i, "established")
		if k := j.index("KubernetesAPIApprovalPolicyConformant"); k >= 0 && isFalse(&conditions[k]) {
			a.Note = "a *.k8s.io group without the approval that the API policy asks for"
		}
		if who, state := j.serviceBehind(j.o.Map("spec", "conversion", "webhook", "clientConfig", "service")); state != "" {
			a.Note = who + " behind its conversion webhook " + state
		}
		return a
	case conditions[i].Reason == "Installing":
		return j.judged(InProgress, i, "established")
	default:
		return j.judged(Failed, i, "established")
	}
}
