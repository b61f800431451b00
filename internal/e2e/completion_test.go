package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// Every shell completes the name of an object of a real cluster, typed as a person
// would, by the script that the program prints for it; and so it does for the
// plugin of kubectl.
func TestShellsCompleteTheNameOfAnObject(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "completion")
	apply(t, ns, `
apiVersion: v1
kind: ConfigMap
metadata: {name: hydrangea-settings}
`)
	plugin, err := exec.Command(binary, "completion", "kubectl").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range []struct {
		name string
		args []string
		load string // read the script
		// kubectl reads kubectl's own script, which asks the plugin's.
		kubectl string
	}{
		{"bash", []string{"--norc", "--noprofile", "-i"}, ". /usr/share/bash-completion/bash_completion; . ./script", ". <(SCRIPT)"},
		{"zsh", []string{"-f", "-i"}, "autoload -U compinit; compinit -u -D; . ./script", ". <(SCRIPT)"},
		{"fish", []string{"--no-config", "-i"}, "source ./script", "SCRIPT | source"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			path, err := exec.LookPath(shell.name)
			if err != nil {
				t.Skipf("%s is not installed", shell.name)
			}
			if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); err != nil && shell.name == "bash" {
				t.Skip("bash-completion is not installed")
			}
			dir := t.TempDir()
			if err := os.Symlink(binary, filepath.Join(dir, "kstatus-tui")); err != nil {
				t.Fatal(err)
			}
			script, err := exec.Command(binary, "completion", shell.name).Output()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "script"), script, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(
				os.Symlink(binary, filepath.Join(dir, "kubectl-kstatus_tui")),
				os.WriteFile(filepath.Join(dir, "kubectl_complete-kstatus_tui"), plugin, 0o700),
			); err != nil {
				t.Fatal(err)
			}
			env := append(environment(t, shared.Kubeconfig(cluster.ReadOnly)),
				"PATH="+dir+":/usr/bin:/bin", "HOME="+dir, "PS1=ready> ", "KSTATUS_TUI_COMPLETION_TIMEOUT=1m")
			// Wide, because a line that is typed before its prompt stands before
			// the prompt, too.
			term, err := terminal.Start(terminal.Options{Command: path, Args: shell.args, Env: env, Dir: dir, Columns: 240, Rows: 36})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(term.Close)
			typed := func(keys, shown string) {
				t.Helper()
				if err := term.Type(keys); err != nil {
					t.Fatal(err)
				}
				screen, err := term.Wait(patience, func(s terminal.Screen) bool { return s.Has(shown) })
				if err != nil {
					t.Fatalf("%q is not shown after %q: %v\n%s", shown, keys, err, screen)
				}
				if strings.Contains(strings.ToLower(screen.String()), "error") {
					t.Errorf("an error stands on the terminal:\n%s", screen)
				}
			}
			typed(shell.load+"; echo load''ed\r", "loaded")
			typed("kstatus-tui status -n "+ns+" cm/hydr\t", "kstatus-tui status -n "+ns+" cm/hydrangea-settings")
			if _, err := exec.LookPath("kubectl"); err != nil {
				t.Skip("kubectl is not on the PATH")
			}
			typed("\x15clear; "+strings.ReplaceAll(shell.kubectl, "SCRIPT", "kubectl completion "+shell.name)+"; echo load''ed again\r", "loaded again")
			typed("kubectl kstatus-tui status -n "+ns+" cm/hydr\t", "kubectl kstatus-tui status -n "+ns+" cm/hydrangea-settings")
		})
	}
}
