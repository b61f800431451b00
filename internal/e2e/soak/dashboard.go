package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// dashboard is one run of the program under test, at a terminal.
type dashboard struct {
	name   string
	dir    string
	args   []string // what it follows
	way    *way
	term   *terminal.Terminal
	frames atomic.Int64 // drawn
	judged atomic.Int64 // frames compared with a sentinel known to be broken
	quits  atomic.Bool  // it has been asked to quit
}

func newDashboard(name string, s *soak, w *way, manifest string) (*dashboard, error) {
	dir := filepath.Join(*evidence, strings.ReplaceAll(name, "/", "-"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	d := &dashboard{name: name, dir: dir, way: w, args: []string{"-n", namespace, "--children=all", "-f", manifest}}
	var err error
	d.term, err = terminal.Start(terminal.Options{
		Command: *bin, Args: append(
			[]string{"--server", w.chaos.URL(), "--log", filepath.Join(dir, "debug.log")}, d.args...),
		Env: append(environment(s, cluster.Namespaced), clockVariable+"="+w.clock),
		Dir: dir, Columns: 160, Rows: 50, Forget: true,
		OnScreen: func(screen terminal.Screen) {
			d.frames.Add(1)
			s.sentinels.check(d, screen)
		},
	})
	if err != nil {
		return nil, err
	}
	// A screen that stays can be as wrong as a new one.
	go func() {
		for {
			if code, err := d.term.Exit(drawn); err == nil {
				if !d.quits.Load() {
					s.findings.add(string(d.term.Output()), "%s has ended by itself, with exit code %d", d.name, code)
				}
				return
			}
			s.sentinels.check(d, d.term.Screen())
		}
	}()
	return d, nil
}

// environment is an environment that configures only the cluster.
func environment(s *soak, u cluster.User) []string {
	return []string{"HOME=" + *evidence, "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + s.cluster.Kubeconfig(u)}
}

// report asks the dashboard for what it has found, as a document.
func (d *dashboard) report() (doc document, err error) {
	old, _ := filepath.Glob(filepath.Join(d.dir, "*.json"))
	for _, name := range old {
		os.Remove(name)
	}
	if err := d.term.Type(":report json\r"); err != nil {
		return doc, err
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(d.dir, "*.json"))
		if len(found) == 0 {
			continue
		}
		text, err := os.ReadFile(found[0])
		// It is being written until it can be read.
		if err == nil && json.Unmarshal(text, &doc) == nil {
			return doc, os.Remove(found[0])
		}
	}
	return doc, fmt.Errorf("%s writes no report; its screen:\n%s", d.name, d.term.Screen())
}

func (d *dashboard) quit() error {
	d.quits.Store(true)
	if err := d.term.Type("q"); err != nil {
		return err
	}
	code, err := d.term.Exit(time.Minute)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d", code)
	}
	return errors.Join(err, d.term.LeftClean())
}

// ended reports whether the process has exited.
func (d *dashboard) ended() bool {
	_, err := d.term.Exit(time.Millisecond)
	return err == nil
}

// usage is what a dashboard takes.
type usage struct {
	// rss is the resident memory, own the part that is not from the program's
	// file, live the live heap. All in MB.
	rss, own, live           float64
	goroutines, files, waits int
	cpu                      time.Duration // so far
}

func (d *dashboard) usage() (u usage) {
	proc := fmt.Sprintf("/proc/%d/", d.term.PID())
	if text, err := os.ReadFile(proc + "status"); err == nil {
		for line := range strings.Lines(string(text)) {
			for name, mb := range map[string]*float64{"VmRSS:": &u.rss, "RssAnon:": &u.own} {
				if rest, ok := strings.CutPrefix(line, name); ok {
					kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
					*mb = kb / 1000
				}
			}
		}
	}
	// utime and stime, in ticks of 10 ms; the name in parentheses may hold anything.
	if text, err := os.ReadFile(proc + "stat"); err == nil {
		if fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])); len(fields) > 12 {
			user, _ := strconv.Atoi(fields[11])
			system, _ := strconv.Atoi(fields[12])
			u.cpu = time.Duration(user+system) * 10 * time.Millisecond
		}
	}
	if files, err := os.ReadDir(proc + "fd"); err == nil {
		u.files = len(files)
	}
	u.goroutines, u.live = d.logged()
	return u
}

// logged is what the end of the debug log says of goroutines and heap.
func (d *dashboard) logged() (goroutines int, live float64) {
	f, err := os.Open(filepath.Join(d.dir, "debug.log"))
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, size-1<<20), io.SeekStart)
	}
	text, _ := io.ReadAll(f)
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "msg=usage ") {
			continue
		}
		for field := range strings.FieldsSeq(line) {
			if v, ok := strings.CutPrefix(field, "goroutines="); ok {
				goroutines, _ = strconv.Atoi(v)
			}
			if v, ok := strings.CutPrefix(field, "liveHeap="); ok {
				n, _ := strconv.ParseFloat(v, 64)
				live = n / 1e6
			}
		}
	}
	return goroutines, live
}
