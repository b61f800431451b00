// Package xterm has one test: an independent terminal, @xterm/headless of the terminal in
// VS Code and many web consoles, replays what the dashboard wrote, and its screen must be
// the one of a full redraw. The screens of other tests are read by Go libraries of the
// family that wrote them.
package xterm
