package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// findings are what must not be. What proves them is kept in a folder.
type findings struct {
	folder string

	mu  sync.Mutex
	all []string
	log *os.File
}

// add tells of one, and returns its number.
func (f *findings) add(proof, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := time.Now().UTC().Format("15:04:05 ") + fmt.Sprintf(format, args...)
	f.all = append(f.all, text)
	fmt.Println("FOUND:", text)
	name := filepath.Join(f.folder, fmt.Sprintf("finding-%03d.txt", len(f.all)))
	if err := os.WriteFile(name, []byte(text+"\n\n"+proof+"\n"), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
}

func (f *findings) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all)
}

// happened keeps what was done, and when.
func (f *findings) happened(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log == nil {
		var err error
		if f.log, err = os.Create(filepath.Join(f.folder, "history.log")); err != nil {
			return
		}
	}
	fmt.Fprintf(f.log, time.Now().UTC().Format("15:04:05.000 ")+format+"\n", args...)
}
