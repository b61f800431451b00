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

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Pick lets the user choose a line of cells in columns: letters filter, arrows move, enter chooses,
// escape cancels. It draws below the prompt and cleans up after itself. ok is
// false if nothing was chosen.
func Pick(ctx context.Context, title string, choices [][]string, in io.Reader, out io.Writer) (chosen int, ok bool, err error) {
	p := newPicker(title, choices)
	_, err = tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler()).Run()
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
}

func newPicker(title string, choices [][]string) *picker {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, c := range choices {
		fmt.Fprintln(w, strings.Join(c, "\t"))
	}
	_ = w.Flush() // a strings.Builder never fails
	p := &picker{title: title, lines: strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n"), filter: textinput.New(), chosen: -1, width: 80, height: 24}
	p.filter.SetVirtualCursor(false)
	p.filter.KeyMap.Paste.SetEnabled(false) // it would run a program; terminals paste by themselves
	p.filter.Focus()
	p.narrow()
	return p
}

func (p *picker) Init() tea.Cmd { return nil }

func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
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
	lines := []string{markup.Truncate(p.title+"  "+object.Clean(p.filter.Value()), p.width-1)}
	for row := p.top; row < min(p.top+p.room(), len(p.fits)); row++ {
		mark := "  "
		if row == p.at {
			mark = "> "
		}
		lines = append(lines, markup.Truncate(mark+p.lines[p.fits[row]], p.width-1))
	}
	foot := fmt.Sprintf("%d of %d  ·  type to narrow down, arrows move, enter follows, esc leaves", len(p.fits), len(p.lines))
	v := tea.NewView(strings.Join(append(lines, markup.Truncate(foot, p.width-1)), "\n"))
	typed := []rune(p.filter.Value())[:p.filter.Position()]
	v.Cursor = tea.NewCursor(min(markup.Width(p.title)+2+markup.Width(object.Clean(string(typed))), p.width-1), 0)
	return v
}
