//go:build unix

package xterm

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// version of the terminal that replays.
const version = "@xterm/headless@5.5.0"

// keys move the cursor, open panes and the help, fold, filter, resize the pane: what
// changes much of the screen at once.
var keys = []string{
	"j", "j", "4", "k", "1", "?", "j", "j", "\x1b", "z", "Z", "G", "g", "5", "6", "+", "_", "/", "w", "\x1b", "b", "b", "2", "3", "n", "N", "]", "[", "1",
}

// A recorded rollout is played at sixteen times its speed while keys come every 20 ms.
func TestXtermShowsTheSameCellsAsAFullRedraw(t *testing.T) {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed: the independent terminal needs it")
		}
	}
	folder := t.TempDir()
	bin := filepath.Join(folder, "kstatus-tui")
	run(t, "../../..", "go", "build", "-o", bin, "./cmd/kstatus-tui")
	script, err := os.ReadFile("compare.js")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "compare.js"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, folder, "npm", "install", "--no-audit", "--no-fund", "--silent", version)
	for _, size := range [][2]uint16{{80, 24}, {120, 36}, {200, 60}} {
		out, first := record(t, bin, size)
		file := filepath.Join(folder, "bytes")
		if err := os.WriteFile(file, out, 0o600); err != nil {
			t.Fatal(err)
		}
		answer := run(t, folder, "node", "compare.js", strconv.Itoa(int(size[0])), strconv.Itoa(int(size[1])), file, strconv.Itoa(first))
		var got struct {
			Cells, Written, Differing int
			Some                      []any
		}
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		t.Logf("%dx%d: %d bytes, then %d of a redraw: %d of %d cells differ", size[0], size[1], first, len(out)-first, got.Differing, got.Cells)
		if got.Differing > 0 || got.Written < 200 {
			t.Errorf("%dx%d: %d cells differ, %d characters: %v", size[0], size[1], got.Differing, got.Written, got.Some)
		}
	}
}

// record plays the demo in a terminal of that size. It returns the bytes, and how many of
// them came before the full redraw.
func record(t *testing.T, bin string, size [2]uint16) (out []byte, first int) {
	t.Helper()
	cmd := exec.Command(bin, "demo", "--speed", "16", "--no-motion")
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: size[0], Rows: size[1]})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var mu sync.Mutex
	var all bytes.Buffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buf := make([]byte, 1<<16)
		for {
			n, err := terminal.Read(buf)
			mu.Lock()
			all.Write(buf[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	length := func() int {
		mu.Lock()
		defer mu.Unlock()
		return all.Len()
	}
	press := func(k string) {
		if _, err := terminal.WriteString(k); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	// quiet waits until nothing has been written for a while: a paused replay stands still.
	quiet := func() {
		for last := -1; last != length(); {
			last = length()
			time.Sleep(2500 * time.Millisecond)
		}
	}
	for begun := time.Now(); length() < 2000 && time.Since(begun) < 20*time.Second; {
		time.Sleep(50 * time.Millisecond)
	}
	for range 4 {
		for _, k := range keys {
			press(k)
		}
	}
	press("\x1b")
	time.Sleep(200 * time.Millisecond)
	press("0")
	press("!") // the first failure, where it is paused
	quiet()
	first = length()
	press("\x0c") // ctrl+l draws all of it again
	quiet()
	mu.Lock()
	out = bytes.Clone(all.Bytes())
	mu.Unlock()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	terminal.Close()
	<-ended
	return out, first
}

func run(t *testing.T, folder, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", name, err, out, stderr.Bytes())
	}
	return out
}
