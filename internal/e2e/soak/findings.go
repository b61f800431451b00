package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// findings collects failures, with their evidence in a folder.
type findings struct {
	folder string

	mu  sync.Mutex
	all []string // their texts, with what proves them
	log *os.File
}

// add records a failure and returns its number.
func (f *findings) add(proof, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := time.Now().UTC().Format("15:04:05 ") + fmt.Sprintf(format, args...)
	fmt.Println("FOUND:", text)
	text = strings.TrimSpace(text + "\n\n" + proof)
	f.all = append(f.all, text)
	name := filepath.Join(f.folder, fmt.Sprintf("finding-%03d.txt", len(f.all)))
	if err := os.WriteFile(name, []byte(text+"\n"), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
}

// print repeats the first few at the end, where a log that is cut still has them.
func (f *findings) print() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range f.all[:min(3, len(f.all))] {
		lines := strings.SplitAfterN(text, "\n", 60)
		fmt.Printf("\nFOUND: %s\n", strings.Join(lines[:min(59, len(lines))], ""))
	}
	fmt.Printf("%d findings\n", len(f.all))
}

func (f *findings) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all)
}

// happened logs an action.
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
