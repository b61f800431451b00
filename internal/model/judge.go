package model

import "github.com/kstatus-tui/kstatus-tui/internal/status"

// judge is the one place where an object's status is decided.
func (w *world) judge(o *status.Object, in status.World) status.Assessment {
	if w.opt.Judge != nil {
		return w.opt.Judge(o, in, w.now)
	}
	return status.Assess(o, in, w.now)
}
