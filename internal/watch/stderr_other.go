//go:build !unix

package watch

import "github.com/kstatus-tui/kstatus-tui/internal/status"

// CaptureStderr does nothing on this system.
func CaptureStderr(func(status.Notice)) (restore func(), err error) { return func() {}, nil }
