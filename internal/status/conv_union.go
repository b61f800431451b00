package status

// union reads a state in the shape of a container's (core/v1, ContainerState):
// an object with one member, which is named after the state and explains it, as
// in state.waiting.reason. It reports whether there is one.
func (j *judge) union(s *signals, path string, v any) bool {
	m, _ := v.(map[string]any)
	if len(m) != 1 {
		return false
	}
	for word, inner := range m {
		at, ok := inner.(map[string]any)
		if !ok {
			return false
		}
		path += "." + word
		reason, _ := at["reason"].(string)
		sig := Assessment{Rule: "convention.union", Reason: reasonWord(reason), Message: phaseMessage(path, word, at), Paths: []string{path}}
		class := classify(word)
		switch code, exited := at["exitCode"].(int64); {
		case exited && code == 0, word == "terminated" && classify(reason) == wordGood:
			class = wordGood
		case exited:
			class, sig.Terminal = wordBad, bounded(j.o.Kind)
		case class == wordGood && bounded(j.o.Kind) && under(word):
			class = wordProgress
		case classify(reason) == wordBad:
			class = wordBad
		}
		return (class != wordGood || s.rank <= rankGood && !s.badOnly) && s.class(class, sig)
	}
	return false
}
