package status

import "github.com/kstatus-tui/kstatus-tui/internal/object"

// validatingAdmissionPolicy: the controller type-checks the expressions and
// writes warnings; the policy is in force all the same.
func validatingAdmissionPolicy(j *judge) Assessment {
	a := j.by("type-checking", "status.typeChecking").current("Policy is in force")
	if warnings := j.o.List("status", "typeChecking", "expressionWarnings"); len(warnings) > 0 {
		field, _ := object.At(warnings[0], "fieldRef").(string)
		a.Note = count(len(warnings), "type-checking warning") + ", the first at " + field
	}
	return a
}
