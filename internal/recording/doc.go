// Package recording turns what was observed into a file, and a file into what
// was observed.
//
// A [Writer] stands between a feed and its reader and writes down every batch
// as it passes, with the details and log lines that were fetched. A [Player]
// is a feed again: it hands over the same batches at the same distances, so
// that nobody behind it can tell a recording from a cluster. The format is
// gzip-compressed JSON lines; docs/recording.md describes it.
//
// A file may be cut off (a killed process loses the last second at most),
// damaged, foreign or hostile: a Player plays what is whole, says where it
// ends, and keeps within bounded memory. No Secret's data and no environment
// value is ever written.
package recording

// Schema is the first thing that a recording says.
const Schema = schemas + "v2"

const schemas = "kstatus-tui/recording/"
