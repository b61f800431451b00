package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
)

// begun begins the recording that these flags and this configuration ask for,
// and ends it at once. It returns the files that are in the folder then.
func begun(t *testing.T, config string, flags ...string) (files []string, stderr string, notices int, err error) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	dir := filepath.Join(home, ".config", "kstatus-tui")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(home)
	var out bytes.Buffer
	o := newFollowOptions(genericiooptions.IOStreams{ErrOut: &out}, newConnectionFlags())
	cmd := &cobra.Command{}
	o.addFlags(cmd.Flags())
	if err := errors.Join(cmd.ParseFlags(flags), o.Complete(cmd, nil), o.Validate()); err != nil {
		t.Fatal(err)
	}
	h := recording.Header{Started: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), Title: "deploy/web -n shop", Redacted: o.redact}
	for range 2 { // two runs of one second
		w, err := o.recorder(func(feed.Notice) { notices++ }, h)
		if err != nil {
			return nil, out.String(), notices, err
		}
		if w != nil {
			if err := w.Close(h.Started); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".gz") {
			rel, _ := filepath.Rel(home, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	return files, out.String(), notices, err
}

func TestTheConfigurationRecordsEveryRun(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		flags  []string
		want   string
	}{
		"nothing asks for it":                {"theme: dark\n", nil, ""},
		"a file beside the configuration":    {"recordTo: last.rec.gz\n", nil, ".config/kstatus-tui/last.rec.gz"},
		"a file below the home":              {"recordTo: ~/last.rec.gz\n", nil, "last.rec.gz"},
		"a folder that is there":             {"recordTo: ~/.config\n", nil, ".config/20260102T150405Z-deploy-web-n-shop-2.rec.gz .config/20260102T150405Z-deploy-web-n-shop.rec.gz"},
		"a folder that is not there yet":     {"recordTo: ~/runs/\n", nil, "runs/20260102T150405Z-deploy-web-n-shop-2.rec.gz runs/20260102T150405Z-deploy-web-n-shop.rec.gz"},
		"redacted, so is the file's name":    {"recordTo: ~/runs/\n", []string{"--redact"}, "runs/20260102T150405Z-2.rec.gz runs/20260102T150405Z.rec.gz"},
		"the command line goes before":       {"recordTo: ~/last.rec.gz\n", []string{"--record", "mine.rec.gz"}, "mine.rec.gz"},
		"the command line turns it off":      {"recordTo: ~/last.rec.gz\n", []string{"--record="}, ""},
		"the command line's folder is named": {"", []string{"--record", "runs/"}, "runs/20260102T150405Z-deploy-web-n-shop-2.rec.gz runs/20260102T150405Z-deploy-web-n-shop.rec.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			files, stderr, _, err := begun(t, c.config, c.flags...)
			if err != nil || stderr != "" {
				t.Errorf("%v, %q", err, stderr)
			}
			if got := strings.Join(files, " "); got != c.want {
				t.Errorf("files: %s\nwant:  %s", got, c.want)
			}
		})
	}
}

func TestARecordingThatCannotBeMadeIsAnErrorOnlyWithTheRecordFlag(t *testing.T) {
	files, stderr, notices, err := begun(t, "theme: dark\nrecordTo: ~/.config/kstatus-tui/config.yaml/x.rec.gz\n")
	if err != nil || len(files) != 0 || notices != 2 {
		t.Errorf("%v, %q, %d notices", err, files, notices)
	}
	if !strings.HasPrefix(stderr, "kstatus-tui: this run is not recorded: ") || !strings.Contains(stderr, "config.yaml:2)") {
		t.Errorf("it says %q", stderr)
	}
	_, _, _, err = begun(t, "theme: dark\n", "--record", ".config/kstatus-tui/config.yaml")
	if err == nil || !strings.Contains(err.Error(), "exists and is not a recording") {
		t.Errorf("asked for, it is an error: %v", err)
	}
}
