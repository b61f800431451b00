// Package spool writes files that nobody has to wait for: a FIFO without a
// reader, a disk that is full, slow or gone. What is written waits in memory, up
// to a bound, for a goroutine that opens the file and writes to it.
package spool

import (
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	// room is how many bytes may wait in memory.
	room = 16 << 20
	// opensWithin is how long [Create] waits for the file to open: an invalid
	// path is reported by then.
	opensWithin = 300 * time.Millisecond
	// closesWithin is how long [File.Close] waits at most, stuckAfter how long
	// for a FIFO, or a file that did not open, while no byte is taken. A disk
	// may pause.
	closesWithin = 2 * time.Second
	stuckAfter   = 300 * time.Millisecond
)

// File is a file that is written in the background. Its methods may be called
// from any goroutine. Only Close waits, for a bounded time.
type File struct {
	name string
	more chan struct{} // buffered, one: the writer has work to do
	done chan struct{} // closed when the writer has ended

	mu     sync.Mutex // guards what follows
	queue  [][]byte
	queued int  // bytes in memory, including those being written
	taken  int  // bytes written
	lost   int  // bytes refused after an error
	opened bool // the file has been opened
	disk   bool // it is a regular file
	closed bool
	err    error // why writing has stopped
}

// Create begins to write a file, which is created or truncated. It returns an
// error if the file cannot be opened and that is known at once.
func Create(name string, perm os.FileMode) (*File, error) {
	return start(name, func() (*os.File, error) {
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	})
}

// On writes to an open file, and closes it.
func On(f *os.File) *File {
	s, _ := start(f.Name(), func() (*os.File, error) { return f, nil })
	return s
}

func start(name string, open func() (*os.File, error)) (*File, error) {
	f := &File{name: name, more: make(chan struct{}, 1), done: make(chan struct{})}
	tried := make(chan struct{})
	go f.run(open, tried)
	select {
	case <-tried:
	case <-time.After(opensWithin):
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.opened && f.err != nil {
		return nil, f.err
	}
	return f, nil
}

// run opens the file, and writes until it is closed or fails.
func (f *File) run(open func() (*os.File, error), tried chan<- struct{}) {
	defer close(f.done)
	out, err := open()
	disk := false
	if err == nil {
		info, err := out.Stat()
		disk = err == nil && info.Mode().IsRegular()
	}
	f.mu.Lock()
	f.opened, f.disk, f.err = err == nil, disk, err
	f.mu.Unlock()
	close(tried)
	if err != nil {
		return
	}
	for {
		f.mu.Lock()
		queue, closed := f.queue, f.closed
		f.queue = nil
		f.mu.Unlock()
		for _, b := range queue {
			n, err := out.Write(b)
			f.mu.Lock()
			f.taken += n
			f.queued -= n
			f.err = err
			f.mu.Unlock()
			if err != nil {
				_ = out.Close()
				return
			}
		}
		switch {
		case len(queue) > 0:
		case closed:
			err := out.Close()
			f.mu.Lock()
			f.err = err
			f.mu.Unlock()
			return
		default:
			<-f.more
		}
	}
}

// Write queues b. It returns an error if the file can no longer be written, or
// takes data too slowly.
func (f *File) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && (f.closed || f.queued+len(b) > room) {
		f.lost += len(b)
		return 0, f.late()
	}
	if f.err != nil {
		f.lost += len(b)
		return 0, f.err
	}
	f.queue = append(f.queue, append([]byte(nil), b...))
	f.queued += len(b)
	f.wake()
	return len(b), nil
}

// Close ends the file and waits, for a bounded time, until all has been
// written. Its error says how much is missing, and why.
func (f *File) Close() error {
	f.mu.Lock()
	f.closed = true
	f.wake()
	f.mu.Unlock()
	f.wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	missing := f.queued + f.lost
	select {
	case <-f.done:
		switch {
		case f.err != nil && missing > 0:
			return fmt.Errorf("%w (%d bytes are missing)", f.err, missing)
		case f.err == nil && missing > 0:
			return fmt.Errorf("%s: %d bytes came faster than they were taken", f.name, missing)
		}
		return f.err
	default:
		return fmt.Errorf("%w (%d bytes are missing)", f.late(), missing)
	}
}

// wait waits for the writer to end, as long as it makes progress.
func (f *File) wait() {
	for end, before := time.Now().Add(closesWithin), -1; time.Now().Before(end); {
		f.mu.Lock()
		taken, disk := f.taken, f.disk
		f.mu.Unlock()
		if taken == before && !disk {
			return
		}
		before = taken
		select {
		case <-f.done:
			return
		case <-time.After(stuckAfter):
		}
	}
}

// late describes why the file takes nothing. f.mu is held.
func (f *File) late() error {
	if !f.opened {
		return fmt.Errorf("%s: it does not open (is it a FIFO without a reader?)", f.name)
	}
	return fmt.Errorf("%s: it takes no more", f.name)
}

func (f *File) wake() {
	select {
	case f.more <- struct{}{}:
	default:
	}
}
