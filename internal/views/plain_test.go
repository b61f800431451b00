package views

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestPlainSpeaksOfWhatChangesAndNotOfWhatIsFoldedAway(t *testing.T) {
	s := &scene{synced: true, verdict: model.Verdict{Status: status.InProgress}, counts: model.Counts{status.Current: 1, status.InProgress: 1}}
	row := func(name string, st status.Status, reason string) model.Row {
		id := object.ID{Kind: "Pod", Name: name}
		return model.Row{Key: model.RowKey{ID: id}, Name: "Pod/" + name, Status: st, Reason: reason, Matched: true}
	}
	l := NewChangeLog()
	spoken := func(rows ...model.Row) string {
		s.rows = rows
		return strings.Join(l.Lines(s, time.UTC), "\n")
	}
	spoken(row("a", status.Unknown, model.ReasonWaiting), row("b", status.Unknown, model.ReasonWaiting))
	if got := spoken(row("a", status.Current, ""), row("b", status.InProgress, "Starting")); strings.Contains(got, "Pod/a") || !strings.Contains(got, "Pod/b InProgress, Starting") {
		t.Errorf("at first: %q", got)
	}
	if got := spoken(row("a", status.Failed, "Crash"), row("b", status.Current, "")); !strings.Contains(got, "Pod/a Failed, Crash") || !strings.Contains(got, "Pod/b Current") {
		t.Errorf("then: %q", got)
	}
}

func TestPlainSpeaksOfNoVerdictBeforeTheSetIsKnown(t *testing.T) {
	s := &scene{verdict: model.Verdict{Status: status.Current}, counts: model.Counts{status.Current: 2}}
	l := NewChangeLog()
	if got := strings.Join(l.Lines(s, time.UTC), "\n"); strings.Contains(got, "verdict") {
		t.Errorf("two of who knows how many: %q", got)
	}
	s.synced = true
	if got := strings.Join(l.Lines(s, time.UTC), "\n"); !strings.Contains(got, "verdict: done, 2 of 2 Current") {
		t.Errorf("then: %q", got)
	}
	s.synced, s.verdict.Lost = false, true
	if got := strings.Join(l.Lines(s, time.UTC), "\n"); !strings.Contains(got, "verdict: lost contact") {
		t.Errorf("lost: %q", got)
	}
}

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
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	at := time.Unix(1_700_000_000, 0)
	id := object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	source := played{feed.Batch{
		Seq: 1, At: at, Synced: true,
		Roots:   []feed.Root{{ID: id, Order: 1}},
		Objects: []*object.Object{{ID: id, Version: "v1", UID: "1", MetadataOnly: true, Created: at}},
	}}
	m, commands := model.New(model.Options{Now: at, Screen: true, Recording: "web.rec.gz"})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	m, err = Run(ctx, source, m, Options{Plain: true, Commands: commands, Input: in, Output: out, Now: func() time.Time { return at }})
	if err != nil || ctx.Err() != nil {
		t.Fatal("it did not end by itself:", err, ctx.Err())
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	if s := strings.TrimSpace(string(text)); !strings.Contains(s, "1 of 1 Current") || !strings.HasSuffix(s, "the recording has ended") {
		t.Errorf("it said:\n%s", s)
	}
	if v := m.Verdict(); v.Status != status.Current {
		t.Errorf("the verdict is %s", v.Status)
	}
}
