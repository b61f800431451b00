package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The signs. Each takes one cell, and is in both DejaVu Sans Mono and JetBrains
// Mono.
const (
	ellipsis = "…"
	dot      = "·"
	times    = "×"
	arrow    = "→"
	crumb    = "›"
	stalled  = "▲"
	aged     = "~" // behind the status of a row whose source is not live
	bubbled  = "»" // before a descendant's reason
	again    = "↻" // before the number of restarts
	pointer  = "▌" // beside the selected row
	live     = "●"
	folded   = "▸"
	unfolded = "▾"
	thumb    = "┃" // of a scroll bar
	play     = "▶"
	pause    = "‖"

	ruler, side = "─", "│" // frames and the lines of the tree
)

// spelled are the signs, ours and those in the cluster's sentences, on an ASCII
// screen. Letters of other scripts stay, unless the locale lacks them.
var spelled = strings.NewReplacer(asciiSigns...)

var asciiSigns = []string{
	"✓", "+", "◌", "~", "✗", "X", "⊘", "-", "∅", "0",
	ellipsis, "~", dot, "-", times, "x", arrow, ">", crumb, ">", stalled, "!", bubbled, ">", again, "@", pointer, "|", live, "*",
	folded, ">", unfolded, "v", thumb, "#", play, ">", pause, "=",
	ruler, "-", side, "|", "├", "|", "└", "`", "┤", "|", "╭", "+", "╮", "+", "╰", "+", "╯", "+", "┬", "+", "┴", "+",
	"█", "#", "░", ".", "▒", "X", "▓", "%", "━", "=", "┅", "~", "┄", "~", "╋", "!",
	"←", "<", "↑", "^", "↓", "v", "•", "*", "–", "-", "—", "-", "“", `"`, "”", `"`, "‘", "'", "’", "'", "‹", "<", "«", "<", "≤", "<", "≥", ">", "µ", "u",
}

// statusLook is how a status is shown.
type statusLook struct {
	status status.Status
	glyph  string
	token  Token
	badge  Token // as the verdict
	bar    string
}

// statusLooks are the statuses in the order of the bar.
var statusLooks = [...]statusLook{
	{status.Current, "✓", OK, OKBadge, "█"},
	{status.InProgress, "◌", Busy, BusyBadge, "░"},
	{status.Failed, "✗", Bad, BadBadge, "▒"},
	{status.Terminating, "⊘", Going, UnsureBadge, "▓"},
	{status.NotFound, "∅", Missing, UnsureBadge, "▓"},
	{status.Unknown, "?", Unsure, UnsureBadge, "▓"},
}

// lookOf is the look of a status; one that does not exist looks Unknown.
func lookOf(s status.Status) statusLook {
	for _, l := range statusLooks {
		if l.status == s {
			return l
		}
	}
	return statusLooks[len(statusLooks)-1]
}

// mark is the status's glyph.
func (l statusLook) mark() span { return span{l.glyph, l.token} }
