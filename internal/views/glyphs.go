package views

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Glyphs are the signs. Each takes one cell, and is in both DejaVu Sans Mono
// and JetBrains Mono.
type Glyphs struct {
	Current, InProgress, Failed, Terminating, NotFound, Unknown string
	Stalled                                                     string // beside InProgress: past its deadline
	Open, Closed                                                string // folds
	Branch, Last, Pass                                          string // tree lines, three cells each
	Bubbled                                                     string // a descendant's reason
	Again                                                       string // before the number of restarts
	Crumb                                                       string
	Selected                                                    string
	Live, Waiting                                               string // before the state of the connection
	Right                                                       string
	Ellipsis, Dot, Times                                        string
	Frame                                                       lipgloss.Border
	Bar                                                         [5]string // Current, InProgress, Failed, other, unknown
	Lane, LaneEnd, LaneStop                                     string
	Caret                                                       string
	Thumb                                                       string    // the visible part in a scroll bar
	Play, Pause                                                 string    // a recording's clock
	Here, Begins                                                string    // on a recording's time line: now; the beginning of a cause
	Past, Future                                                [4]string // the time line: Current, Failed, other, unknown
}

var unicodeGlyphs = Glyphs{
	Current: "✓", InProgress: "◌", Failed: "✗", Terminating: "⊘", NotFound: "∅", Unknown: "?",
	Stalled: "▲",
	Open:    "▾", Closed: "▸",
	Branch: "├─ ", Last: "└─ ", Pass: "│  ",
	Bubbled: "»", Again: "↻", Crumb: "›", Selected: "▌", Live: "●", Waiting: "◌", Right: "→",
	Ellipsis: "…", Dot: "·", Times: "×",
	Frame: lipgloss.RoundedBorder(),
	Bar:   [5]string{"█", "░", "▒", "▓", "·"},
	Lane:  "━", LaneEnd: "▶", LaneStop: "┤",
	Caret: "▏",
	Thumb: "┃",
	Play:  "▶", Pause: "‖",
	Here: "●", Begins: "╋",
	Past:   [4]string{"━", "▒", "┅", "·"},
	Future: [4]string{"─", "▒", "┄", "·"},
}

var asciiGlyphs = Glyphs{
	Current: "+", InProgress: "~", Failed: "X", Terminating: "-", NotFound: "0", Unknown: "?",
	Stalled: "!",
	Open:    "v", Closed: ">",
	Branch: "|- ", Last: "`- ", Pass: "|  ",
	Bubbled: ">>", Again: "@", Crumb: ">", Selected: "|", Live: "*", Waiting: "~", Right: "->",
	Ellipsis: "...", Dot: "-", Times: "x",
	Frame: lipgloss.ASCIIBorder(),
	Bar:   [5]string{"#", ".", "X", "%", " "},
	Lane:  "=", LaneEnd: ">", LaneStop: "|",
	Caret: "_",
	Thumb: "#",
	Play:  ">", Pause: "=",
	Here: "O", Begins: "!",
	Past:   [4]string{"=", "X", "~", " "},
	Future: [4]string{"-", "X", "~", " "},
}

// spelled are signs in sentences, the program's and the cluster's, with their
// ASCII replacements, which take as many cells. Letters of other scripts stay,
// unless the locale lacks them.
var spelled = strings.NewReplacer(
	"×", "x", "→", ">", "←", "<", "↑", "^", "↓", "v", "…", ".", "·", "-", "•", "*", "–", "-", "—", "-",
	"“", `"`, "”", `"`, "‘", "'", "’", "'", "›", ">", "»", ">", "‹", "<", "«", "<", "≤", "<", "≥", ">", "µ", "u", "✓", "+", "✗", "X",
)

// Of is the glyph of a status.
func (g *Glyphs) Of(s status.Status) string {
	switch s {
	case status.Current:
		return g.Current
	case status.InProgress:
		return g.InProgress
	case status.Failed:
		return g.Failed
	case status.Terminating:
		return g.Terminating
	case status.NotFound:
		return g.NotFound
	default:
		return g.Unknown
	}
}

// statusToken is the token of a status.
func statusToken(s status.Status) Token {
	switch s {
	case status.Current:
		return OK
	case status.InProgress:
		return Busy
	case status.Failed:
		return Bad
	case status.Terminating:
		return Going
	case status.NotFound:
		return Missing
	default:
		return Unsure
	}
}
