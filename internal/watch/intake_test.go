package watch

import (
	"bytes"
	"errors"
	"io"
	"math/rand"
	"testing"
	"testing/iotest"
)

// pieces reads as much as a network brings at a time.
type pieces struct {
	r   io.Reader
	rnd *rand.Rand
	max int
}

func (p *pieces) Read(b []byte) (int, error) {
	return p.r.Read(b[:min(len(b), 1+p.rnd.Intn(p.max))])
}

func TestWhatIsTakenInIsWhatCame(t *testing.T) {
	for seed := range int64(30) {
		rnd := rand.New(rand.NewSource(seed))
		all := make([]byte, 3<<20)
		rnd.Read(all)
		var r io.Reader = &pieces{bytes.NewReader(all), rnd, 1 << rnd.Intn(20)}
		if seed%3 == 0 {
			r = iotest.DataErrReader(r) // the last bytes come with the end
		}
		in := intake{r: r}
		for at := 0; at < len(all); {
			n := min(rnd.Intn(1<<rnd.Intn(21)+1), len(all)-at)
			got, err := in.take(n)
			if err != nil || !bytes.Equal(got, all[at:at+n]) {
				t.Fatalf("seed %d: %d bytes at %d: not what came (%v)", seed, n, at, err)
			}
			at += n
		}
		if _, err := in.take(1); err != io.EOF {
			t.Fatalf("seed %d: at the end: %v", seed, err)
		}
	}
	broken := errors.New("broken")
	in := intake{r: io.MultiReader(bytes.NewReader(make([]byte, 6)), iotest.ErrReader(broken))}
	if _, err := in.take(4); err != nil {
		t.Fatal(err)
	}
	if _, err := in.take(4); err != broken {
		t.Errorf("%v, want what broke it", err)
	}
	in = intake{r: bytes.NewReader(make([]byte, 6))}
	if _, err := in.take(7); err != io.ErrUnexpectedEOF {
		t.Errorf("cut off: %v", err)
	}
}

func TestABufferGrowsForMuchAndShrinksForLittle(t *testing.T) {
	in := intake{r: bytes.NewReader(make([]byte, 8<<20))}
	take := func(n int) {
		t.Helper()
		if _, err := in.take(n); err != nil {
			t.Fatal(err)
		}
	}
	take(1000)
	if len(in.buf) != intakeLeast {
		t.Errorf("a buffer of %d bytes at the start", len(in.buf))
	}
	for range 600 {
		take(6000)
	}
	if len(in.buf) != intakeMost {
		t.Errorf("a buffer of %d bytes where much comes", len(in.buf))
	}
	take(2 << 20)
	in.r = &pieces{in.r, rand.New(rand.NewSource(1)), 500}
	for range 2000 {
		take(600)
	}
	if len(in.buf) != intakeLeast {
		t.Errorf("a buffer of %d bytes where little comes", len(in.buf))
	}
}
