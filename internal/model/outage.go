package model

import "github.com/kstatus-tui/kstatus-tui/internal/model/world"

// Outage tells of a lost connection in lines: that it is lost, each time that
// something else is known to be wrong, and that it is back. Its zero value has
// told nothing.
type Outage struct {
	told map[string]bool // what has been said to be wrong; nil while nothing is
}

// outageLines bounds them: there are errors that never say the same twice.
const outageLines = 8

// News is what has not been told yet, or "".
func (o *Outage) News(c world.Connection) string {
	switch c.Link {
	case world.LinkReconnecting, world.LinkStale:
		what := c.Trouble()
		if o.told[what] || len(o.told) >= outageLines {
			return ""
		}
		if o.told == nil {
			o.told = map[string]bool{}
		}
		o.told[what] = true
		return "connection lost: " + what
	case world.LinkLive:
		if o.told != nil {
			o.told = nil
			return "connected again"
		}
	}
	return ""
}
