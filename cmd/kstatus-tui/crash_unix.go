//go:build unix

package main

import (
	"runtime/debug"
	"syscall"
)

// abortOnFatal has what cannot be caught (a panic in a goroutine of a library,
// no memory) end the program with SIGABRT (134) and not with Go's exit code 2.
// Without a core dump: memory may hold credentials.
func abortOnFatal() {
	if syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) == nil {
		debug.SetTraceback("crash")
	}
}
