package recording

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// leap is a jump in progress. A goroutine reads the file ahead while the pieces
// read so far are applied: a large jump takes little longer than the slower of
// the two.
type leap struct {
	to     time.Time
	pieces chan piece // closed by the reading goroutine, which waits while it is full
}

// piece is a part of a leap.
type piece struct {
	feed.Jump
	// Set in the last piece:
	cur  *cursor // where to continue
	kept *memory
	err  error
}

const (
	pieceParts   = 16 // parts of a memory per piece
	pieceBatches = 64
	piecesAhead  = 3
)

// jump moves to a time. A time a little ahead is reached by reading on, any
// other from the beginning of its chapter: one since the last change, too, because
// whoever follows has seen the time pass.
func (p *Player) jump(ctx context.Context, t time.Time) (feed.Batch, error) {
	if t.After(p.end) {
		t = p.end
	}
	if !p.Until.IsZero() && t.After(p.Until) {
		t = p.Until
	}
	if t.Before(p.start) {
		t = p.start
	}
	l := &leap{to: t, pieces: make(chan piece, piecesAhead)}
	r := &run{file: p.file, leap: l, quit: p.file.quit, cur: p.read.cur, chapter: p.chapterAt(t), kept: p.read.memory}
	if p.read.last.Seq == 0 || t.Before(p.Now()) || r.chapter > r.cur.chapter+1 {
		r.cur = nil
		if r.kept != nil && r.kept.chapter != r.chapter {
			r.kept = nil
		}
	}
	p.read.leap, p.read.cur, p.read.memory = l, nil, nil // free their memory
	p.leaping.Go(r.read)
	return p.land(ctx)
}

// land returns the next piece of a leap.
func (p *Player) land(ctx context.Context) (feed.Batch, error) {
	l := p.read.leap
	var next piece
	select {
	case next = <-l.pieces:
	case <-ctx.Done():
		return feed.Batch{}, ctx.Err()
	}
	if next.Anew {
		p.read.reported, p.read.at, p.read.skew = false, p.start, 0
		p.read.synced = p.read.synced && len(next.Memory) == 0
	}
	for _, m := range next.Memory {
		p.read.synced, p.read.skew, p.read.at = p.read.synced || m.State.Synced, cmp.Or(m.State.Skew, p.read.skew), m.At
	}
	if n := len(next.Past); n > 0 {
		p.reach(&next.Past[n-1])
	}
	if !next.More {
		p.read.leap, p.read.cur, p.read.memory = nil, next.cur, next.kept
		if p.read.cur == nil { // the player was closed, or nothing is readable
			p.read.cur = &cursor{file: p.file, lines: &lineReader{err: io.EOF}, at: p.read.at, damage: next.err}
		}
		if next.err != nil {
			return feed.Batch{}, next.err
		}
		p.arrive(l.to)
	}
	return p.hand(feed.Batch{At: l.to, Jump: &next.Jump}), nil
}

// run is the reading side of a leap.
type run struct {
	file    *file
	leap    *leap
	quit    <-chan struct{} // closed with the player
	cur     *cursor         // the player's position; nil to begin with a chapter
	chapter int
	kept    *memory // the state at the chapter's beginning, if it was read before
	piece   piece
}

// send passes on the gathered pieces; false if the player was closed.
func (r *run) send(more bool) bool {
	r.piece.More = more
	select {
	case r.leap.pieces <- r.piece:
		r.piece = piece{}
		return true
	case <-r.quit:
		return false
	}
}

func (r *run) read() {
	defer close(r.leap.pieces)
	err := r.open()
	if err == nil {
		err = r.past()
	}
	r.piece.cur, r.piece.kept, r.piece.err = r.cur, r.kept, err
	r.send(false)
}

// open moves to the beginning of the chapter, or of the previous one if that is
// damaged or cut off.
func (r *run) open() error {
	if r.cur != nil {
		return nil
	}
	for ; ; r.chapter-- {
		r.piece = piece{Jump: feed.Jump{Anew: true}}
		cur, err := openCursor(r.file, r.chapter)
		if err == nil && r.chapter > 0 {
			err = r.remember(cur)
		}
		switch {
		case err == nil:
			r.cur, r.piece.Known = cur, true
			return nil
		case r.chapter == 0 || errors.Is(err, errClosed) || errors.Is(err, errOverMemory):
			return err
		}
		r.kept = nil
	}
}

// remember reads the state at the cursor's chapter.
func (r *run) remember(cur *cursor) error {
	took := func(m *feed.Memory) error {
		if r.piece.Memory = append(r.piece.Memory, m); len(r.piece.Memory) >= pieceParts && !r.send(true) {
			return errClosed
		}
		return nil
	}
	if r.kept != nil {
		return cur.recall(r.kept, took)
	}
	m := &memory{chapter: r.chapter}
	err := cur.remembered(func(part *feed.Memory) error {
		m.parts = append(m.parts, part)
		return took(part)
	})
	if err == nil {
		r.kept = m
	}
	return err
}

// past reads the batches up to the time.
func (r *run) past() error {
	if len(r.piece.Memory) >= pieceParts/2 && !r.send(true) { // send early, because the receiver takes longer
		return errClosed
	}
	objects := 0
	for {
		next, err := r.cur.next()
		if err != nil || next.At.After(r.leap.to) {
			return nil
		}
		r.cur.ahead = nil
		r.piece.Past = append(r.piece.Past, *next)
		if objects += len(next.Objects); len(r.piece.Past) < pieceBatches && objects < partMoment {
			continue
		}
		if objects = 0; !r.send(true) {
			return errClosed
		}
	}
}
