//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

import (
	"bytes"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// watchForQ calls left when q is typed and no other program reads it, until
// stop is called. Echo and signals stay as they are, because a credential
// plugin may ask for a password; but q ends a line, so that it can be read
// without Enter.
func watchForQ(keys *os.File, left func()) (stop func()) {
	fd := int(keys.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil || !inForeground(fd) {
		return func() {}
	}
	with := *before
	with.Cc[unix.VEOL] = 'q'
	if unix.IoctlSetTermios(fd, setTermios, &with) != nil {
		return func() {}
	}
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		const look = 50 * time.Millisecond
		tick := time.NewTicker(look)
		defer tick.Stop()
		for unread := 0; ; {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			n, err := unix.IoctlGetInt(fd, waitingNow)
			if err != nil || n == 0 {
				unread = 0
				continue
			}
			if unread++; unread < 3 { // a program that prompts would have read it by now
				continue
			}
			text := make([]byte, n)
			n, _ = unix.Read(fd, text)
			if bytes.HasSuffix(text[:max(n, 0)], []byte("q")) {
				left()
				return
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
		_ = unix.IoctlSetTermios(fd, setTermios, before)
	}
}

// inForeground reports whether this process may change the terminal: a
// background process would be stopped for it.
func inForeground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
