package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// cpu is the processor time that a process has used so far, in user and kernel
// mode (proc(5), utime and stime, in ticks of 10 ms on every Linux that Go runs
// on).
func cpu(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold anything: count from its end.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// stolen is how much time of all cores a virtual machine's host has given to others
// so far (proc(5), the steal of /proc/stat).
func stolen() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 9 {
		return 0
	}
	ticks, _ := strconv.Atoi(fields[8])
	return time.Duration(ticks) * 10 * time.Millisecond
}

// memory is the resident memory of a process in MB: now, and its peak so far.
func memory(pid int) (now, peak float64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		switch key {
		case "VmRSS":
			now = kb / 1000
		case "VmHWM":
			peak = kb / 1000
		}
	}
	return now, peak
}
