//go:build unix

package spool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func fifo(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// within fails if something takes too long.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s has not returned", what)
	}
}

func TestAFileHoldsAllWrittenBytes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	f, err := Create(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := f.Write([]byte("line\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(name); string(got) != strings.Repeat("line\n", 1000) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestAWrongPathIsAnErrorAtOnce(t *testing.T) {
	if _, err := Create(filepath.Join(t.TempDir(), "no", "folder"), 0o600); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAFIFOWithoutAReaderHoldsNobodyUp(t *testing.T) {
	name := fifo(t)
	within(t, "a FIFO without a reader", func() {
		f, err := Create(name, 0o600)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := f.Write([]byte("hello")); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err == nil || !strings.Contains(err.Error(), "a FIFO without a reader?) (5 bytes are missing)") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAReaderThatStopsReadingHoldsNobodyUp(t *testing.T) {
	name := fifo(t)
	reader, err := os.OpenFile(name, os.O_RDWR, 0) // opens without a writer, and reads nothing
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	within(t, "a FIFO that nobody reads", func() {
		f, err := Create(name, 0o600)
		if err != nil {
			t.Error(err)
			return
		}
		block := make([]byte, 1<<20)
		for i := 0; err == nil; i++ {
			if _, err = f.Write(block); i > room>>20+1 {
				t.Errorf("%d MB wait in memory", i)
				return
			}
		}
		if !strings.Contains(err.Error(), "takes no more") {
			t.Errorf("writing says %v", err)
		}
		if err := f.Close(); err == nil || !strings.Contains(err.Error(), "bytes are missing") {
			t.Errorf("closing says %v", err)
		}
	})
}

func TestAReaderThatGoesAndAFullDiskAreErrors(t *testing.T) {
	f, err := Create("/dev/full", 0o600)
	if err != nil {
		t.Skip(err)
	}
	_, _ = f.Write([]byte("hello"))
	if err := f.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	name := fifo(t)
	reader, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = Create(name, 0o600); err != nil {
		t.Fatal(err)
	}
	reader.Close()
	_, _ = f.Write([]byte("hello"))
	if err := f.Close(); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v", err)
	}
}
