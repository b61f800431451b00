package recording

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// A leap is a jump on its way. The file is read by a goroutine of its own, ahead
// of whoever takes in what has been read: with both at work a large jump takes
// little longer than the slower of them.
type leap struct {
	to     time.Time
	pieces chan piece // closed by who reads; where it is full, that waits
}

// piece is what is handed over at once.
type piece struct {
	feed.Jump
	// What follows comes with the last piece.
	cur  *cursor // where to go on
	kept *memory
	err  error
}

const (
	pieceParts   = 16 // of a memory
	pieceBatches = 64
	piecesAhead  = 3
)

// jump goes to a moment. What lies a little ahead is read through, for
// anything else what was known at the beginning of its chapter is taken.
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
	if p.read.last.Seq == 0 || t.Before(p.read.at) || r.chapter > r.cur.chapter+1 {
		r.cur = nil
		if r.kept != nil && r.kept.chapter != r.chapter {
			r.kept = nil
		}
	}
	p.read.leap, p.read.cur, p.read.memory = l, nil, nil // the memory that they hold is needed
	p.leaping.Go(r.read)
	return p.land(ctx)
}

// land hands over the next piece of a leap.
func (p *Player) land(ctx context.Context) (feed.Batch, error) {
	l := p.read.leap
	var next piece
	select {
	case next = <-l.pieces:
	case <-ctx.Done():
		return feed.Batch{}, ctx.Err()
	}
	if next.Anew {
		p.read.told, p.read.at = false, p.start
		p.read.synced = p.read.synced && len(next.Memory) == 0
	}
	for _, m := range next.Memory {
		p.read.synced, p.read.at = p.read.synced || m.State.Synced, m.At
	}
	if n := len(next.Past); n > 0 {
		p.read.synced, p.read.at = next.Past[n-1].Synced, next.Past[n-1].At
	}
	if !next.More {
		p.read.leap, p.read.cur, p.read.memory = nil, next.cur, next.kept
		if p.read.cur == nil { // it was closed, or nothing can be read at all
			p.read.cur = &cursor{file: p.file, lines: &lineReader{err: io.EOF}, at: p.read.at, damage: next.err}
		}
		if next.err != nil {
			return feed.Batch{}, next.err
		}
		p.arrive(l.to)
	}
	return p.hand(feed.Batch{At: l.to, Jump: &next.Jump}), nil
}

// run reads for a leap.
type run struct {
	file    *file
	leap    *leap
	quit    <-chan struct{} // closed with the player
	cur     *cursor         // where the player stands; nil to begin with a chapter
	chapter int
	kept    *memory // what was known where the chapter begins, if that has been read before
	piece   piece
}

// send hands over what has been gathered; false where nobody wants it any more.
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

// open goes to the beginning of the chapter, or of the one before where that is
// damaged, or was cut off.
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
		case r.chapter == 0 || errors.Is(err, errClosed) || errors.Is(err, errHeavy):
			return err
		}
		r.kept = nil
	}
}

// remember begins with what was known where the cursor stands.
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

// past reads what lies between the cursor and the moment.
func (r *run) past() error {
	if len(r.piece.Memory) >= pieceParts/2 && !r.send(true) { // whoever waits for it has much to do
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
