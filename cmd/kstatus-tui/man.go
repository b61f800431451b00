package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// newManCommand writes the man pages of all commands, for "make man" and for
// packages.
func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the man pages to a directory", Hidden: true, Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // no date: builds are reproducible
			err := doc.GenManTree(root,
				&doc.GenManHeader{
					Title: "KSTATUS-TUI", Section: "1",
					Source: "kstatus-tui " + programVersion(),
				}, args[0])
			if err != nil {
				return problem.New("name a directory that exists", "cannot write the man pages: %w", err)
			}
			return nil
		},
	}
}
