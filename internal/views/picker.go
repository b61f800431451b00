package views

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Pick lets the user choose a line of cells in columns: letters filter, arrows move, enter chooses,
// escape cancels. It draws below the prompt and cleans up after itself. ok is
// false if nothing was chosen.
func Pick(
	ctx context.Context, title string, choices [][]string, in io.Reader, out io.Writer,
	theme func(dark, few bool) *Theme,
) (chosen int, ok bool, err error) {
	p := newPicker(title, choices, theme)
	_, err = tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithoutSignalHandler()).Run()
	return p.chosen, p.chosen >= 0, err
}

// picker is the picker's state.
type picker struct {
	title         string
	lines         []string // the choices, in columns
	filter        textinput.Model
	fits          []int // indexes of the lines that match the filter
	at, top       int   // in fits
	chosen        int
	width, height int
	done          bool

	theme     func(dark, few bool) *Theme
	th        *Theme
	dark, few bool // the terminal's background, and that it has 256 colours
}

// dress makes the theme anew.
func (p *picker) dress() { p.th = p.theme(p.dark, p.few) }

func newPicker(title string, choices [][]string, theme func(dark, few bool) *Theme) *picker {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, c := range choices {
		fmt.Fprintln(w, strings.Join(c, "\t"))
	}
	_ = w.Flush() // a strings.Builder never fails
	p := &picker{
		title: title, lines: strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n"),
		filter: textinput.New(), chosen: -1, width: 80, height: 24, theme: theme, dark: true,
	}
	p.dress()
	p.filter.SetVirtualCursor(false)
	p.filter.KeyMap.Paste.SetEnabled(false) // it would run a program; terminals paste by themselves
	p.filter.Focus()
	p.narrow()
	return p
}

func (p *picker) Init() tea.Cmd { return tea.RequestBackgroundColor }

func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		p.dark = msg.IsDark()
		p.dress()
	case tea.ColorProfileMsg:
		p.few = msg.Profile == colorprofile.ANSI256
		p.dress()
	case tea.KeyPressMsg:
		switch key := msg.String(); key {
		case "enter":
			if p.at < len(p.fits) {
				p.chosen = p.fits[p.at]
				p.done = true
				return p, tea.Quit
			}
		case "esc", "ctrl+c", "ctrl+d":
			p.done = true
			return p, tea.Quit
		case "up", "ctrl+p":
			p.at--
		case "down", "ctrl+n", "tab":
			p.at++
		case "pgup":
			p.at -= p.room()
		case "pgdown":
			p.at += p.room()
		default:
			p.typed(msg)
		}
	case tea.PasteMsg:
		p.typed(msg)
	}
	p.at = max(min(p.at, len(p.fits)-1), 0)
	p.top = min(p.top, p.at)
	p.top = max(p.top, p.at-p.room()+1)
	return p, nil
}

func (p *picker) typed(msg tea.Msg) {
	before := p.filter.Value()
	if p.filter = model.Edit(p.filter, msg); p.filter.Value() != before {
		p.narrow()
	}
}

// narrow applies the filter: a line must contain each of its words.
func (p *picker) narrow() {
	p.fits = p.fits[:0]
	words := strings.Fields(strings.ToLower(p.filter.Value()))
	for i, line := range p.lines {
		if !slices.ContainsFunc(words, func(w string) bool { return !markup.HasFold(line, w) }) {
			p.fits = append(p.fits, i)
		}
	}
	p.at, p.top = 0, 0
}

// room is the number of visible lines.
func (p *picker) room() int { return max(min(p.height-3, 15), 1) }

func (p *picker) View() tea.View {
	if p.done {
		return tea.NewView("")
	}
	rows := p.fits[p.top:min(p.top+p.room(), len(p.fits))]
	c := NewCanvas(max(p.width-1, 1), len(rows)+2, p.th)
	c.line(0, 0, max(p.width-1, 1),
		markup.Line{markup.Heading.Of(p.title), markup.Strong.Of("  " + object.Clean(p.filter.Value()))})
	for i, fit := range rows {
		if p.top+i != p.at {
			c.line(2, i+1, max(p.width-1, 1)-2, markup.Plain(p.lines[fit]))
			continue
		}
		c.line(0, i+1, max(p.width-1, 1), markup.Line{markup.Accent.Of("> "), markup.Strong.Of(p.lines[fit])})
		c.Highlight(layout.At(0, i+1, max(p.width-1, 1), 1), Selected)
	}
	count := fmt.Sprintf("%d of %d  ", len(p.fits), len(p.lines))
	key := func(k, does string) markup.Line { return markup.Line{markup.Accent.Of(k), markup.Dim.Of(" " + does)} }
	keys := markup.Fitting(max(p.width-1, 1)-markup.Width(count), "  ", key("letters", "narrow down"),
		key("arrows", "move"), key("enter", "follows"), key("esc", "leaves"))
	c.line(0, len(rows)+1, max(p.width-1, 1), append(markup.Styled(count, markup.Dim), keys...))
	c.spell()
	v := tea.NewView(c.Render())
	typed := []rune(p.filter.Value())[:p.filter.Position()]
	v.Cursor = tea.NewCursor(min(markup.Width(p.title)+2+markup.Width(object.Clean(string(typed))), p.width-1), 0)
	return v
}
