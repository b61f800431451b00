package tui

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// away is true while another program has this process's terminal.
var away atomic.Bool

// Away reports whether another program has the terminal. An interrupt is meant for it.
func Away() bool { return away.Load() }

// leave gives the terminal to another program until that ends.
func (p *program) leave(what model.Leave) tea.Cmd {
	v := &visit{what: what}
	if len(what.Run) == 0 {
		v.what.Run = p.pager()
	}
	path, err := exec.LookPath(v.what.Run[0])
	if err != nil {
		return p.send(model.Returned{Err: fmt.Errorf("%s is not on the PATH", v.what.Run[0])})
	}
	v.Cmd = exec.Command(path, v.what.Run[1:]...)
	v.Env = p.opts.Env
	return tea.Exec(v, func(err error) tea.Msg {
		if err != nil {
			err = fmt.Errorf("%s: %w", v.what.Run[0], err)
		}
		return model.Returned{Err: err}
	})
}

// pager is the program that the user reads files with.
func (p *program) pager() []string {
	env := uv.Environ(p.opts.Env)
	for _, name := range []string{"PAGER", "EDITOR"} {
		if words := strings.Fields(env.Getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"less"}
}

// visit is the other program, and the file that it reads.
type visit struct {
	*exec.Cmd

	what model.Leave
}

// Run writes the file, which nobody but the user may read, and removes it when the program
// has ended. Interrupts are that program's meanwhile.
func (v *visit) Run() error {
	if v.what.Name != "" {
		folder, err := os.MkdirTemp("", "kstatus-tui-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		file := filepath.Join(folder, filepath.Base(v.what.Name))
		if err := os.WriteFile(file, []byte(v.what.Text), 0o400); err != nil {
			return err
		}
		v.Args = append(v.Args, file)
	}
	away.Store(true)
	defer away.Store(false)
	return v.Cmd.Run()
}

func (v *visit) SetStdin(in io.Reader)   { v.Stdin = in }
func (v *visit) SetStdout(out io.Writer) { v.Stdout = out }
func (v *visit) SetStderr(io.Writer)     { v.Stderr = v.Stdout } // ours leads into the messages
