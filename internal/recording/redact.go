package recording

import "github.com/kstatus-tui/kstatus-tui/internal/status"

type redactor struct{}

func newRedactor() *redactor { return &redactor{} }

func (r *redactor) header(h Header) Header               { return h }
func (r *redactor) batch(b status.Batch) status.Batch    { return b }
func (r *redactor) memory(m status.Memory) status.Memory { return m }
func (r *redactor) mark(m status.Mark) status.Mark       { return m }
