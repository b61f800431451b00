package markup

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The signs. Each takes one cell, and is in both DejaVu Sans Mono and JetBrains
// Mono.
const (
	Ellipsis = "…"
	Dot      = "·"
	Times    = "×"
	Arrow    = "→"
	Crumb    = "›"
	Stalled  = "▲"
	Aged     = "~" // behind the status of a row whose source is not live
	Bubbled  = "»" // before a descendant's reason
	Again    = "↻" // before the number of restarts
	Pointer  = "▌" // beside the selected row
	Live     = "●"
	Folded   = "▸"
	Unfolded = "▾"
	Thumb    = "┃" // of a scroll bar
	Play     = "▶"
	Pause    = "‖"

	Ruler, Side = "─", "│" // frames and the lines of the tree
)

// Spelled are the signs, ours and those in the cluster's sentences, on an ASCII
// screen. Letters of other scripts stay, unless the locale lacks them.
var Spelled = strings.NewReplacer(AsciiSigns...)

var AsciiSigns = []string{
	"✓", "+", "◌", "o", "✗", "X", "⊘", "-", "∅", "0",
	Ellipsis, "~", Dot, "-", Times, "x", Arrow, ">", Crumb, ">",
	Stalled, "!", Bubbled, ">", Again, "@", Pointer, "|", Live, "*",
	Folded, ">", Unfolded, "v", Thumb, "#", Play, ">", Pause, "=",
	Ruler, "-", Side, "|", "├", "|", "└", "`", "┤", "|", "╭", "+", "╮", "+", "╰", "+", "╯", "+", "┬", "+", "┴", "+",
	"█", "#", "░", ".", "▒", "X", "▓", "%", "━", "=", "┅", "~", "┄", "~", "╋", "!",
	"←", "<", "↑", "^", "↓", "v", "•", "*", "–", "-", "—", "-", "“", `"`, "”", `"`, "‘", "'", "’", "'", "‹",
	"<", "«", "<", "≤", "<", "≥", ">", "µ", "u",
}

// StatusLook is how a status is shown.
type StatusLook struct {
	Status status.Status
	Glyph  string
	Token  Token
	Badge  Token // as the verdict
	Bar    string
}

// StatusLooks are the statuses in the order of the bar.
var StatusLooks = [...]StatusLook{
	{status.Current, "✓", OK, OKBadge, "█"},
	{status.InProgress, "◌", Busy, BusyBadge, "░"},
	{status.Failed, "✗", Bad, BadBadge, "▒"},
	{status.Terminating, "⊘", Going, UnsureBadge, "▓"},
	{status.NotFound, "∅", Missing, UnsureBadge, "▓"},
	{status.Unknown, "?", Unsure, UnsureBadge, "▓"},
}

// LookOf is the look of a status; one that does not exist looks Unknown.
func LookOf(s status.Status) StatusLook {
	for _, l := range StatusLooks {
		if l.Status == s {
			return l
		}
	}
	return StatusLooks[len(StatusLooks)-1]
}

// Mark is the status's glyph.
func (l StatusLook) Mark() Span { return l.Token.Of(l.Glyph) }
