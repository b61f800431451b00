package tui

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// hostileBatch puts text into every field that a cluster, a recording or a
// proxy can set, without cleaning it.
func hostileBatch(now time.Time, text string) feed.Batch {
	b := viewstest.ShopBatch(now)
	dep, pod := b.Objects[0], b.Objects[1]
	statement := &object.Statement{Type: text, Status: text, Reason: text, Message: text, Severity: text}
	dep.Conditions = append(dep.Conditions, object.Condition{Statement: statement},
		object.Condition{Statement: &object.Statement{Type: "ReplicaFailure", Status: "True", Reason: text, Message: text}})
	pod.Name, pod.Pod.Node, pod.Pod.Phase = text, text, "Pending"
	pod.Pod.Containers[0].Name, pod.Pod.Containers[0].Image = text, text
	pod.Pod.Containers[0].State.Message = text
	pod.Conditions = append(pod.Conditions, object.Condition{Statement: statement})
	other := &object.Object{
		ID:      object.ID{Group: text, Kind: text, Namespace: text, Name: text},
		Version: text, UID: "x", ResourceVersion: "1", Created: now,
		Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False", Reason: text, Message: text}}},
	}
	b.Objects = append(b.Objects, other)
	b.Roots = append(b.Roots, feed.Root{ID: other.ID, Source: text},
		feed.Root{ID: object.ID{Kind: text, Name: text + "2"}, Source: text})
	b.Absent = []object.ID{{Kind: text, Name: text + "2"}}
	for _, about := range []*object.Object{dep, pod, other} {
		b.Events = append(b.Events, object.Event{
			UID: "e" + about.UID, About: about.ID, AboutUID: about.UID, Field: text, Type: "Warning",
			Reason: text, Message: text, From: text, First: now, Last: now, Count: 2,
		})
	}
	b.Sources = append(b.Sources, feed.SourceState{
		Key: "x", Group: text, Version: text, Resource: text, Kind: text, Namespace: text, Name: text, Selector: text,
		Mode: feed.ModeWatch, Phase: feed.Stale, Since: now, LastData: now, Error: text, Hint: text, Verb: text,
	})
	return b
}

// hostileFeed says text in its answers too.
type hostileFeed struct {
	text  string
	batch feed.Batch
}

func (f *hostileFeed) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	if since == 0 {
		return f.batch, nil
	}
	<-ctx.Done()
	return feed.Batch{}, ctx.Err()
}

func (*hostileFeed) Want(feed.Wants) {}
func (f *hostileFeed) Detail(_ context.Context, id object.ID) (feed.Detail, error) {
	return feed.Detail{ID: id, YAML: "kind: " + f.text + "\nspec:\n  " + f.text + "\n" + f.text}, nil
}

func (f *hostileFeed) Logs(context.Context, feed.LogKey, uint64) (feed.LogChunk, error) {
	return feed.LogChunk{Lines: []feed.LogLine{{Text: f.text}, {Text: f.text, Remark: true}}, Cursor: 1, Ended: true}, nil
}

// hostileModel also follows objects with hostile names.
func hostileModel(now time.Time, text string) model.Options {
	return model.Options{
		Feed: &hostileFeed{text, hostileBatch(now, text)},
		Now:  now, Title: text, Sources: []string{text}, Context: text, Namespace: text,
		Recording: text, Contexts: []string{text}, Fixed: text, Screen: true,
	}
}

// stage is the program with a terminal that only records its input.
type stage struct {
	p    *program
	tty  *viewstest.TerminalWriter
	out  bytes.Buffer
	left int // of the commands that may still be carried out
}

func newStage(now time.Time, text, theme string, w, h int) *stage {
	s := &stage{left: 2000, tty: viewstest.NewTerminalWriter()}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // nothing is waited for
	of := hostileModel(now, text)
	of.Ctx, of.Theme = ctx, theme
	s.p = newProgram(of, Options{Now: func() time.Time { return now }, Zone: time.UTC})
	s.p.profile = colorprofile.TrueColor
	s.p.dress()
	s.do(s.p.begin)
	s.tell(tea.WindowSizeMsg{Width: w, Height: h})
	return s
}

func (s *stage) tell(msg model.Msg) {
	m, cmd := s.p.m.Update(msg)
	s.p.m = m
	s.p.dress()
	s.do(cmd)
}

// do carries out commands, one after the other, and records what the terminal
// receives besides frames.
func (s *stage) do(cmd tea.Cmd) {
	for _, msg := range viewstest.Answers(cmd) {
		if s.left--; s.left < 0 {
			continue
		}
		switch msg := msg.(type) {
		case model.FeedEnded, tea.QuitMsg, tea.SuspendMsg:
		case tea.RawMsg:
			fmt.Fprint(&s.out, msg.Msg)
		default:
			s.tell(msg)
		}
	}
}

// draw shows the frame.
func (s *stage) draw() {
	v := s.p.frame()
	s.out.Write(s.tty.Show(v.Content, s.p.canvas.Width(), s.p.canvas.Height()))
	s.out.WriteString(ansi.SetWindowTitle(v.WindowTitle))
}

// keysOf are the keys that a text types: a rune each, or a name between < and >.
func keysOf(text string) (keys []tea.KeyPressMsg) {
	for text != "" {
		name, rest, ok := strings.Cut(text[1:], ">")
		if text[0] == '<' && ok && len(name) > 1 && len(name) < 10 {
			keys, text = append(keys, viewstest.Press(name)), rest
			continue
		}
		_, n := utf8.DecodeRuneInString(text)
		keys, text = append(keys, viewstest.Press(text[:n])), text[n:]
		if len(keys) == 40 {
			break
		}
	}
	return keys
}

// Whatever a cluster says and the user types: the terminal only receives text
// and the sequences of internal/escapes.
func FuzzTheTerminalsBytes(f *testing.F) {
	for i, s := range viewstest.Hostile {
		keys := []string{"123456", "?\x1b", "4pvMi5<space><right>6va", ":context x<enter>C<enter>", "jjn/web<enter>bbbsS", "m._+J<ctrl+l>"}[i%6]
		f.Add(s, keys, uint8(80+i), uint8(24), uint8(i))
	}
	f.Add("4;3", "m", uint8(120), uint8(36), uint8(1))
	f.Add("\x1b]52;c;aGk=\a\x1b[6n\x1b]8;;http://x\a\x1bP+q\x1b\\", "3jkC", uint8(10), uint8(4), uint8(0))
	f.Fuzz(func(t *testing.T, text, keys string, w, h, theme uint8) {
		if len(text) > 1000 {
			return
		}
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		s := newStage(now, text, views.ThemeNames[int(theme)%len(views.ThemeNames)], int(w)%128, int(h)%48)
		s.p.theme.ASCIILocale = theme >= 128
		s.draw()
		for _, k := range keysOf(keys) {
			s.tell(k)
			s.draw()
		}
		s.tell(model.ClockTicked{Now: now.Add(time.Minute)})
		s.draw()
		s.out.WriteString(views.Farewell(views.Of(s.p.m), s.p.theme))
		if err := escapes.Check(s.out.Bytes()); err != nil {
			t.Fatal(err)
		}
	})
}
