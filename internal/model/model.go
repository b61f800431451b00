package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Children says which generated children are followed.
type Children string

// The choices for generated children.
const (
	ChildrenAuto Children = "auto" // of what is not Current, is opened, or needs them
	ChildrenAll  Children = "all"
	ChildrenNone Children = "none"
)

// Options is what a model is told once.
type Options struct {
	Now        time.Time // when following began
	Sources    []string  // the arguments, as typed
	Title      string    // what is followed, in a few words
	Context    string    // kubeconfig context
	Namespace  string
	Recording  string        // label of the recording that is played, or ""
	StallAfter time.Duration // 0 means 60 s
	Children   Children      // "" means auto
	Rules      status.UserRules
	// Keys replaces the default keys of actions. An empty list unbinds.
	Keys map[Action][]string
	// Screen says that somebody looks: events, logs and children are wanted
	// for what is selected and opened too.
	Screen bool
}

// Model is the state. It is a value that moves: Update consumes its receiver
// and returns what comes after it; the old one must not be used again. (The
// objects and the tree behind it are updated in place, because ten thousand of
// them are not copied for one change.)
type Model struct {
	opt Options
	now time.Time
}

// New is a model that knows nothing yet, and the commands to begin with.
func New(opt Options) (Model, []Cmd) {
	if opt.StallAfter == 0 {
		opt.StallAfter = time.Minute
	}
	if opt.Children == "" {
		opt.Children = ChildrenAuto
	}
	return Model{opt: opt, now: opt.Now}, []Cmd{nextBatch(0)}
}

// Update takes in what has happened. It is the only writer of the model.
func (m Model) Update(msg Msg) (Model, []Cmd) {
	switch msg := msg.(type) {
	case ClockTicked:
		m.now = msg.Now
	}
	return m, nil
}
