// Command conformance judges the labelled corpora with our rules and, in the
// same run, with kstatus (fluxcd/cli-utils), and prints how often each agrees
// with the labels, how often it calls Current what is not, and where the two
// part. It is a module of its own so that kstatus's dependencies never become
// ours.
//
//	go run . [-v] [DIRECTORY OF THE CORPORA]
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// judgedAt is after every date in the corpora, so that no grace period is
// running.
var judgedAt = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

type labelled struct {
	ID     string          `json:"id"`
	Object json.RawMessage `json:"object"`
	Want   []status.Status `json:"want"`
	Native string          `json:"native"`
	// WantMessage is kstatus's exact message, if the corpus has one.
	WantMessage *string `json:"wantMessage"`
}

type stream struct {
	ID        string            `json:"id"`
	Frames    []json.RawMessage `json:"frames"`
	WantReady bool              `json:"wantReady"`
}

// judge is one way to judge an object.
type judge struct {
	name string
	of   func(object []byte) (status.Status, string)
}

func main() {
	verbose := flag.Bool("v", false, "list every case in which ours differs from the label")
	root := flag.String("root", "../..", "the repository")
	flag.Parse()
	dir := cmp.Or(flag.Arg(0), filepath.Join(*root, "..", "shared", "corpora"))
	if err := run(os.Stdout, *root, dir, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, root, dir string, verbose bool) error {
	exceptions, err := readExceptions(filepath.Join(root, "internal", "status", "testdata", "exceptions.txt"))
	if err != nil {
		return err
	}
	ours := judge{"full", full}
	compute := judge{"ours, --rules kstatus", computed}
	theirs := judge{kstatusName(), upstream}
	for _, c := range []struct {
		file   string
		judges []judge
	}{
		{"kstatus-compute.jsonl", []judge{compute, theirs}},
		{"kubectl-status.jsonl", []judge{compute, theirs}},
		{"gitops-engine.jsonl", []judge{ours, theirs}},
		{"argo-lua.jsonl", []judge{ours, theirs}},
	} {
		var list []labelled
		if err := readLines(filepath.Join(dir, c.file), &list); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s: %d objects\n\n", c.file, len(list))
		for i, j := range c.judges {
			score(out, list, j, exceptions, verbose && i == 0)
		}
	}
	var streams []stream
	if err := readLines(filepath.Join(dir, "pulumi-workflows.jsonl"), &streams); err != nil {
		return err
	}
	replay(out, streams)
	return nil
}

// kstatusName is kstatus with the version that this program is built with.
func kstatusName() string {
	const module = "github.com/fluxcd/cli-utils"
	version := "of an unknown version"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				version = m.Version
			}
		}
	}
	return "kstatus (fluxcd/cli-utils " + version + ")"
}

func readLines[T any](file string, list *[]T) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	data = bytes.ReplaceAll(data, []byte("__NOW__"), []byte(time.Now().UTC().Format(time.RFC3339)))
	for line := range bytes.Lines(data) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		*list = append(*list, v)
	}
	return nil
}

func readExceptions(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if id, reason, ok := strings.Cut(strings.TrimSpace(line), " | "); ok && !strings.HasPrefix(line, "#") {
			list[id] = reason
		}
	}
	return list, nil
}

// full judges by Assess.
func full(object []byte) (status.Status, string) {
	o, err := convert.JSON(object, convert.Options{})
	if err != nil {
		return status.Unknown, err.Error()
	}
	a := status.Assess(o, status.World{Offline: true}, judgedAt)
	return a.Status, a.Rule + ": " + a.Message
}

// computed judges by Compute.
func computed(object []byte) (status.Status, string) {
	o, err := convert.JSON(object, convert.Options{Verbatim: true})
	if err != nil {
		return status.Unknown, err.Error()
	}
	r, err := status.Compute(o, time.Now())
	if err != nil {
		return status.Unknown, err.Error()
	}
	return r.Status, r.Message
}

// upstream is kstatus itself; an error is Unknown, as its callers have it.
func upstream(object []byte) (verdict status.Status, message string) {
	defer func() {
		if p := recover(); p != nil {
			verdict, message = status.Unknown, fmt.Sprint("panic: ", p)
		}
	}()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(object); err != nil {
		return status.Unknown, err.Error()
	}
	r, err := kstatus.Compute(u)
	if err != nil {
		return status.Unknown, err.Error()
	}
	return status.Status(r.Status), r.Message
}

