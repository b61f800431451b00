package known

import "github.com/kstatus-tui/kstatus-tui/internal/model/world"

// Outage reports a lost connection in lines: the loss, each further problem,
// and the recovery. The zero value has reported nothing.
type Outage struct {
	told map[string]bool // problems reported; nil while connected
}

// outageLines bounds the lines: some errors are never the same twice.
const outageLines = 8

// News is the next line, or "".
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
