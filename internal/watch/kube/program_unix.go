//go:build unix

package kube

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// processes lists the processes of this machine: from /proc, which Linux has also
// where ps is not installed, or else by ps.
func processes() (all []process) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(stats) == 0 {
		out, _ := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
		return listed(string(out))
	}
	for _, file := range stats {
		stat, err := os.ReadFile(file) // it may have ended meanwhile
		if err != nil {
			continue
		}
		// PID (NAME) STATE PARENT …; the name may hold anything.
		f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(f) < 2 {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(string(f[1]))
		all = append(all, process{id, parent})
	}
	return all
}

func inOwnGroup(id int) bool {
	group, err := syscall.Getpgid(id)
	return err == nil && group == syscall.Getpgrp()
}

// startNoMore takes the lock that every start of a program needs, for good. Where the
// processes are listed by a program of their own, it does nothing.
func startNoMore() {
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		syscall.ForkLock.Lock()
	}
}
