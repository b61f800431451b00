package inspect

import "strings"

// limitRanger is the annotation in which the API server notes what a LimitRange has
// set: "LimitRanger plugin set: memory limit for container app; cpu request for …"
// (kubernetes v1.36, plugin/pkg/admission/limitranger).
const limitRanger = "kubernetes.io/limit-ranger"

// ByLimitRange adds that a request or limit ("memory limit") of a container, or of
// any if it is "", comes from a LimitRange and not from the manifest.
func ByLimitRange(in *Inspector, f *Finding, what, container string) {
	set, ok := in.Object.Annotation(limitRanger)
	if !ok || in.Object.Pod == nil {
		return
	}
	_, list, _ := strings.Cut(set, ": ")
	for part := range strings.SplitSeq(list, ";") {
		values, of, _ := strings.Cut(part, " for ")
		if !strings.Contains(values, what) || container != "" && !strings.HasSuffix(of, " "+container) {
			continue
		}
		by := "a LimitRange"
		if ranges := in.List("", "LimitRange", in.Object.Namespace).Items; len(ranges) == 1 {
			by = "LimitRange " + ranges[0].Name
			f.Next = append(f.Next, in.Kubectl("describe", "limitrange", ranges[0].Name))
		}
		f.Also("%s set it", by)
		f.Prove("metadata.annotations["+limitRanger+"]", set)
		return
	}
}
