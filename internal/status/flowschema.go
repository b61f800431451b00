package status

func flowSchema(j *judge) Assessment {
	if i := j.index("Dangling"); i >= 0 && isTrue(&j.o.Conditions[i]) {
		return j.judged(Failed, i, "dangling")
	}
	return j.by("dangling", "status.conditions").current("Flow schema is in force")
}
