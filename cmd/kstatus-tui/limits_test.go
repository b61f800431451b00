package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestATemplateThatDoesNotEndIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, loops := range []bool{false, true} {
			end := make(chan struct{})
			began := time.Now()
			text, err := limits{time: 20 * time.Second, memory: 1 << 40, output: 100}.apply(func(w io.Writer) error {
				_, err := io.WriteString(w, "done")
				if loops {
					<-end
				}
				return err
			})
			close(end)
			took := time.Since(began)
			if loops && (err == nil || err.Error() != "it did not end within 20s" || took != 20*time.Second) {
				t.Errorf("%v after %s", err, took)
			}
			if !loops && (err != nil || string(text) != "done" || took != 0) {
				t.Errorf("%q, %v after %s", text, err, took)
			}
		}
	})
}

// The texts are held until the limit is noticed, so that this does not depend on
// how fast they are made.
func TestATemplateThatFillsTheMemoryIsGivenUp(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	_, err := limits{time: time.Minute, memory: 16 << 20, output: 100}.apply(func(io.Writer) error {
		var texts [][]byte
		for range 64 {
			texts = append(texts, make([]byte, 1<<20))
		}
		<-end
		return errors.New(string(texts[0][:1]))
	})
	if err == nil || err.Error() != "it needs more than 16 MB of memory" {
		t.Errorf("%v", err)
	}
}

// A template that calls itself twice ends in no lifetime: it would be done after
// 2 to the power of 100,000 calls, text/template's bound of their depth.
func TestTheOutputOfATemplateHasABound(t *testing.T) {
	before := templateLimits
	defer func() { templateLimits = before }()
	templateLimits.output = 1 << 20
	template := `{{define "a"}}{{if gt (len .) 0}}{{template "b" .}}{{template "b" .}}{{end}}{{end}}` +
		`{{define "b"}}{{printf "%1000d" 1}}{{template "a" .}}{{end}}{{template "a" .schema}}`
	var out, stderr bytes.Buffer
	code := run([]string{"kstatus-tui", "status", "--replay", "demo.rec.gz", "-o", "go-template=" + template},
		genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
	if code != exitError || out.Len() > 0 ||
		!strings.HasPrefix(stderr.String(), "kstatus-tui: -o go-template: it prints more than 1 MB\n") {
		t.Errorf("exit code %d, %d bytes, %s", code, out.Len(), stderr.String())
	}
}

// compute, augment, and whatever prints.
func TestASignalEndsEveryBusyCommandWithinHalfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		end := make(chan struct{})
		time.AfterFunc(time.Second, signal)
		began := time.Now()
		_, err := leavable(ctx, func() (struct{}, error) { <-end; return struct{}{}, nil })
		if took := time.Since(began) - time.Second; err == nil || took > 500*time.Millisecond {
			t.Errorf("%v after %s", err, took)
		}
		close(end)
	})
}
