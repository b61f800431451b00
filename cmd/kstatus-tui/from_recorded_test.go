package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
)

// What was recorded of real clusters is explained from each layout of a saved cluster as
// by a live server with the same objects. KSTATUS_TUI_RECORDED names a folder with a folder
// per cluster: a v1 List per namespace, NAME.json, and _cluster.json with what is in none.
func TestASavedClusterHasTheCausesOfTheLiveOneWhenItIsARecordedOne(t *testing.T) {
	root := os.Getenv("KSTATUS_TUI_RECORDED")
	if root == "" {
		t.Skip("KSTATUS_TUI_RECORDED names no folder with recorded namespaces")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no recorded namespace in %s: %v", root, err)
	}
	for _, file := range files {
		namespace := strings.TrimSuffix(filepath.Base(file), ".json")
		if namespace == "_cluster" {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file))+"/"+namespace, func(t *testing.T) {
			t.Parallel()
			c := dumptest.Cluster{Objects: append(readList(t, file), readList(t, filepath.Join(filepath.Dir(file), "_cluster.json"))...)}
			for _, o := range c.Objects {
				c.At = latest(c.At, o)
			}
			c.At = c.At.Truncate(time.Second).Add(time.Second)
			listKinds(&c)
			compareWithLive(t, c, namespace, "kubectl-folder", "must-gather", "support-bundle", "old-support-bundle")
		})
	}
}

func readList(t *testing.T, file string) []dumptest.Object {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []dumptest.Object }
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return list.Items
}

// latest is the latest time in a value of JSON, or at.
func latest(at time.Time, v any) time.Time {
	switch v := v.(type) {
	case dumptest.Object:
		return latest(at, map[string]any(v))
	case map[string]any:
		for _, x := range v {
			at = latest(at, x)
		}
	case []any:
		for _, x := range v {
			at = latest(at, x)
		}
	case string:
		if found, err := time.Parse(time.RFC3339, v); err == nil && found.After(at) {
			return found
		}
	}
	return at
}
