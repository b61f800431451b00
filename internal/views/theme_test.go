package views

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func everyTheme(t *testing.T) []*Theme {
	t.Helper()
	var out []*Theme
	for _, name := range ThemeNames {
		for _, dark := range []bool{true, false} {
			th, err := NewTheme(name, dark, false)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, th)
		}
	}
	for _, dark := range []bool{true, false} {
		th, err := Themes{Few: true}.New("auto", dark, false)
		if err != nil {
			t.Fatal(err)
		}
		th.Name += "-256"
		out = append(out, th)
	}
	return out
}

// tokenNames and backNames are the looks and the backgrounds in errors, mostly by the role
// in themes.txt that colours them.
var (
	tokenNames = [markup.NumTokens]string{
		markup.Text: "text", markup.Strong: "strong", markup.Dim: "dim", markup.Faint: "faint", markup.Accent: "accent",
		markup.Heading: "a heading (dim)", markup.OK: "ok", markup.Busy: "busy", markup.Stuck: "stuck", markup.Bad: "bad",
		markup.Going: "going", markup.Missing: "missing (dim)", markup.Unsure: "unsure (strong)", markup.Match: "onMatch",
		markup.OKBadge: "onBadge on ok", markup.BusyBadge: "onBadge on busy", markup.BadBadge: "onBadge on bad",
		markup.UnsureBadge: "onBadge on dim", markup.Label: "onLabel", markup.Healed: "healed (dim)",
	}
	backNames = [numBacks]string{NoBack: "paper", Selected: "selected", Unfocused: "resting"}
)

func TestEveryTextCanBeReadOnEveryBackground(t *testing.T) {
	for _, th := range everyTheme(t) {
		for tok := range markup.NumTokens {
			for back := range numBacks {
				s := th.cell(tok, back)
				if strings.HasPrefix(th.Name, "ansi") || s.Attrs&uv.AttrFaint != 0 {
					continue // the terminal's owner chose these
				}
				fg, bg := th.picture(s)
				want := 4.5
				switch {
				case tok == markup.Faint:
					want = 1.3 // lines that need not be read
				case tok == markup.Text && back != NoBack:
					want = 7
				}
				if got := contrast(fg, bg); got < want {
					t.Errorf("%s (dark %v): %s on %s has contrast %.1f, want %.1f", th.Name, th.Dark, tokenNames[tok], backNames[back], got, want)
				}
			}
		}
	}
}

