// Package views turns a model into a screen. It decides nothing: every fact,
// count and order comes from internal/model, and a view is a function of the
// model, the size and the theme. The same three give the same screen, byte for
// byte, so screens are tested and photographed without a terminal.
//
// A screen is drawn into a [Canvas], a grid of cells that clips what does not fit
// and replaces control characters. [Canvas.Render] is
// the content of Bubble Tea's view, [Canvas.SVG] the same as a picture.
//
// No clock, no randomness, no goroutine and no channel here: internal/tui has
// those.
package views