// score judges every object and prints the figures and the confusion matrix.
func score(out io.Writer, list []labelled, j judge, exceptions map[string]string, verbose bool) {
	agree, excepted, notCurrent, green, messages, withMessage := 0, 0, 0, 0, 0, 0
	matrix := map[string]map[status.Status]int{}
	for _, c := range list {
		got, message := j.of(c.Object)
		label := cmp.Or(c.Native, join(c.Want))
		if matrix[label] == nil {
			matrix[label] = map[status.Status]int{}
		}
		matrix[label][got]++
		if c.WantMessage != nil {
			withMessage++
			if message == *c.WantMessage {
				messages++
			}
		}
		wantsCurrent := slices.Contains(c.Want, status.Current)
		if !wantsCurrent {
			notCurrent++
		}
		if slices.Contains(c.Want, got) {
			agree++
			continue
		}
		if j.name == "full" && isException(exceptions, c.ID) {
			agree, excepted = agree+1, excepted+1
			continue
		}
		if got == status.Current && !wantsCurrent {
			green++
		}
		if verbose {
			fmt.Fprintf(out, "  %s: %s, the label is %s (%s)\n", c.ID, got, label, message)
		}
	}
	fmt.Fprintf(out, "%s\n  agreement %s (%d of %d", j.name, percent(agree, len(list)), agree, len(list))
	if excepted > 0 {
		fmt.Fprintf(out, ", %d listed exceptions", excepted)
	}
	fmt.Fprintf(out, "), false green %s (%d of %d not current)", percent(green, notCurrent), green, notCurrent)
	if withMessage > 0 {
		fmt.Fprintf(out, ", messages %s", percent(messages, withMessage))
	}
	fmt.Fprint(out, "\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := []status.Status{status.Current, status.InProgress, status.Failed, status.Terminating, status.NotFound, status.Unknown}
	fmt.Fprint(w, "label\t")
	for _, s := range columns {
		fmt.Fprint(w, s, "\t")
	}
	fmt.Fprintln(w)
	for _, label := range slices.Sorted(maps.Keys(matrix)) {
		fmt.Fprint(w, label, "\t")
		for _, s := range columns {
			fmt.Fprint(w, matrix[label][s], "\t")
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	fmt.Fprintln(out)
}

func isException(list map[string]string, id string) bool {
	for suffix := range list {
		if strings.HasSuffix(id, suffix) {
			return true
		}
	}
	return false
}

func join(list []status.Status) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, "/")
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// replay judges the recorded streams frame by frame. The labels are about their
// ends; an earlier frame is a wrong green if the Pod or Job itself says that it
// is neither ready nor done.
func replay(out io.Writer, streams []stream) {
	ours, theirs, frames, oursGreen, theirsGreen := 0, 0, 0, 0, 0
	for _, s := range streams {
		var prior *status.Assessment
		var last, lastTheirs status.Status
		for _, frame := range s.Frames {
			o, err := convert.JSON(frame, convert.Options{})
			if err != nil {
				continue
			}
			frames++
			a := status.Assess(o, status.World{Offline: true, Prior: prior}, judgedAt)
			prior, last = &a, a.Status
			lastTheirs, _ = upstream(frame)
			if !done(frame) {
				if last == status.Current {
					oursGreen++
				}
				if lastTheirs == status.Current {
					theirsGreen++
				}
			}
		}
		if (last == status.Current) == s.WantReady {
			ours++
		}
		if (lastTheirs == status.Current) == s.WantReady {
			theirs++
		}
	}
	fmt.Fprintf(out, "\npulumi-workflows.jsonl: %d streams, %d frames\n\n", len(streams), frames)
	fmt.Fprintf(out, "full\n  ends right %d of %d, frames wrongly green %d\n", ours, len(streams), oursGreen)
	fmt.Fprintf(out, "%s\n  ends right %d of %d, frames wrongly green %d\n",
		kstatusName(), theirs, len(streams), theirsGreen)
}

// done reports whether a pod is ready or has succeeded, or a job is complete,
// by its own conditions.
func done(frame []byte) bool {
	var o struct {
		Status struct {
			Phase      string
			Conditions []struct{ Type, Status string }
		}
	}
	if json.Unmarshal(frame, &o) != nil {
		return false
	}
	for _, c := range o.Status.Conditions {
		if (c.Type == "Ready" || c.Type == "Complete") && c.Status == "True" {
			return true
		}
	}
	return o.Status.Phase == "Succeeded"
}
