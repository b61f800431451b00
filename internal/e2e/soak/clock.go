package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A process has no wall clock of its own, and the machine's is shared. So the
// program is built with a time.Now whose wall clock differs from the machine's
// by the seconds in a file; its monotonic clock runs on, as when an
// administrator or NTP steps the clock.

// clockVariable names the file.
const clockVariable = "KSTATUS_TUI_SOAK_CLOCK"

// stepped is added to package time.
const stepped = `

var soakStep atomic.Int64

func init() {
	name, ok := syscall.Getenv("` + clockVariable + `")
	if !ok {
		return
	}
	go func() {
		for buf := make([]byte, 32); ; Sleep(250 * Millisecond) {
			fd, err := syscall.Open(name, syscall.O_RDONLY, 0)
			if err != nil {
				continue
			}
			n, _ := syscall.Read(fd, buf)
			syscall.Close(fd)
			step, sign := int64(0), int64(1)
			for _, c := range buf[:max(n, 0)] {
				if c == '-' {
					sign = -1
				} else {
					step = 10*step + int64(c-'0')
				}
			}
			soakStep.Store(sign * step)
		}
	}()
}
`

// buildStepped builds the program with that clock.
func buildStepped(ctx context.Context, folder string) (program string, err error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	const reads = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	const imports = "import (\n"
	patched := strings.Replace(string(text), reads, reads+"\tsec += soakStep.Load()\n", 1)
	patched = strings.Replace(patched, imports, imports+"\t\"sync/atomic\"\n\t\"syscall\"\n", 1) + stepped
	if len(patched) < len(text)+len(stepped)+len(imports) || !strings.Contains(patched, "soakStep.Load") {
		return "", errors.New("time.Now has changed: adapt clock.go")
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{source: filepath.Join(folder, "time.go")}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(folder, "time.go"), []byte(patched), 0o644),
		os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o644)); err != nil {
		return "", err
	}
	program = filepath.Join(folder, "kstatus-tui")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-overlay",
		filepath.Join(folder, "overlay.json"), "-ldflags", "-s -w", "-o", program, "./cmd/kstatus-tui")
	build.Dir, build.Stderr, build.Env = filepath.Join("..", ".."), os.Stderr, append(os.Environ(), "CGO_ENABLED=0")
	fmt.Println("building the program with a clock that can be set (minutes, the first time)")
	return program, build.Run()
}

// stepClock sets the clock of a program that [buildStepped] has built.
func stepClock(file string, by time.Duration) error {
	return os.WriteFile(file, []byte(strconv.Itoa(int(by/time.Second))), 0o644)
}
