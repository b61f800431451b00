package views

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

// Back is a background.
type Back uint8

// The backgrounds.
const (
	NoBack    Back = iota
	Selected       // the selected row, if the tree has the focus
	Unfocused      // the selected row, if the pane has the focus
	numBacks
)

// Theme gives each [markup.Token] its colours. Themes are immutable.
type Theme struct {
	Name  string
	Dark  bool
	ASCII bool // signs are ASCII
	// ASCIILocale: the terminal's locale only has ASCII. Other characters from
	// the cluster are replaced by ?, cell by cell: bytes that the terminal
	// misreads would shift the line, or worse.
	ASCIILocale bool
	// paper and ink are the terminal's default colours for pictures and for
	// measuring contrast.
	paper, ink colour
	styles     [markup.NumTokens]lipgloss.Style
	cells      [markup.NumTokens]uv.Style // the same
	backs      [numBacks]uv.Style
}

// SpeaksUTF8 reads the locale; UTF-8 is the default.
func SpeaksUTF8(env []string) bool {
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(uv.Environ(env).Getenv(key)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// ThemeNames lists the themes in the order of the help. "auto" follows the
// terminal's background. The colours are in themes.txt: a theme has two columns, for a
// dark and for a light background, and a row for each role.
var ThemeNames = []string{
	"auto", "dark", "light", "high-contrast", "deuteranopia",
	"tritanopia", "mono", "ascii", "ansi",
}

// colour is "" for the terminal's default, "#rrggbb", or the number of one of
// the 256 colours, of which the first sixteen are the terminal owner's choice.
type colour string

// UserTheme is a theme of the configuration file: another one with some colours of its
// own, by role.
type UserTheme struct {
	Base    string
	Colours map[string]string
}

// Themes makes themes.
type Themes struct {
	User map[string]UserTheme
	// Few says that the terminal has 256 colours. The nearest ones of the default theme
	// would be too much alike: its secondary text would look Current.
	Few bool
}

// Roles are the colours of a theme.
func Roles() (roles []string) {
	for l := range strings.Lines(themeTable) {
		if role := strings.Fields(l); role[0] != "default" && role[0] != "dark" && role[0] != "paper" &&
			role[0] != "ink" {
			roles = append(roles, role[0])
		}
	}
	return roles
}

var written = regexp.MustCompile(`^(#[0-9a-fA-F]{6}|[0-9]{1,3}|-)$`)

// Check says what is wrong with a user's theme.
func (u UserTheme) Check() error {
	if !slices.Contains(ThemeNames, u.Base) {
		return fmt.Errorf("base %q is no theme (one of: %s)", u.Base, strings.Join(ThemeNames, ", "))
	}
	for _, role := range slices.Sorted(maps.Keys(u.Colours)) {
		n, err := strconv.Atoi(u.Colours[role])
		switch {
		case !slices.Contains(Roles(), role):
			return fmt.Errorf("no such colour: %s (one of: base, %s)", role, strings.Join(Roles(), ", "))
		case !written.MatchString(u.Colours[role]), err == nil && n > 255:
			return fmt.Errorf("%s: %q is neither #rrggbb, nor a number up to 255, nor -", role, u.Colours[role])
		}
	}
	return nil
}

//go:embed themes.txt
var themeTable string

// palettes are the colours by theme and shade, then by role. Where red and green
// are confusable, blue stands against orange, with yellow between; where blue
// and green are, cyan against red, with a near white between. Themes without a
// palette have no colours.
var palettes = readPalettes(themeTable)

func readPalettes(table string) map[string]map[string]colour {
	out := map[string]map[string]colour{}
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	names, shades := strings.Fields(lines[0]), strings.Fields(lines[1])
	for i, shade := range shades {
		p := map[string]colour{}
		for _, l := range lines[2:] {
			if role := strings.Fields(l); role[i+1] != "-" {
				p[role[0]] = colour(role[i+1])
			}
		}
		out[names[i/2]+" "+shade] = p
	}
	return out
}

// NewTheme returns a theme by name. dark is the terminal's background, for
// themes with two variants; plain uses ASCII signs in any theme.
func NewTheme(name string, dark, plain bool) (*Theme, error) { return Themes{}.New(name, dark, plain) }

// New is [NewTheme] for a theme of the user's, too.
func (t Themes) New(name string, dark, plain bool) (*Theme, error) {
	own, ok := t.User[name]
	if !ok {
		return t.dress(name, dark, plain, nil)
	}
	th, err := t.dress(own.Base, dark, plain, own.Colours)
	if err == nil {
		th.Name = name
	}
	return th, err
}

// dress makes a theme with some other colours.
func (t Themes) dress(name string, dark, plain bool, own map[string]string) (*Theme, error) {
	if !slices.Contains(ThemeNames, name) {
		return nil, fmt.Errorf("unknown theme %q: choose one of %s", name, strings.Join(ThemeNames, ", "))
	}
	th := &Theme{Name: name, Dark: dark && name != "light" || name == "dark", ASCII: plain || name == "ascii"}
	shade := " light"
	if th.Dark {
		shade = " dark"
	}
	standard, p := palettes["default"+shade], palettes[name+shade]
	if slices.Contains(ThemeNames[:3], name) {
		if p = standard; t.Few {
			p = palettes["default-256"+shade]
		}
	}
	if len(own) > 0 {
		p = maps.Clone(p)
		if p == nil {
			p = map[string]colour{}
		}
		for role, c := range own {
			p[role] = colour(strings.TrimSuffix(c, "-"))
		}
	}
	th.paper, th.ink = cmp.Or(p["paper"], standard["paper"]), cmp.Or(p["ink"], standard["ink"])
	th.styles = styles(p)
	for t, s := range th.styles {
		th.cells[t] = cellStyle(s)
	}
	th.backs = [numBacks]uv.Style{
		Selected:  cellStyle(painted("", p["selected"])),
		Unfocused: cellStyle(painted("", p["resting"])),
	}
	if p["selected"] == "" {
		th.backs = [numBacks]uv.Style{Selected: {Attrs: uv.AttrReverse}, Unfocused: {Underline: uv.UnderlineSingle}}
	}
	return th, nil
}

// painted is text in these colours.
func painted(fg, bg colour) lipgloss.Style {
	return lipgloss.NewStyle().Foreground(lipgloss.Color(string(fg))).Background(lipgloss.Color(string(bg)))
}

// styles are the looks of the tokens in a palette's colours, or without. Text
// keeps the terminal's own foreground, its owner's choice.
func styles(p map[string]colour) [markup.NumTokens]lipgloss.Style {
	text := func(role string) lipgloss.Style { return painted(p[role], "") }
	block := func(fg, bg string) lipgloss.Style {
		if p[bg] == "" {
			return lipgloss.NewStyle().Reverse(true)
		}
		return painted(p[fg], p[bg])
	}
	dim := text("dim").Faint(p["dim"] == "")
	return [markup.NumTokens]lipgloss.Style{
		markup.Strong:      text("strong").Bold(true),
		markup.Dim:         dim,
		markup.Faint:       text("faint").Faint(p["faint"] == ""),
		markup.Accent:      text("accent").Underline(p["accent"] == ""),
		markup.Heading:     text("dim").Bold(true),
		markup.OK:          text("ok"),
		markup.Busy:        text("busy"),
		markup.Stuck:       text("stuck").Bold(true),
		markup.Bad:         text("bad").Bold(true),
		markup.Going:       text("going"),
		markup.Missing:     text("dim").Italic(true),
		markup.Unsure:      text("strong").Underline(true),
		markup.Match:       block("onMatch", "match"),
		markup.OKBadge:     block("onBadge", "ok").Bold(true),
		markup.BusyBadge:   block("onBadge", "busy").Bold(true),
		markup.BadBadge:    block("onBadge", "bad").Bold(true),
		markup.UnsureBadge: block("onBadge", "dim").Bold(true),
		markup.Label:       block("onLabel", "label").Bold(true),
		markup.Healed:      dim.Strikethrough(true),
	}
}

// cellStyle is a style as a cell has it. Bubble Tea downsamples its colours.
func cellStyle(s lipgloss.Style) uv.Style {
	return lipgloss.NewCanvas(1, 1).Compose(lipgloss.NewLayer(s.Render("x"))).CellAt(0, 0).Style
}

// on is a style on a background. A badge keeps its own: on a reversed row it
// stands out by not being reversed.
func (th *Theme) on(s uv.Style, b Back) uv.Style {
	back := th.backs[b]
	if back.Attrs&uv.AttrReverse == 0 {
		s.Bg, s.Underline = cmp.Or(s.Bg, back.Bg), max(s.Underline, back.Underline)
		return s
	}
	s.Attrs = s.Attrs&^uv.AttrFaint ^ uv.AttrReverse // reversed and faint is unreadable in most terminals
	if s.Bg == nil {
		s.Fg = nil // reversed, it would be a coloured block
	}
	return s
}
