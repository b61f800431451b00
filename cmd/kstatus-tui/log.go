package main

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	goruntime "runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
)

// openLog sends the libraries' logs to a file, or nowhere: they must not reach
// the screen. While an engine follows, [watch.Quiet] turns them into notices.
func openLog(name string) (*slog.Logger, func() error, error) {
	logger, closer := slog.New(slog.DiscardHandler), func() error { return nil }
	if name != "" {
		file, err := spool.Create(name, 0o600)
		if err != nil {
			return nil, nil, problem.New("choose another file for --log", "cannot write the log: %w", err)
		}
		logger = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: min(slog.LevelDebug, -mostVerbose)}))
		stop := logUsage(logger)
		closer = func() error { stop(); return file.Close() }
	}
	log.SetOutput(io.Discard)
	if name != "" {
		log.SetOutput(slog.NewLogLogger(logger.Handler(), slog.LevelWarn).Writer())
	}
	quietLibraries(logger)
	return logger, closer, nil
}

// quietLibraries keeps messages of client-go off the screen.
func quietLibraries(logger *slog.Logger) {
	klog.SetSlogLogger(logger)
	rest.SetDefaultWarningHandler(rest.NoWarnings{}) // the engine shows warnings as notices
	// A panic in a library's goroutine is logged; it must not end the dashboard
	// while the terminal is in raw mode.
	runtime.ReallyCrash = false
}

// logUsage notes memory and goroutines in the debug log until it is stopped: a
// leak can be seen there.
func logUsage(logger *slog.Logger) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
				metrics.Read(live)
				logger.Debug("usage", "goroutines", goruntime.NumGoroutine(), "liveHeap", live[0].Value.Uint64())
			}
		}
	}()
	return func() { close(done); <-ended }
}

// mostVerbose is the highest -v. Above it klog logs response bodies, and a Helm
// release is stored in a Secret.
const mostVerbose = 7

// verbosity is klog's -v.
type verbosity int

func (v *verbosity) String() string { return strconv.Itoa(int(*v)) }
func (v *verbosity) Type() string   { return "int" }

func (v *verbosity) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostVerbose {
		return fmt.Errorf("it is a number from 0 to %d: beyond are the bodies of answers, which may hold secrets", mostVerbose)
	}
	*v = verbosity(n)
	return new(klog.Level).Set(text)
}
