package markup

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
	NumTokens
)
