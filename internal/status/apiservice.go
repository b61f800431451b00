package status

func apiService(j *judge) Assessment {
	i := j.index("Available")
	if i < 0 {
		return j.by("available", "status.conditions").silent("Condition Available is not reported yet")
	}
	s := InProgress
	switch c := &j.o.Conditions[i]; {
	case isTrue(c):
		s = Current
	case c.Reason == "ServiceNotFound", c.Reason == "ServicePortError":
		s = Failed
	}
	return j.judged(s, i, "available")
}
