//go:build !unix

package views

import (
	"os"
)

var endSignals = []os.Signal{os.Interrupt}

// terminal is the screen. Elsewhere than on Unix, others are not kept from
// writing to it.
type terminal struct{ screen *os.File }

func takeTerminal(opts Options) (*terminal, error) { return &terminal{screen: opts.Output}, nil }

func (t *terminal) read(func(string)) {}

func (t *terminal) restore() {}
