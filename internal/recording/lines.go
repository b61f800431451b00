package recording

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Header is a recording's first line: what was followed, where and by which
// program.
type Header struct {
	Schema    string    `json:"schema"`
	Program   string    `json:"program,omitempty"` // name and version of the writer
	Started   time.Time `json:"started,omitzero"`
	Sources   []string  `json:"sources,omitempty"` // the sources, as typed
	Title     string    `json:"title,omitempty"`
	Context   string    `json:"context,omitempty"` // name of the kubeconfig's context
	Namespace string    `json:"namespace,omitempty"`
	Children  string    `json:"children,omitempty"` // the value of --children: auto, all, none
	Redacted  bool      `json:"redacted,omitempty"` // names and messages have been replaced
	Secrets   bool      `json:"secrets,omitempty"`  // values that look like secrets are included
}

// line is any line after the header: exactly one field is set. Unknown fields
// are ignored.
type line struct {
	Batch   *batch       `json:"batch,omitempty"`
	Mark    *feed.Mark   `json:"mark,omitempty"`
	Detail  *feed.Detail `json:"detail,omitempty"`
	Logs    *logs        `json:"logs,omitempty"`
	Chapter *chapter     `json:"chapter,omitempty"`
	State   *state       `json:"state,omitempty"`
	End     *end         `json:"end,omitempty"`
}

// batch is a feed.Batch or part of one: More says that the next line continues
// it.
type batch struct {
	feed.Batch
	More bool `json:"more,omitempty"`
}

// chapter is the first line of a chapter. The next Parts lines hold the state after batch Seq. A
// reader that plays on skips them. A reader that jumps to a time begins with them. The other fields
// are those of [feed.Memory].
type chapter struct {
	At      time.Time     `json:"at,omitzero"`
	Seq     uint64        `json:"seq,omitempty"`
	Verdict status.Status `json:"verdict,omitempty"`
	Since   time.Time     `json:"since,omitzero"`
	Moving  bool          `json:"moving,omitempty"`
	Began   time.Time     `json:"began,omitzero"`
	Synced  bool          `json:"synced,omitempty"`
	Left    bool          `json:"left,omitempty"`
	Parts   int           `json:"parts,omitempty"`
}

// state is one part of a chapter's state. Its fields are those of [feed.Memory].
type state struct {
	feed.Batch
	Remembered []feed.Remembered `json:"remembered,omitempty"`
	Deleted    []feed.Deleted    `json:"deleted,omitempty"`
	Causes     []feed.Began      `json:"causes,omitempty"`
	History    []feed.Transition `json:"history,omitempty"`
}

type logs struct {
	At    time.Time     `json:"at,omitzero"` // when they were fetched
	Key   feed.LogKey   `json:"key,omitzero"`
	Chunk feed.LogChunk `json:"chunk,omitzero"`
}

// end says that the recording was closed properly, and when.
type end struct {
	At time.Time `json:"at,omitzero"`
}
