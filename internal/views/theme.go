package views

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// Token is the meaning of a piece of text; the theme decides its look.
type Token uint8

// The tokens.
const (
	Text    Token = iota // normal text
	Strong               // important text
	Dim                  // secondary text
	Faint                // frames, tree lines
	Accent               // keys, the focused frame, links
	Heading              // column heads and section titles
	OK                   // Current
	Busy                 // InProgress
	Stuck                // InProgress past its deadline
	Bad                  // Failed
	Going                // Terminating
	Missing              // NotFound
	Unsure               // Unknown
	Match                // a search match
	OKBadge              // the verdict as a block
	BusyBadge
	BadBadge
	UnsureBadge
	Label  // "recording", "paused"
	Healed // a healed cause, struck through
	numTokens
)

// Back is a background.
type Back uint8

// The backgrounds.
const (
	NoBack   Back = iota
	Selected      // the selected row, if the tree has the focus
	Resting       // the selected row, if the pane has the focus
	numBacks
)

// unstyled is text in the terminal's own colours.
var unstyled = lipgloss.NewStyle()

// painted is text in these colours.
func painted(fg, bg colour) lipgloss.Style {
	s := unstyled
	if fg != "" {
		s = s.Foreground(lipgloss.Color(string(fg)))
	}
	if bg != "" {
		s = s.Background(lipgloss.Color(string(bg)))
	}
	return s
}

// colored reports whether a colour is set.
func colored(c color.Color) bool {
	_, none := c.(lipgloss.NoColor)
	return !none
}

// colour is "" for the terminal's default, "#rrggbb", or the number of one of
// the sixteen colours.
type colour string

// Theme is the look of all tokens. Themes are immutable.
type Theme struct {
	Name  string
	Dark  bool
	ASCII bool // the program's own signs are ASCII
	// ASCIILocale: the terminal's locale only has ASCII. Other characters from
	// the cluster are replaced by ?, cell by cell: bytes that the terminal
	// misreads would shift the line, or worse.
	ASCIILocale bool
	g           *Glyphs
	// paper and ink are the terminal's default colours for pictures and for
	// measuring contrast.
	paper, ink colour
	styles     [numTokens]lipgloss.Style
	backs      [numBacks]lipgloss.Style
	cells      [numTokens][numBacks]uv.Style // style of every token on every background
}

// Glyphs are the theme's signs.
func (th *Theme) Glyphs() *Glyphs { return th.g }

// ThemeNames lists the themes in the order of the help. "auto" follows the
// terminal's background.
var ThemeNames = []string{"auto", "dark", "light", "high-contrast", "deuteranopia", "tritanopia", "mono", "ascii", "ansi"}

// palette holds the colours of a theme.
type palette struct {
	paper, ink                   colour
	strong, dim, faint, accent   colour
	ok, busy, stuck, bad         colour
	going, missing, unsure       colour
	selected, resting, onBadge   colour
	match, onMatch, label, onLab colour
}

