package status

import "strings"

func certificateSigningRequest(j *judge) Assessment {
	for _, typ := range [...]string{"Denied", "Failed"} {
		if i := j.index(typ); i >= 0 && j.o.Conditions[i].Status != "False" {
			return j.judged(Failed, i, strings.ToLower(typ)).forGood()
		}
	}
	j.by("certificate", "status.certificate")
	if j.o.Str("status", "certificate") != "" {
		return j.current("Certificate is issued")
	}
	if j.index("Approved") >= 0 {
		return j.progress("Approved", "Approved; waiting for the signer "+j.o.Str("spec", "signerName"))
	}
	return j.by("approval", "status.conditions").progress("Pending", "Waiting for approval")
}
