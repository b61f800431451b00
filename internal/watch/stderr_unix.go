//go:build unix

package watch

import (
	"bufio"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// CaptureStderr turns the process's standard error into notices, line by line:
// credential programs and libraries write to file descriptor 2 whatever a
// screen looks like. The returned function brings the real one back and waits
// until everything has been told; call it also before printing a panic.
func CaptureStderr(tell func(status.Notice)) (restore func(), err error) {
	saved, err := unix.Dup(2)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(saved)
	r, w, err := os.Pipe()
	if err != nil {
		_ = unix.Close(saved)
		return nil, err
	}
	if err := unix.Dup2(int(w.Fd()), 2); err != nil {
		_ = unix.Close(saved)
		return nil, err
	}
	_ = w.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		br := bufio.NewReaderSize(r, 16<<10)
		for {
			line, err := readLogLine(br)
			if line = strings.TrimSpace(line); line != "" {
				tell(status.Notice{Level: "info", From: "stderr", Text: status.Clean(line)})
			}
			if err != nil {
				return
			}
		}
	}()
	return func() {
		// Replacing descriptor 2 closes the pipe's last writer, unless a child
		// process still holds it: then we do not wait for it.
		_ = unix.Dup2(saved, 2)
		_ = unix.Close(saved)
		_ = r.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		<-done
		_ = r.Close()
	}, nil
}
