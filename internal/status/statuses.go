package status

// Status is one of kstatus's six words. The zero value is not a status.
type Status string

// The six statuses, spelled as kstatus spells them.
const (
	InProgress  Status = "InProgress"
	Failed      Status = "Failed"
	Current     Status = "Current"
	Terminating Status = "Terminating"
	NotFound    Status = "NotFound"
	Unknown     Status = "Unknown"
)

// Statuses lists all six, worst first: the order in which a person wants to
// see them.
var Statuses = []Status{Failed, Unknown, NotFound, InProgress, Terminating, Current}
