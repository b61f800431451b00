package status

// Status is one of kstatus's six statuses. The zero value is invalid.
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

// Statuses lists all six, worst first, as they are displayed.
var Statuses = []Status{Failed, Unknown, NotFound, InProgress, Terminating, Current}
