package recording

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// Bounds of a file. A recording of ten thousand Pods for a day stays far below
// them. The first four are variables, because tests lower them.
var (
	maxLine         = 16 << 20 // bytes of one line
	maxTotal  int64 = 1 << 30  // bytes, decompressed, of one chapter
	maxValues       = 1 << 18  // values in one line
	// maxHeap bounds the live heap while a file is read.
	maxHeap uint64 = 512 << 20
)

const (
	maxTimes   = 1_000_000 // batches of one chapter
	partMoment = 20_000    // objects per batch that is handed over
	maxListed  = 200_000   // roots, events and the like per batch
	maxDetails = 32 << 20  // bytes of details and logs that are kept
	maxMarks   = 10_000
	maxGap     = 31 * 24 * time.Hour
	// maxPiped bounds the input if it is not a file.
	maxPiped = 256 << 20
)

// NotRecorded is the error for details and logs that were not fetched while
// recording. What follows "does not have": a noun, and why.
type NotRecorded struct{ What string }

func (e *NotRecorded) Error() string { return "this recording does not have " + e.What }

var (
	errEmpty  = errors.New("the recording is empty")
	errClosed = errors.New("the player was closed")
)

// Player plays a recording as a feed, and the user controls its time. Set
// Speed, Until and Hold before the first Next; all other methods may be called
// from any goroutine.
type Player struct {
	// Speed is the initial speed: 1 as recorded, 0 as fast as batches are
	// taken.
	Speed float64
	// Until ends the recording at a time; zero plays it to its end.
	Until time.Time
	// Hold stays at the end, so that the user can go back, instead of ending
	// the feed.
	Hold bool

	file    *file
	closer  io.Closer
	closing sync.Once
	leaping sync.WaitGroup
	start   time.Time // time of the first batch
	end     time.Time // time of the last batch, or of the proper end
	marks   []feed.Mark

	read struct { // used by Next alone, one call at a time
		sync.Mutex
		cur      *cursor
		last     feed.Batch // the last batch handed over
		memory   *memory    // of the chapter last read
		leap     *leap      // the jump in progress; cur is nil then
		synced   bool       // what a batch says of the whole, which one of the player's own repeats
		skew     feed.Duration
		reported bool      // the damage has been reported
		at       time.Time // time of the newest batch handed over
		surveyed int       // index of the chapter whose times are known
		times    []time.Time
	}

	mu       sync.Mutex // guards what follows
	base     time.Time  // the clock's time at origin
	origin   time.Time  // real time
	running  bool       // the playback has begun
	speed    float64
	paused   bool
	orders   orders
	gen      uint64        // of the last Wants
	answered uint64        // generation last answered
	wake     chan struct{} // buffered, one: Next has work to do
	surveys  map[int]*survey
}

// orders are the user's commands since the last batch.
type orders struct {
	seek  *time.Time
	step  int
	tempo bool // speed or pause has changed
}

// Open opens a recording. The error describes in one line what is wrong with
// the file.
func Open(name string) (*Player, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	limitMemory()
	p, err := openFile(f)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.closer = f
	return p, nil
}

func openFile(f *os.File) (*Player, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return NewPlayer(f)
	}
	return newPlayer(f, info.Size())
}

