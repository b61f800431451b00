package known

import "github.com/kstatus-tui/kstatus-tui/internal/model/world"

// Outage reports a lost connection in lines: the loss, each further problem,
// and the recovery. The zero value has reported nothing.
type Outage struct {
	reported map[string]bool // problems reported; nil while connected
}

// outageLines bounds the lines: some errors are never the same twice.
const outageLines = 8

// News is the next line, or "".
func (o *Outage) News(c world.Connection) string {
	switch c.Link {
	case world.LinkReconnecting, world.LinkStale:
		what := c.Problem()
		if o.reported[what] || len(o.reported) >= outageLines {
			return ""
		}
		if o.reported == nil {
			o.reported = map[string]bool{}
		}
		o.reported[what] = true
		return "connection lost: " + what
	case world.LinkLive:
		if o.reported != nil {
			o.reported = nil
			return "connected again"
		}
	}
	return ""
}
