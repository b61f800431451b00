package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is one running program of a cluster.
type process struct {
	name string
	log  string // path of what it prints
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// spawns hands work to the one thread that starts processes. The kernel sends
// the parent-death signal when the *thread* that forked ends, not when the
// process does (prctl(2), PR_SET_PDEATHSIG); Go ends threads as it likes. This
// goroutine keeps its thread for ever.
var spawns = sync.OnceValue(func() chan<- func() {
	work := make(chan func()) // never closed; a sender waits until its work is taken
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// spawn starts a program in a process group of its own, so that a Ctrl-C at the
// terminal does not reach it, with its output in dir/NAME.log. It ends when
// this process does, even by SIGKILL.
func spawn(dir, name, binary string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(binary, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	spawns() <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	pid := strconv.Itoa(p.cmd.Process.Pid)
	return p, os.WriteFile(filepath.Join(dir, name+".pid"), []byte(pid), 0o644)
}

func (p *process) signal(s syscall.Signal) error {
	if p.ended() {
		return fmt.Errorf("%s is not running", p.name)
	}
	return syscall.Kill(-p.cmd.Process.Pid, s)
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop asks the process to end, and makes it end when it has not after grace.
func (p *process) stop(grace time.Duration) {
	if p == nil || p.ended() {
		return
	}
	if grace > 0 {
		_ = p.signal(syscall.SIGTERM)
		select {
		case <-p.done:
			return
		case <-time.After(grace):
		}
	}
	_ = p.signal(syscall.SIGKILL)
	<-p.done
}

// lastWords is the end of what the process printed, for an error message.
func (p *process) lastWords() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return tail(text, 15)
}

// FreePorts finds n loopback ports that nobody listens on. They are taken from
// below the range that the kernel hands to outgoing connections, so that a
// server that is stopped for a while finds its port free again.
func FreePorts(n int) ([]int, error) {
	var ports []int
	for range 1000 {
		port := 20000 + rand.IntN(12000)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		// kept open until all are found, so that none is found twice
		defer l.Close()
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, errors.New("no free loopback ports between 20000 and 32000")
}

// runDir makes the folder of a new cluster under the cache and locks it for as
// long as this process lives. Folders whose owner is gone are removed first,
// with whatever of theirs still runs.
func runDir(cache string) (dir string, unlock func(), err error) {
	runs := filepath.Join(cache, "runs")
	if err := os.MkdirAll(runs, 0o755); err != nil {
		return "", nil, err
	}
	reap(runs)
	// Between making the folder and locking it, another process's reaper
	// could take it for an abandoned one; it leaves young folders alone.
	dir, err = os.MkdirTemp(runs, "cluster-")
	if err != nil {
		return "", nil, err
	}
	unlock, err = lock(context.Background(), filepath.Join(dir, "owner.lock"))
	if err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, unlock, nil
}

func reap(runs string) {
	entries, _ := os.ReadDir(runs)
	for _, e := range entries {
		dir := filepath.Join(runs, e.Name())
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < 10*time.Second {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 0)
		unlock, err := lock(ctx, filepath.Join(dir, "owner.lock"))
		cancel()
		if err != nil {
			continue
		}
		pids, _ := filepath.Glob(filepath.Join(dir, "*.pid"))
		for _, file := range pids {
			text, _ := os.ReadFile(file)
			pid, err := strconv.Atoi(string(text))
			if err != nil {
				continue
			}
			// The PID may have been reused: a process of the cluster has this
			// working directory.
			if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil &&
				strings.TrimSuffix(cwd, " (deleted)") == dir {
				_ = syscall.Kill(-pid, syscall.SIGKILL)
			}
		}
		os.RemoveAll(dir)
		unlock()
	}
}

// poll calls f at once and then every 20 ms until it says true or fails, or ctx
// ends. Everything here that waits for another process waits through it.
func poll(ctx context.Context, f func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := f(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
