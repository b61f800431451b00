package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
)

// A wait that fails, or ends without its goal, prints the causes that why prints. The
// clusters are the cases of internal/explain, each saved as a must-gather.
func TestWaitNamesTheCausesOfWhy(t *testing.T) {
	cases, err := explaintest.Cases(filepath.Join("..", "..", "internal", "explain", "testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	logTo(slog.DiscardHandler)
	todo := make(chan explaintest.Case)
	var mu sync.Mutex
	compared, causes, failed := 0, 0, 0
	var workers sync.WaitGroup
	for range 16 { // each waits more than it computes
		workers.Go(func() {
			for c := range todo {
				args := append(saveCase(t, c), "-o", "json")
				why, code := answerOf(t, append([]string{"why"}, args...))
				if code == exitError {
					continue // of what does not exist, nothing can be saved
				}
				commands := []string{"wait"}
				if code != exitOK { // notes on what is Current are not awaited
					commands = append(commands, "wait --for=exists")
				}
				if code == exitFailed {
					commands = append(commands, "wait --fail-fast=any", "wait --fail-fast=never")
				}
				for _, command := range commands {
					got, exit := answerOf(t, append(strings.Fields(command), args...))
					if diff := cmp.Diff(why.Causes, got.Causes); diff != "" || exit != code && command != "wait --for=exists" {
						t.Errorf("%s, %s: %s exits with %d, why with %d (-why +wait):\n%s", c.File, c.Name, command, exit, code, diff)
					}
				}
				mu.Lock()
				compared++
				causes += len(why.Causes)
				if code == exitFailed {
					failed++
				}
				mu.Unlock()
			}
		})
	}
	for i, c := range cases {
		if !testing.Short() || i%5 == 0 {
			todo <- c
		}
	}
	close(todo)
	workers.Wait()
	t.Logf("%d cases of %d, %d causes, %d failed", compared, len(cases), causes, failed)
	if !testing.Short() && (compared < 600 || causes < 600 || failed < 100) {
		t.Error("too few cases are compared")
	}
}

// A wait for a goal that leaves something not Current ends when its causes are known.
func TestWaitForExistenceNamesTheCausesOfWhyInALiveCluster(t *testing.T) {
	c := shopCluster(t)
	why := liveExplanation(t, c, "shop", onceExplained)
	waiter := newWaiter(wait.Exists)
	waiter.Deadline = time.Time{}
	existing := liveExplanation(t, c, "shop", func(m *model.Model) (bool, time.Time) {
		end, wake := look(waiter, seenOf(m))
		return end != nil && end.Code == exitOK, wake
	})
	if diff := cmp.Diff(why, existing); diff != "" || len(why) < 3 {
		t.Errorf("(-why +wait)\n%s", diff)
	}
}

// answer is what the comparison reads of -o json.
type answer struct{ Causes []map[string]any }

func answerOf(t *testing.T, args []string) (a answer, code int) {
	var out, errs bytes.Buffer
	code = runCommand(t.Context(), append([]string{"kstatus-tui"}, args...), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errs})
	if code == exitError {
		return a, code
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Errorf("%q: %v\n%s%s", args, err, &out, &errs)
	}
	return a, code
}

// saveCase saves the objects of a case and the logs that it has, and returns the
// arguments that follow its roots.
func saveCase(t *testing.T, c explaintest.Case) []string {
	saved, plurals := dumptest.Cluster{At: explaintest.Now}, map[string]string{}
	for _, o := range c.Objects {
		delete(o, "judged") // the case's own
		saved.Objects = append(saved.Objects, o)
		apiVersion, kind := fmt.Sprint(o["apiVersion"]), fmt.Sprint(o["kind"])
		plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(apiVersion, kind))
		metadata, _ := o["metadata"].(map[string]any)
		listed := dumptest.Kind{APIVersion: apiVersion, Kind: kind, Plural: plural.Resource, Cluster: metadata["namespace"] == nil}
		if !slices.Contains(saved.Listed, listed) {
			saved.Listed = append(saved.Listed, listed)
		}
		plurals[kind] = strings.TrimSuffix(plural.Resource+"."+plural.Group, ".")
	}
	dir := t.TempDir()
	args := []string{"--from", dir}
	for _, l := range c.Lines {
		switch l.Key {
		case "log":
			at, text, _ := strings.Cut(l.Rest, " ")
			pod, container, _ := strings.Cut(at, "/")
			for _, previous := range []bool{false, true} {
				saved.Logs = append(saved.Logs, dumptest.Log{Namespace: "a", Pod: pod, Container: container, Previous: previous, Text: text + "\n"})
			}
		case "roots":
			for root := range strings.FieldsSeq(l.Rest) {
				kind, name, _ := strings.Cut(root, "/")
				if plural, ok := plurals[kind]; ok {
					kind = plural
				}
				args = append(args, kind+"/"+name)
			}
		}
	}
	if err := saved.Write(dir, "must-gather"); err != nil {
		t.Error(err)
	}
	return args
}
