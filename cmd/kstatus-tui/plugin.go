package main

import (
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// asPlugin is how a plugin of kubectl is called, which need not be on the PATH by its own name.
const asPlugin = "kubectl kstatus-tui"

// isPlugin reports whether kubectl has called the program: it finds plugins by their names.
func isPlugin(invoked string) bool { return strings.HasPrefix(invoked, "kubectl-") }

// ownCommand matches the program's name where a command begins.
var ownCommand = regexp.MustCompile(`(^|[\s;|(])(?:kubectl )?kstatus-tui(\s|$)`)

// asTyped is text with commands to copy, as they are typed for a plugin.
func asTyped(text string) string {
	return ownCommand.ReplaceAllString(text, "${1}"+asPlugin+"${2}")
}

// commandsAsTyped does so in the indented lines of a help text, which are commands to copy.
func commandsAsTyped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") {
			line = asTyped(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

// helpAsTyped does so in the help of a command and of those below it.
func helpAsTyped(cmd *cobra.Command) {
	cmd.Long, cmd.Example = commandsAsTyped(cmd.Long), commandsAsTyped(cmd.Example)
	for _, c := range cmd.Commands() {
		helpAsTyped(c)
	}
}

// pluginHints is the standard error of a plugin: the commands of a hint are those to type.
// A hint is written at once.
type pluginHints struct{ io.Writer }

func (p pluginHints) Write(text []byte) (int, error) {
	written := string(text)
	if strings.HasPrefix(written, "hint: ") {
		written = asTyped(written)
	}
	if _, err := io.WriteString(p.Writer, written); err != nil {
		return 0, err
	}
	return len(text), nil
}
