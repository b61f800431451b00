package viewstest

// Hostile is text that tries to move the cursor, recolour the screen, change
// the title or reorder the line.
var Hostile = []string{
	"\x1b[2J\x1b[H", "\x1b]0;owned\x07", "\u009b31m", "a\rb\nc\td", "\x00\x7f\u0085",
	"\u202egnp.exe\u202c", "zero\u200bwidth\u2066iso\u2069", "\xff\xfe broken", "e\u0301\u0301\u0301\u0301",
	"👩‍👩‍👧‍👦", "⚠️", "🇩🇪", "日本語", "\u0300lonely", "\ufeffbom", "\U000e0041tag", "\u0e33\u0e33", "क्षि",
}