var palettes = map[string]palette{
	"dark": {
		paper: "#14171e", ink: "#c9d1d9", strong: "#f0f4f8", dim: "#98a2b3", faint: "#4a5365", accent: "#7db4ff",
		ok: "#4fb3bf", busy: "#e0af68", stuck: "#ff9e64", bad: "#f7768e",
		going: "#b4a7d6", missing: "#98a2b3", unsure: "#f0f4f8",
		selected: "#26304a", resting: "#1f2530", onBadge: "#14171e",
		match: "#e0af68", onMatch: "#14171e", label: "#7db4ff", onLab: "#14171e",
	},
	"light": {
		paper: "#fbfbf9", ink: "#2b3038", strong: "#0d1117", dim: "#5a6472", faint: "#b9c0ca", accent: "#1f5fc4",
		ok: "#00677a", busy: "#8a5a00", stuck: "#b04400", bad: "#b4003c",
		going: "#655394", missing: "#5a6472", unsure: "#0d1117",
		selected: "#dfe8f7", resting: "#edf0f4", onBadge: "#ffffff",
		match: "#ffd97a", onMatch: "#2b3038", label: "#1f5fc4", onLab: "#ffffff",
	},
	"high-contrast dark": {
		paper: "#000000", ink: "#ffffff", strong: "#ffffff", dim: "#d8d8d8", faint: "#9a9a9a", accent: "#7fd4ff",
		ok: "#3df0ff", busy: "#ffe14d", stuck: "#ffb84d", bad: "#ff8f9f",
		going: "#d9c7ff", missing: "#d8d8d8", unsure: "#ffffff",
		selected: "#0b3a75", resting: "#2a2a2a", onBadge: "#000000",
		match: "#ffe14d", onMatch: "#000000", label: "#7fd4ff", onLab: "#000000",
	},
	"high-contrast light": {
		paper: "#ffffff", ink: "#000000", strong: "#000000", dim: "#333333", faint: "#6b6b6b", accent: "#00388f",
		ok: "#004a57", busy: "#5c3a00", stuck: "#7a2600", bad: "#8c0026",
		going: "#43307a", missing: "#333333", unsure: "#000000",
		selected: "#bcd6ff", resting: "#e2e2e2", onBadge: "#ffffff",
		match: "#ffd23d", onMatch: "#000000", label: "#00388f", onLab: "#ffffff",
	},
	// Red and green are confusable: blue against orange, with yellow between.
	"deuteranopia dark": {
		paper: "#14171e", ink: "#c9d1d9", strong: "#f0f4f8", dim: "#98a2b3", faint: "#4a5365", accent: "#9ecbff",
		ok: "#56b4e9", busy: "#f0e442", stuck: "#f5c04a", bad: "#ff8a3d",
		going: "#cfa3c7", missing: "#98a2b3", unsure: "#f0f4f8",
		selected: "#26304a", resting: "#1f2530", onBadge: "#14171e",
		match: "#f0e442", onMatch: "#14171e", label: "#9ecbff", onLab: "#14171e",
	},
	"deuteranopia light": {
		paper: "#fbfbf9", ink: "#2b3038", strong: "#0d1117", dim: "#5a6472", faint: "#b9c0ca", accent: "#1f4fb0",
		ok: "#005a94", busy: "#6e6100", stuck: "#8a5200", bad: "#a83c00",
		going: "#7a4a73", missing: "#5a6472", unsure: "#0d1117",
		selected: "#dfe8f7", resting: "#edf0f4", onBadge: "#ffffff",
		match: "#f5e663", onMatch: "#2b3038", label: "#1f4fb0", onLab: "#ffffff",
	},
	// Blue and green, yellow and violet are confusable: cyan against red, with
	// a near white between.
	"tritanopia dark": {
		paper: "#14171e", ink: "#c9d1d9", strong: "#f0f4f8", dim: "#98a2b3", faint: "#4a5365", accent: "#7fd6d6",
		ok: "#2ec4b6", busy: "#ffd9df", stuck: "#ff9bb0", bad: "#ff7067",
		going: "#a8a8b8", missing: "#98a2b3", unsure: "#f0f4f8",
		selected: "#26363a", resting: "#1f2530", onBadge: "#14171e",
		match: "#ffd9df", onMatch: "#14171e", label: "#7fd6d6", onLab: "#14171e",
	},
	"tritanopia light": {
		paper: "#fbfbf9", ink: "#2b3038", strong: "#0d1117", dim: "#5a6472", faint: "#b9c0ca", accent: "#00616b",
		ok: "#006a66", busy: "#7d3b52", stuck: "#962a4c", bad: "#b3150c",
		going: "#565666", missing: "#5a6472", unsure: "#0d1117",
		selected: "#dceeee", resting: "#edf0f4", onBadge: "#ffffff",
		match: "#ffc9d3", onMatch: "#2b3038", label: "#00616b", onLab: "#ffffff",
	},
	// The terminal's own sixteen colours, by their numbers.
	"ansi dark": {
		paper: "#14171e", ink: "#c9d1d9", strong: "15", faint: "8", accent: "12",
		ok: "6", busy: "3", stuck: "11", bad: "9", going: "5", unsure: "15",
		onBadge: "0", match: "3", onMatch: "0", label: "4", onLab: "15",
	},
	"ansi light": {
		paper: "#fbfbf9", ink: "#2b3038", faint: "7", accent: "4",
		ok: "6", busy: "3", stuck: "1", bad: "1", going: "5",
		onBadge: "15", match: "11", onMatch: "0", label: "4", onLab: "15",
	},
}

// NewTheme returns a theme by name. dark is the terminal's background, for
// themes with two variants; plain uses ASCII signs in any theme.
func NewTheme(name string, dark, plain bool) (*Theme, error) {
	if !slices.Contains(ThemeNames, name) {
		return nil, fmt.Errorf("unknown theme %q: choose one of %s", name, strings.Join(ThemeNames, ", "))
	}
	if name == "auto" {
		name = "light"
		if dark {
			name = "dark"
		}
	}
	th := &Theme{Name: name, Dark: dark, ASCII: plain || name == "ascii", g: &unicodeGlyphs}
	if th.ASCII {
		th.g = &asciiGlyphs
	}
	switch name {
	case "dark", "light":
		th.Dark = name == "dark"
		th.colours(palettes[name])
	case "mono", "ascii":
		th.mono()
	default:
		shade := " light"
		if dark {
			shade = " dark"
		}
		th.colours(palettes[name+shade])
		if name == "ansi" {
			th.backs[Selected] = unstyled.Reverse(true)
			th.backs[Resting] = unstyled.Underline(true)
			th.styles[Dim] = th.styles[Dim].Faint(true)
		}
	}
	th.spellOut()
	return th, nil
}

