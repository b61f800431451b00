package codes

// The codes of family general.
var (
	Progressing = register(Code{
		Name: "Progressing", Family: "general", Class: Waits,
		Meaning: "It is not finished yet, and nothing is known to be wrong.",
	})
	NotReady = register(Code{
		Name: "NotReady", Family: "general", Class: Action,
		Meaning: "It is not Current, and none of the other causes explains it; its own reason is given.",
	})
	NotFound = register(Code{
		Name: "NotFound", Family: "general", Class: Action,
		Meaning: "It is followed and does not exist.",
	})
	Disappeared = register(Code{
		Name: "Disappeared", Family: "general", Class: Action,
		Meaning: "It existed and was deleted while it was followed.",
		Reads:   "what was seen before",
	})
	KindNotServed = register(Code{
		Name: "KindNotServed", Family: "general", Class: Retries,
		Meaning: "The cluster does not serve the kind: its definition is missing or not established.",
		Reads:   "definitions",
	})
	NotVisible = register(Code{
		Name: "NotVisible", Family: "general", Class: Action,
		Meaning: "It cannot be read: not permitted (RBAC), or not saved.",
	})
	WarningEvent = register(Code{
		Name: "WarningEvent", Family: "general", Class: Retries,
		Meaning: "A controller reports a Warning about it, and nothing else says more.",
		Reads:   "events",
	})
	Deleting = register(Code{
		Name: "Deleting", Family: "general", Class: Waits,
		Meaning: "It is being deleted, within its grace period.",
	})
	InternalError = register(Code{
		Name: "InternalError", Family: "general", Class: Retries,
		Meaning: "An error in this program: the other causes are right, but one may be missing.",
	})
	SpecFought = register(Code{
		Name: "SpecFought", Family: "general", Class: Retries,
		Meaning: "Its spec is written again and again: two writers may disagree.",
		Reads:   "what was seen before",
	})
	Flapping = register(Code{
		Name: "Flapping", Family: "general", Class: Retries,
		Meaning: "It was Current and stopped being so, again and again.",
		Reads:   "what was seen before",
	})
)
