package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// played is a recording of one batch.
type played struct{ batch feed.Batch }

func (p played) Next(_ context.Context, since uint64) (feed.Batch, error) {
	if since > 0 {
		return feed.Batch{}, io.EOF
	}
	return p.batch, nil
}

func (played) Want(feed.Wants) {}

func (played) Detail(context.Context, object.ID) (feed.Detail, error) {
	return feed.Detail{}, errors.New("not recorded")
}

func (played) Logs(context.Context, feed.LogKey, uint64) (feed.LogChunk, error) {
	return feed.LogChunk{}, errors.New("not recorded")
}

func TestPlainEndsWithTheRecording(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	id := object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	source := played{feed.Batch{
		Seq: 1, At: at, Synced: true,
		Roots:   []feed.Root{{ID: id, Order: 1}},
		Objects: []*object.Object{{ID: id, Version: "v1", UID: "1", MetadataOnly: true, Created: at}},
	}}
	opt := model.Options{Now: at, Screen: true, Recording: "web.rec.gz"}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out strings.Builder
	m, err := headless{feed: source, now: func() time.Time { return at }}.lines(ctx, opt, nil, &out)
	if err != nil || ctx.Err() != nil {
		t.Fatal("it did not end by itself:", err, ctx.Err())
	}
	if s := strings.TrimSpace(out.String()); !strings.Contains(s, "1 of 1 Current") ||
		!strings.HasSuffix(s, "the recording has ended") {
		t.Errorf("it said:\n%s", s)
	}
	if v := m.Facts.Verdict(); v.Status != status.Current {
		t.Errorf("the verdict is %s", v.Status)
	}
}

func TestPlainSpeaksInLines(t *testing.T) {
	s := startScreen(t, "demo", "--plain", "--speed", "64")
	s.wait(t, "Deployment/checkout")
	s.wait(t, "verdict")
	if _, err := io.WriteString(s.tty, "q\r"); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if out := s.output(); strings.Contains(out, "\x1b") {
		t.Errorf("plain output has escapes: %q", out)
	}
}
