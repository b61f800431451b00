package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Every command prints every format that its help names: none falls through.
func TestEveryFormatOfEveryCommandPrints(t *testing.T) {
	arguments := map[string]string{
		"jsonpath": "={.schema}", "jsonpath-as-json": "={.schema}", "go-template": "={{.schema}}", "template": "={{.schema}}", "custom-columns": "=NAME:.name",
	}
	for name, args := range map[string][]string{
		"status": {"status", "--replay", "demo.rec.gz"}, "why": {"why", "--replay", "demo.rec.gz", "--at", "30s"},
		"diff": {"diff", "demo.rec.gz@5s", "@30s"}, "compute": {"compute", "-f", "testdata/pages.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range formatsOf(t, name) {
				if strings.HasSuffix(format, "file") {
					continue // kubectl's; one of them is in printing.txtar
				}
				var out, stderr bytes.Buffer
				run(append([]string{"kstatus-tui", "-o", format + arguments[format]}, args...),
					genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
				if out.Len() == 0 || strings.Contains(stderr.String(), "internal error") ||
					strings.Contains(stderr.String(), "-o "+format) {
					t.Errorf("-o %s prints %q\n%s", format, out.String(), &stderr)
				}
			}
		})
	}
}

// formatsOf are the formats that a command completes.
func formatsOf(t *testing.T, command string) []string {
	t.Helper()
	root := newRootCommand("kstatus-tui", genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard})
	cmd, _, err := root.Find([]string{command})
	if err != nil {
		t.Fatal(err)
	}
	value, ok := cmd.Flags().Lookup("output").Value.(choice)
	if !ok {
		t.Fatalf("%s: -o takes anything", command)
	}
	var formats []string
	for _, f := range value.of {
		word, _, _ := strings.Cut(f, "\t")
		formats = append(formats, word)
	}
	if len(formats) < 10 {
		t.Fatalf("%s has few formats: %q", command, formats)
	}
	return formats
}

// Every command that prints a document takes the common formats.
func TestEveryDocumentHasTheCommonFormats(t *testing.T) {
	for _, command := range []string{"status", "why", "inventories", "members", "rbac", "compute", "diff"} {
		formats := strings.Join(formatsOf(t, command), " ") + " "
		for _, want := range []string{"json", "yaml", "name", "jsonpath", "go-template", "custom-columns"} {
			if !strings.Contains(" "+formats, " "+want+" ") {
				t.Errorf("%s has no -o %s: %s", command, want, formats)
			}
		}
	}
}