// contrast is the ratio of WCAG 2.
func contrast(a, b colour) float64 {
	lum := func(c colour) float64 {
		r, g, b := c.rgb()
		f := func(v uint8) float64 {
			x := float64(v) / 255
			if x <= 0.03928 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*f(r) + 0.7152*f(g) + 0.0722*f(b)
	}
	x, y := lum(a), lum(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Bubble Tea takes the nearest of the colours that a terminal has.
func TestFailedIsRedHoweverFewColoursThereAre(t *testing.T) {
	for _, th := range everyTheme(t) {
		if th.cells[markup.Bad].Fg == nil {
			continue // a theme without colours
		}
		for profile, tokens := range map[colorprofile.Profile][]markup.Token{
			colorprofile.TrueColor: {markup.Bad},
			colorprofile.ANSI256:   {markup.Bad, markup.Busy, markup.OK, markup.Stuck, markup.Unsure},
			colorprofile.ANSI:      {markup.Bad, markup.Busy, markup.OK},
		} {
			if strings.HasSuffix(th.Name, "-256") && profile == colorprofile.ANSI {
				continue
			}
			if th.Name == "ansi" { // the program takes it where there are sixteen
				tokens = append(tokens, markup.Stuck)
			}
			shown := func(tok markup.Token) colour {
				return onPaper(uv.ConvertStyle(th.cells[tok], profile).Fg, th.ink)
			}
			if r, g, b := shown(markup.Bad).rgb(); r <= max(g, b) {
				t.Errorf("%s (dark %v), in the colours of %s: bad is %s, which is not red", th.Name, th.Dark, profile, shown(markup.Bad))
			}
			for i, one := range tokens {
				for _, other := range tokens[:i] {
					if shown(one) == shown(other) && th.cells[one].Fg != th.cells[other].Fg {
						t.Errorf("%s (dark %v), in the colours of %s: %s and %s are both %s", th.Name, th.Dark, profile, tokenNames[other], tokenNames[one], shown(one))
					}
				}
			}
		}
	}
}

// Terminal.app, and tmux without RGB, have 256 colours. The nearest ones of the default
// theme made secondary text look Current: its distance fell from 26 to 12.
func TestStatusesAreApartIn256Colours(t *testing.T) {
	for _, dark := range []bool{true, false} {
		th, err := Themes{Few: true}.New("auto", dark, false)
		if err != nil {
			t.Fatal(err)
		}
		shown := func(tok markup.Token) colour {
			return onPaper(uv.ConvertStyle(th.cells[tok], colorprofile.ANSI256).Fg, th.ink)
		}
		all := []markup.Token{markup.Dim, markup.OK, markup.Busy, markup.Stuck, markup.Bad}
		for i, one := range all {
			for _, other := range all[:i] {
				if d := distance(shown(one), shown(other)); d < 18 {
					t.Errorf("dark %v: %s %s and %s %s are %.0f apart", dark, tokenNames[one], shown(one), tokenNames[other], shown(other), d)
				}
			}
		}
	}
}

// distance is CIE76's.
func distance(a, b colour) float64 {
	lab := func(c colour) [3]float64 {
		r, g, b := c.rgb()
		f := func(v uint8) float64 {
			if x := float64(v) / 255; x > 0.04045 {
				return math.Pow((x+0.055)/1.055, 2.4)
			}
			return float64(v) / 255 / 12.92
		}
		x, y, z := f(r)*0.4124+f(g)*0.3576+f(b)*0.1805, f(r)*0.2126+f(g)*0.7152+f(b)*0.0722, f(r)*0.0193+f(g)*0.1192+f(b)*0.9505
		g3 := func(v float64) float64 {
			if v > 0.008856 {
				return math.Cbrt(v)
			}
			return 7.787*v + 16.0/116
		}
		x, y, z = g3(x/0.9505), g3(y), g3(z/1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	x, y := lab(a), lab(b)
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

func TestAUsersThemeChangesSomeColours(t *testing.T) {
	user := map[string]UserTheme{"mine": {Base: "dark", Colours: map[string]string{"ok": "#00ff00", "bad": "-"}}}
	th, err := Themes{User: user}.New("mine", true, false)
	if err != nil {
		t.Fatal(err)
	}
	base := theme(t, "dark")
	if th.cells[markup.OK].Fg == base.cells[markup.OK].Fg || th.cells[markup.Bad].Fg != nil || th.cells[markup.Busy] != base.cells[markup.Busy] || th.Name != "mine" {
		t.Errorf("%+v", th)
	}
	for _, wrong := range []UserTheme{
		{Base: "pink"},
		{Base: "dark", Colours: map[string]string{"okay": "1"}},
		{Base: "dark", Colours: map[string]string{"ok": "green"}},
		{Base: "dark", Colours: map[string]string{"ok": "256"}},
	} {
		if wrong.Check() == nil {
			t.Errorf("no error for %+v", wrong)
		}
	}
}

func TestMonoAndASCIIUseNoColour(t *testing.T) {
	for _, name := range []string{"mono", "ascii"} {
		th, err := NewTheme(name, true, false)
		if err != nil {
			t.Fatal(err)
		}
		for tok := range markup.NumTokens {
			for back := range numBacks {
				if s := th.cell(tok, back); s.Fg != nil || s.Bg != nil {
					t.Errorf("%s: token %c has a colour", name, tokenLetters[tok])
				}
			}
		}
	}
}

func TestNoStatusIsShownByColourAlone(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		seen := map[string]status.Status{}
		for _, s := range status.Statuses {
			glyph := markup.LookOf(s).Glyph
			if ascii {
				glyph = markup.Spelled.Replace(glyph)
			}
			if other, ok := seen[glyph]; ok {
				t.Errorf("%s and %s share the glyph %q", s, other, glyph)
			}
			seen[glyph] = s
		}
	}
}

func TestSignsTakeOneCellByEitherCount(t *testing.T) {
	for i, s := range markup.AsciiSigns {
		switch {
		case ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1:
			t.Errorf("%q takes %d or %d cells", s, ansi.StringWidth(s), ansi.StringWidthWc(s))
		case i%2 == 1 && s > "~":
			t.Errorf("%q is not ASCII", s)
		}
	}
}

func TestABarShowsTheOneThatFailedAmongAThousand(t *testing.T) {
	counts := world.Counts{status.Current: 999, status.Failed: 1}
	for w := 1; w < 120; w++ {
		got := shares(counts, w)
		sum := 0
		for _, n := range got {
			sum += n
			if n < 0 {
				t.Fatalf("width %d: negative share in %v", w, got)
			}
		}
		if sum != w {
			t.Fatalf("width %d: shares %v add up to %d", w, got, sum)
		}
		if got[2] != 1 {
			t.Fatalf("width %d: the failed one has %d cells", w, got[2])
		}
	}
}

func TestBarSharesAlwaysAddUp(t *testing.T) {
	for a := range 6 {
		for b := range 6 {
			for c := range 6 {
				for w := range 12 {
					counts := world.Counts{status.Current: a * 7, status.InProgress: b, status.Failed: c, status.Unknown: a % 2}
					sum := 0
					for _, n := range shares(counts, w) {
						sum += n
					}
					total := a*7 + b + c + a%2
					if want := w; total > 0 && sum != want {
						t.Fatalf("counts %v, width %d: %d cells", counts, w, sum)
					}
				}
			}
		}
	}
}

func TestAnUnknownThemeIsAnErrorThatListsTheKnown(t *testing.T) {
	_, err := NewTheme("pink", true, false)
	if err == nil || !strings.Contains(err.Error(), "tritanopia") {
		t.Errorf("got %v", err)
	}
}
