package views

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// sluggish is a terminal that takes what is written to it only when it is let.
type sluggish struct {
	let   chan struct{} // a write for each; closed: all of them
	wrote []string
}

func (s *sluggish) Write(p []byte) (int, error) {
	<-s.let
	s.wrote = append(s.wrote, string(p))
	return len(p), nil
}

func (s *screen) text(th *Theme, text string) {
	c := s.canvas()
	c.Reset(20, 1)
	c.Put(0, 0, 20, text, Text)
	s.show(picture{canvas: c, th: th})
}

func TestATerminalThatCannotKeepUpIsShownTheNewestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tty := &sluggish{let: make(chan struct{})}
		s := &screen{out: tty}
		th := theme(t, "dark")
		s.start()
		synctest.Wait()
		for i := range 1000 { // nobody waits for the terminal
			s.text(th, fmt.Sprint("picture ", i))
		}
		s.send("\x1b]a sequence of its own\a")
		close(tty.let)
		synctest.Wait()
		if n := len(tty.wrote); n != 2 {
			t.Errorf("%d writes, want the one that hung and another", n)
		}
		if last := tty.wrote[len(tty.wrote)-1]; !strings.Contains(last, "picture 999") || !strings.Contains(last, "of its own") || strings.Contains(last, "998") {
			t.Errorf("the last write is %q", last)
		}
		s.text(th, "picture 999")
		synctest.Wait()
		if n := len(tty.wrote); n != 2 {
			t.Errorf("the same picture again is written: %q", tty.wrote[n-1])
		}
		if !s.stop(time.Second) {
			t.Error("it does not stop")
		}
		if last := tty.wrote[len(tty.wrote)-1]; !strings.Contains(last, ansi.ResetModeAltScreenSaveCursor) {
			t.Errorf("the terminal is not given back: %q", last)
		}
	})
}

func TestATerminalThatTakesNothingHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tty := &sluggish{let: make(chan struct{})}
		s := &screen{out: tty}
		s.start()
		s.text(theme(t, "dark"), "hello")
		began := time.Now()
		if s.stop(300 * time.Millisecond) {
			t.Error("it says that everything has been written")
		}
		if took := time.Since(began); took != 300*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		close(tty.let)
	})
}

func TestPicturesAreFramesWhereTheTerminalKnowsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tty := &sluggish{let: make(chan struct{})}
		close(tty.let)
		s := &screen{out: tty}
		th := theme(t, "dark")
		s.start()
		s.text(th, "one")
		synctest.Wait()
		s.synchronize()
		s.text(th, "two")
		synctest.Wait()
		defer s.stop(time.Second)
		last := tty.wrote[len(tty.wrote)-1]
		if !strings.HasPrefix(last, ansi.SetModeSynchronizedOutput) || !strings.HasSuffix(last, ansi.ResetModeSynchronizedOutput) {
			t.Errorf("not in a frame: %q", last)
		}
		if strings.Contains(strings.Join(tty.wrote[:len(tty.wrote)-1], ""), "?2026h") {
			t.Error("a frame before the terminal has said that it knows them")
		}
	})
}
