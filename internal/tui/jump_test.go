package tui

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// The copy of an object can be read by its user alone, and is gone when the pager is.
func TestThePagersFileIsReadOnlyAndRemoved(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	var out bytes.Buffer
	v := &visit{what: model.Leave{Name: "deployment-web.yaml", Text: "kind: Deployment\n"}, Cmd: exec.Command(sh, "-c", `echo "$0"; ls -l "$0" | cut -c1-10; cat "$0"`)}
	v.SetStdout(&out)
	v.SetStderr(os.Stderr)
	if err := v.Run(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) < 3 || !strings.HasSuffix(lines[0], "deployment-web.yaml") ||
		lines[1] != "-r--------" || lines[2] != "kind: Deployment" {
		t.Errorf("the pager saw %q", lines)
	}
	if _, err := os.Stat(lines[0]); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	if Away() {
		t.Error("interrupts are still another program's")
	}
}

func TestThePagerIsTheUsers(t *testing.T) {
	for want, env := range map[string][]string{
		"less":      nil,
		"most -R":   {"PAGER=most -R", "EDITOR=vi"},
		"vi":        {"EDITOR=vi"},
		"nano --ro": {"PAGER=", "EDITOR=nano --ro"},
	} {
		p := &program{opts: Options{Env: env}}
		if got := strings.Join(p.pager(), " "); got != want {
			t.Errorf("%v: %q, want %q", env, got, want)
		}
	}
}
