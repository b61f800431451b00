package problem

import (
	"fmt"
	"strings"
)

// Crash is a panic as an error: an error of this program, and no statement about
// a cluster.
type Crash struct {
	Value string // what it panicked with, in one line
	Stack string // for a report of the error
}

// Caught makes an error of what recover returned and the stack at that moment.
func Caught(value any, stack []byte) *Crash {
	if crash, ok := value.(*Crash); ok {
		return crash
	}
	text, more, _ := strings.Cut(fmt.Sprint(value), "\n") // a panic that was handed on has its stack behind it
	return &Crash{Value: OneLine(text), Stack: strings.TrimSpace(more + "\n" + string(stack))}
}

func (c *Crash) Error() string { return "internal error: " + c.Value }