func (th *Theme) colours(p palette) {
	th.paper, th.ink = p.paper, p.ink
	// Text keeps the terminal's own foreground, its owner's choice.
	th.styles = [numTokens]lipgloss.Style{
		Strong:      painted(p.strong, "").Bold(true),
		Dim:         painted(p.dim, ""),
		Faint:       painted(p.faint, ""),
		Accent:      painted(p.accent, ""),
		Heading:     painted(p.dim, "").Bold(true),
		OK:          painted(p.ok, ""),
		Busy:        painted(p.busy, ""),
		Stuck:       painted(p.stuck, "").Bold(true),
		Bad:         painted(p.bad, "").Bold(true),
		Going:       painted(p.going, ""),
		Missing:     painted(p.missing, "").Italic(true),
		Unsure:      painted(p.unsure, "").Underline(true),
		Match:       painted(p.onMatch, p.match),
		OKBadge:     painted(p.onBadge, p.ok).Bold(true),
		BusyBadge:   painted(p.onBadge, p.busy).Bold(true),
		BadBadge:    painted(p.onBadge, p.bad).Bold(true),
		UnsureBadge: painted(p.onBadge, p.dim).Bold(true),
		Label:       painted(p.onLab, p.label).Bold(true),
		Healed:      painted(p.dim, "").Strikethrough(true),
	}
	if p.dim == "" {
		th.styles[UnsureBadge] = unstyled.Bold(true).Reverse(true)
	}
	th.backs = [numBacks]lipgloss.Style{Selected: painted("", p.selected), Resting: painted("", p.resting)}
}

func (th *Theme) mono() {
	th.paper, th.ink = "#fbfbf9", "#1c1f24"
	if th.Dark {
		th.paper, th.ink = "#14171e", "#d5dae0"
	}
	th.styles = [numTokens]lipgloss.Style{
		Strong:      unstyled.Bold(true),
		Dim:         unstyled.Faint(true),
		Faint:       unstyled.Faint(true),
		Accent:      unstyled.Underline(true),
		Heading:     unstyled.Bold(true),
		Stuck:       unstyled.Bold(true),
		Bad:         unstyled.Bold(true),
		Missing:     unstyled.Italic(true),
		Unsure:      unstyled.Underline(true),
		Match:       unstyled.Reverse(true),
		OKBadge:     unstyled.Bold(true).Reverse(true),
		BusyBadge:   unstyled.Bold(true).Reverse(true),
		BadBadge:    unstyled.Bold(true).Reverse(true),
		UnsureBadge: unstyled.Bold(true).Reverse(true),
		Label:       unstyled.Reverse(true),
		Healed:      unstyled.Faint(true).Strikethrough(true),
	}
	th.backs = [numBacks]lipgloss.Style{Selected: unstyled.Reverse(true), Resting: unstyled.Underline(true)}
}

// spellOut computes the style of every token on every background. Bubble Tea
// downsamples the colours.
func (th *Theme) spellOut() {
	for t := range numTokens {
		for b := range numBacks {
			cell := lipgloss.NewCanvas(1, 1).Compose(lipgloss.NewLayer(th.on(t, b).Render("x")))
			th.cells[t][b] = cell.CellAt(0, 0).Style
		}
	}
}

// on is the style of a token on a background. A badge keeps its own background.
func (th *Theme) on(t Token, b Back) lipgloss.Style {
	s, back := th.styles[t], th.backs[b]
	if !back.GetReverse() {
		return s.Inherit(back)
	}
	if s.GetReverse() {
		return s.UnsetReverse().UnsetFaint() // a badge stands out from a reversed row by not being reversed
	}
	s = s.UnsetFaint() // reversed and faint is unreadable in most terminals
	if !colored(s.GetBackground()) {
		s = s.UnsetForeground() // reversed, it would be a coloured block
	}
	if t == Accent {
		s = s.UnsetUnderline() // underlining marks keys
	}
	return s.Inherit(back)
}

// front is the token of a window's frame. An underlined accent would be a
// second line along the frame.
func (th *Theme) front() Token {
	if th.styles[Accent].GetUnderline() {
		return Strong
	}
	return Accent
}

func (c colour) rgb() (r, g, b uint8, ok bool) {
	if len(c) != 7 || c[0] != '#' {
		return 0, 0, 0, false
	}
	v, err := strconv.ParseUint(string(c[1:]), 16, 32)
	if err != nil {
		return 0, 0, 0, false
	}
	return uint8(v >> 16), uint8(v >> 8), uint8(v), true
}