// NewPlayer plays r, which may be compressed or not. Input that is not seekable
// is read into memory.
func NewPlayer(r io.Reader) (*Player, error) {
	if at, ok := r.(interface {
		io.ReaderAt
		Size() int64
	}); ok {
		return newPlayer(at, at.Size())
	}
	begins := bufio.NewReader(r)
	if _, err := isCompressed(begins); err != nil { // before 256 MB have been read
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(begins, maxPiped+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPiped {
		return nil, fmt.Errorf("it is larger than %d MB: a file can be, a pipe cannot", maxPiped>>20)
	}
	return newPlayer(bytes.NewReader(data), int64(len(data)))
}

func newPlayer(r io.ReaderAt, size int64) (*Player, error) {
	f := &file{r: r, size: size, places: []place{{}}, quit: make(chan struct{})}
	lines, err := f.lines(0)
	if err != nil {
		return nil, err
	}
	if f.header, err = headerOf(lines); err != nil {
		return nil, err
	}
	f.places = chaptersOf(r, size)
	p := &Player{Speed: 1, file: f, wake: make(chan struct{}, 1), surveys: map[int]*survey{}}
	p.read.surveyed = -1
	for i := range f.places {
		p.addMarks(f.places[i].Marks)
	}
	last := len(f.places) - 1
	if f.places[last].End {
		p.end = f.places[last].At
		if last > 0 {
			f.places = f.places[:last]
		}
	} else {
		s := surveyOf(f, last, maxDetails)
		p.end = s.end
		p.addMarks(s.marks)
		p.surveys[last] = &s
	}
	if p.read.cur, err = openCursor(f, 0); err != nil {
		return nil, err
	}
	first, err := p.read.cur.next()
	if err != nil {
		if p.read.cur.damage != nil {
			return nil, p.read.cur.damage
		}
		return nil, errEmpty
	}
	p.start, p.base = first.At, first.At
	p.end = after(p.end, p.start)
	p.read.at = first.At
	p.marks = slices.DeleteFunc(p.marks, func(m feed.Mark) bool { return m.At.Before(p.start) || m.At.After(p.end) })
	return p, nil
}

func (p *Player) addMarks(marks []feed.Mark) {
	for _, m := range marks {
		if n := len(p.marks); n < maxMarks && (n == 0 || !m.At.Before(p.marks[n-1].At)) {
			p.marks = append(p.marks, m)
		}
	}
}

// Close closes the file. It does not end a waiting Next; that ends with its
// context.
func (p *Player) Close() error {
	p.closing.Do(func() { close(p.file.quit) })
	p.leaping.Wait()
	if p.closer == nil {
		return nil
	}
	return p.closer.Close()
}

// Header is the recording's first line.
func (p *Player) Header() Header { return p.file.header }

// Start is the time of the first batch.
func (p *Player) Start() time.Time { return p.start }

// End is the time of the end: of the last batch if the file was cut off.
func (p *Player) End() time.Time { return p.end }

// Next returns the next batch when it is due, or the answer to a user's
// command. Calls must not overlap.
func (p *Player) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	p.read.Lock()
	defer p.read.Unlock()
	if since < p.read.last.Seq {
		return p.read.last, nil // the same question again: the answer was lost
	}
	p.read.last = feed.Batch{Seq: p.read.last.Seq} // it arrived: free its content
	for {
		if err := ctx.Err(); err != nil {
			return feed.Batch{}, err
		}
		if p.read.leap != nil {
			return p.land(ctx)
		}
		b, done, err := p.obey(ctx)
		if done || err != nil {
			return b, err
		}
		next, err := p.read.cur.next()
		if err == nil && !p.Until.IsZero() && next.At.After(p.Until) {
			err = io.EOF
		}
		if err != nil {
			if b, ok := p.ending(); ok {
				return b, nil
			}
			if !p.Hold {
				return feed.Batch{}, p.ended(err)
			}
			next = nil
		}
		due, answer := p.wait(ctx, next)
		switch {
		case answer:
			return p.hand(feed.Batch{At: p.Now()}), nil
		case due && next != nil:
			return p.deliver(next), nil
		}
	}
}

// deliver takes the next batch.
func (p *Player) deliver(next *feed.Batch) feed.Batch {
	p.read.cur.ahead = nil
	p.reach(next)
	return p.hand(*next)
}

// reach notes that the state is that after a recorded batch.
func (p *Player) reach(b *feed.Batch) {
	p.read.synced, p.read.skew, p.read.at = b.Synced, b.Skew, b.At
}

// hand numbers a batch and confirms the last Wants: a recording has nothing to
// look up.
func (p *Player) hand(b feed.Batch) feed.Batch {
	first := p.read.last.Seq == 0
	b.Seq = p.read.last.Seq + 1
	b.Synced, b.Skew = p.read.synced, p.read.skew
	b.Known = feed.KnownBySources // what was wanted when it was recorded is not in it
	p.mu.Lock()
	p.begin()
	p.answered = p.gen
	b.Answered, b.EventsAnswered = p.gen, p.gen
	if p.speed == 0 && p.base.Before(b.At) {
		p.base = b.At
	}
	if p.Hold && (first || b.Jump != nil || p.orders.tempo) {
		b.Playback = p.playback()
		p.orders.tempo = false
	}
	p.mu.Unlock()
	p.read.last = b
	return b
}

// obey carries out the user's commands.
func (p *Player) obey(ctx context.Context) (_ feed.Batch, done bool, err error) {
	p.mu.Lock()
	seek, step, tempo := p.orders.seek, p.orders.step, p.orders.tempo
	p.orders.seek, p.orders.step = nil, 0
	if step != 0 {
		p.begin()
		p.set(p.clock())
		p.paused = true
		p.orders.tempo = true
	}
	now := p.clock()
	p.mu.Unlock()
	switch {
	case seek != nil:
		b, err := p.jump(ctx, *seek)
		return b, true, err
	case step > 0:
		var past []feed.Batch
		for range step {
			next, err := p.read.cur.next()
			if err != nil {
				break
			}
			p.read.cur.ahead = nil
			past = append(past, *next)
		}
		if len(past) == 0 {
			b, err := p.jump(ctx, p.end)
			return b, true, err
		}
		last := past[len(past)-1]
		p.arrive(last.At)
		last.Jump = &feed.Jump{Past: past[:len(past)-1]}
		p.reach(&last)
		return p.hand(last), true, nil
	case step < 0:
		t := now
		if !t.After(p.read.at) {
			t = p.read.at
		}
		for range -step {
			t = p.before(t)
		}
		b, err := p.jump(ctx, t)
		return b, true, err
	case tempo:
		return p.hand(feed.Batch{At: now}), true, nil
	}
	return feed.Batch{}, false, nil
}

func (p *Player) arrive(t time.Time) {
	p.mu.Lock()
	p.begin()
	p.set(t)
	p.mu.Unlock()
}

// chapterAt is the last chapter that begins at or before a time.
func (p *Player) chapterAt(t time.Time) int {
	i := len(p.file.places) - 1
	for i > 0 && p.file.places[i].At.After(t) {
		i--
	}
	return i
}

// before is the last batch's time before another time.
func (p *Player) before(t time.Time) time.Time {
	for i := p.chapterAt(t); i >= 0; i-- {
		if p.read.surveyed != i {
			p.read.surveyed, p.read.times = i, surveyOf(p.file, i, 0).times
		}
		for j := len(p.read.times) - 1; j >= 0; j-- {
			if p.read.times[j].Before(t) {
				return p.read.times[j]
			}
		}
	}
	return p.start
}

// ending returns a last batch if something is left to report: a cut-off file,
// or an unanswered Wants.
func (p *Player) ending() (feed.Batch, bool) {
	p.mu.Lock()
	open := p.gen > p.answered
	p.mu.Unlock()
	damage := p.read.cur.damage
	tell := damage != nil && !p.read.reported
	if !open && !tell {
		return feed.Batch{}, false
	}
	b := feed.Batch{At: p.read.at}
	if p.Hold {
		b.At = p.Now()
	}
	if tell {
		p.read.reported = true
		b.Damage = &feed.Damage{At: p.read.cur.at, Cut: p.read.cur.cut, Text: damage.Error()}
		b.Notices = []feed.Notice{{At: b.At, Level: "warning", From: "recording", Text: damage.Error()}}
	}
	return p.hand(b), true
}

// ended stops the clock at the recording's end.
func (p *Player) ended(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	p.paused = true
	p.base = p.read.cur.at
	if !p.Until.IsZero() && p.Until.Before(p.base) {
		p.base = p.Until
	}
	return err
}

// wait waits until the next batch (or the end) is due, a Wants is to be
// answered, or the user has given a command.
func (p *Player) wait(ctx context.Context, next *feed.Batch) (due, answer bool) {
	p.mu.Lock()
	p.begin()
	if p.speed == 0 {
		p.mu.Unlock()
		return true, false
	}
	var left <-chan time.Time
	at := p.end
	if next != nil {
		at = next.At
	}
	now := p.clock()
	switch {
	case next != nil && !at.After(now):
		p.mu.Unlock()
		return true, false
	case next == nil && !at.After(now) && !p.paused:
		p.set(p.end)
		p.paused, p.orders.tempo = true, true
		p.mu.Unlock()
		return true, false
	case !p.paused:
		timer := time.NewTimer(time.Duration(float64(at.Sub(now)) / p.speed))
		defer timer.Stop()
		left = timer.C
	}
	answer = p.gen > p.answered && p.read.last.Seq > 0
	p.mu.Unlock()
	if answer {
		return false, true
	}
	select {
	case <-ctx.Done():
	case <-left:
		return next != nil, false
	case <-p.wake:
	}
	return false, false
}

// Want is answered with the next batch, which holds what was recorded, whatever
// is wanted.
func (p *Player) Want(w feed.Wants) {
	p.mu.Lock()
	p.gen = max(p.gen, w.Gen)
	p.mu.Unlock()
	p.rouse()
}
