package views

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

func TestAgesAreShortAndReadable(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Hour, "0s"},
		{0, "0s"},
		{59*time.Second + 999*time.Millisecond, "59s"},
		{time.Minute, "60s"},
		{160 * time.Second, "2m40s"},
		{time.Hour - 1, "59m"},
		{192 * time.Minute, "3h12m"},
		{62 * time.Minute, "62m"},
		{24 * time.Hour, "24h"},
		{76 * time.Hour, "3d4h"},
		{240 * time.Hour, "10d"},
		{41 * 24 * time.Hour, "41d"},
		{1100 * 24 * time.Hour, "3y5d"},
	} {
		if got := markup.Age(c.d); got != c.want {
			t.Errorf("age(%v) = %q, want %q", c.d, got, c.want)
		}
	}
}

func TestTruncationNeverExceedsItsWidth(t *testing.T) {
	for _, s := range []string{"", "a", "deployment/web-7c88b", "日本語のポッド", "e\u0301e\u0301e\u0301", "👩‍👩‍👧‍👦 family", "⚠️ careful", "שלום-עולם", "\x1b[31mred\x1b[0m\u202ertl"} {
		for w := -1; w < 24; w++ {
			for name, f := range map[string]func(string, int) string{"truncate": markup.Truncate, "truncateMiddle": markup.TruncateMiddle, "truncateStart": markup.TruncateStart, "shorten": markup.Shorten} {
				got := f(s, w)
				if n := markup.Width(got); n > max(w, 0) {
					t.Errorf("%s(%q, %d) = %q takes %d cells", name, s, w, got, n)
				}
			}
			if w < 1 {
				continue
			}
			for _, line := range markup.Wrap(s, w) {
				if n := markup.Width(line); n > max(w, 2) {
					t.Errorf("wrap(%q, %d) has the line %q of %d cells", s, w, line, n)
				}
			}
		}
	}
}

func TestTheMiddleOfANameIsCutSoThatItsHashStays(t *testing.T) {
	if got := markup.TruncateMiddle("Pod/checkout-service-7c88b9d4f5-9qdxz", 20); got != "Pod/checkout…5-9qdxz" {
		t.Errorf("got %q", got)
	}
}

func TestALetterKeepsItsAccentThoughThatStandsByItself(t *testing.T) {
	c := NewCanvas(12, 1, theme(t, "dark"))
	c.Put(0, 0, 12, "mu\u0308ller cafe\u0301", markup.Text)
	if got, want := c.Plain(), "mu\u0308ller cafe\u0301\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.Reset(3, 1, theme(t, "dark"))
	c.Put(0, 0, 3, "a"+strings.Repeat("\u0301", 1000)+"b", markup.Text)
	if got := c.Plain(); got != "ab\n" {
		t.Errorf("%d bytes in three cells: %.20q", len(got), got)
	}
}

// What was on it before, and where its text is kept, cannot be seen.
func TestACanvasThatIsDrawnOnAgainReadsLikeANewOne(t *testing.T) {
	dark, light := theme(t, "dark"), theme(t, "light")
	c := NewCanvas(0, 0, nil)
	for i, s := range []struct {
		text string
		w, h int
		th   *Theme
	}{
		{"web", 6, 3, dark},
		{"web", 6, 3, dark},
		{"", 6, 3, dark},
		{"web", 6, 3, light},
		{"界界", 6, 3, light},
		{"a界b", 6, 3, light},
		{"web", 7, 3, light},
		{"web", 7, 2, dark},
		{"web", 6, 3, dark},
		{"", 0, 0, dark},
		{"web", 6, 3, dark},
	} {
		again := NewCanvas(0, 0, nil)
		for _, c := range []*Canvas{c, again} {
			c.Reset(s.w, s.h, s.th)
			c.Put(0, i%2, 6, s.text, markup.Accent)
			c.Put(4, 1, 2, "x", markup.Text)
			c.Highlight(layout.At(0, i%3, 3, 1), Selected)
		}
		if got, want := c.Render(), uv.TrimSpace(again.Buffer.Render()); got != want {
			t.Errorf("screen %d is %q, want %q", i, got, want)
		}
	}
}

func TestWrappingKeepsEveryWord(t *testing.T) {
	s := "Back-off pulling image registry.local/team/web:2.4.1-a-very-long-tag-that-nobody-wants: rpc error: code = NotFound"
	for w := 8; w < 60; w++ {
		squeeze := strings.NewReplacer(" ", "").Replace
		if got := strings.Join(markup.Wrap(s, w), ""); squeeze(got) != squeeze(s) {
			t.Fatalf("width %d loses text: %q", w, got)
		}
	}
	want := []string{"the quick", "brown fox", "jumps"}
	if got := markup.Wrap("the quick brown fox jumps", 9); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzTheCanvasAcceptsAnyText(f *testing.F) {
	for _, s := range viewstest.Hostile {
		f.Add(s, 12)
	}
	th, err := NewTheme("dark", true, false)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = 1 + (w&0x7fff)%40
		c := NewCanvas(w, 2, th)
		c.Put(0, 0, w, s, markup.Bad)
		c.Put(w/2, 0, w, s, markup.OK)
		c.Right(w, 1, s, markup.Text)
		checkScreen(t, c.Render(), w, 2)
	})
}

// checkScreen holds for every screen: so many lines, none too wide by either
// way of counting, and no command to the terminal but colours.
func checkScreen(t *testing.T, s string, w, h int) {
	t.Helper()
	lines := strings.Split(s, "\n")
	if len(lines) != h {
		t.Fatalf("%d lines, want %d", len(lines), h)
	}
	for y, line := range lines {
		text := stripSGR(t, line)
		if !utf8.ValidString(text) {
			t.Fatalf("line %d is not UTF-8: %q", y, text)
		}
		for _, r := range text {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("line %d has the control character %U: %q", y, r, text)
			}
		}
		if n := ansi.StringWidth(text); n > w {
			t.Fatalf("line %d takes %d cells of %d: %q", y, n, w, text)
		}
		if n := ansi.StringWidthWc(text); n > w {
			t.Fatalf("line %d takes %d cells of %d in a terminal that counts code points: %q", y, n, w, text)
		}
	}
}

// stripSGR removes colour sequences and fails on any other escape.
func stripSGR(t *testing.T, line string) string {
	t.Helper()
	var b strings.Builder
	for {
		i := strings.IndexByte(line, 0x1b)
		if i < 0 {
			b.WriteString(line)
			return b.String()
		}
		b.WriteString(line[:i])
		end := i + 2
		for end < len(line) && (line[end] == ';' || line[end] >= '0' && line[end] <= '9') {
			end++
		}
		if i+1 >= len(line) || line[i+1] != '[' || end >= len(line) || line[end] != 'm' {
			t.Fatalf("an escape that is no colour: %q", line[i:min(len(line), i+20)])
		}
		line = line[end+1:]
	}
}

func TestAWideCharacterIsNeverHalved(t *testing.T) {
	c := NewCanvas(6, 1, theme(t, "dark"))
	c.Put(0, 0, 6, "日本語", markup.Text)
	c.Put(1, 0, 1, "x", markup.Text)
	if got := c.Plain(); got != " x本語\n" {
		t.Errorf("got %q", got)
	}
	c.Put(4, 0, 1, "y", markup.Text)
	if got := c.Plain(); got != " x本y\n" {
		t.Errorf("got %q", got)
	}
	c.Put(5, 0, 1, "語", markup.Text)
	if got := c.Plain(); got != " x本y\n" {
		t.Errorf("a wide character at the edge: got %q", got)
	}
}
