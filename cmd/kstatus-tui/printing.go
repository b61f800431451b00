package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/util/jsonpath"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

// printOptions are the contract's formats and kubectl's; kubectl's templates are
// applied to the contract's document.
type printOptions struct {
	output    string
	table     report.Table
	templates *genericclioptions.KubeTemplatePrintFlags
	print     func(w io.Writer, m model.Model, code int) error
}

// custom-columns is implemented in kubectl itself, not in cli-runtime.
const customColumns = "custom-columns"

func (p *printOptions) addFlags(cmd *cobra.Command) {
	p.templates = genericclioptions.NewKubeTemplatePrintFlags()
	p.output = "table"
	formats := slices.Concat(report.StatusFormats, []string{"name"}, p.templates.AllowedFormats(), []string{customColumns, customColumns + "-file"})
	flags := cmd.Flags()
	flags.VarP(choice{&p.output, formats, true}, "output", "o", "one of "+joined(formats))
	addNoHeaders(flags, &p.table.NoHeaders)
	flags.BoolVar(&p.table.Labels, "show-labels", false, "a table with the labels as its last column")
	p.templates.AddFlags(cmd)
	flags.Lookup("template").Usage = "the template of -o go-template or jsonpath, or the file of their -file forms"
	flags.Lookup("allow-missing-template-keys").Usage = "print a template's missing fields as nothing"
}

func addNoHeaders(flags *pflag.FlagSet, bare *bool) {
	flags.BoolVar(bare, "no-headers", false, "a table's rows alone: no header, no sum")
}

// Validate parses the value of -o: an error in a template is reported before
// any request.
func (p *printOptions) Validate() error {
	format, argument, _ := strings.Cut(p.output, "=")
	wrong := func(err error) error {
		return problem.New("as in -o jsonpath='{.verdict}', -o "+customColumns+"=NAME:.name,STATUS:.status; docs/output.md has the document", "-o %s: %w", format, err)
	}
	switch {
	case slices.Contains(report.StatusFormats, p.output):
		p.print = func(w io.Writer, m model.Model, code int) error { return report.Status(w, m, format, code, p.table) }
	case p.output == "name":
		p.print = printNames
	case strings.HasPrefix(format, customColumns):
		columns, err := parseColumns(format, argument)
		if err != nil {
			return wrong(err)
		}
		p.print = func(w io.Writer, m model.Model, _ int) error { return printColumns(w, m, columns, p.table.NoHeaders) }
	default:
		printer, err := p.templates.ToPrinter(p.output)
		if err != nil {
			return wrong(err)
		}
		p.print = func(w io.Writer, m model.Model, _ int) error {
			d, err := documentOf(m)
			if err != nil {
				return err
			}
			if err := printer.PrintObj(d, w); err != nil {
				return wrong(err)
			}
			return nil
		}
	}
	return nil
}

// documentOf converts the contract's document for the printers.
func documentOf(m model.Model) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(report.New(m))
	if err != nil {
		return nil, err
	}
	var d unstructured.Unstructured
	return &d, utiljson.Unmarshal(data, &d.Object)
}

// printNames prints the followed resources as kubectl's -o name does.
func printNames(w io.Writer, m model.Model, _ int) error {
	printer := printers.NamePrinter{ShortOutput: true}
	for _, id := range m.Roots() {
		var o unstructured.Unstructured
		o.SetGroupVersionKind(schema.GroupVersionKind{Group: id.Group, Version: "v1", Kind: id.Kind})
		o.SetName(id.Name)
		if err := printer.PrintObj(&o, w); err != nil {
			return err
		}
	}
	return nil
}

// column is one of -o custom-columns.
type column struct {
	header string
	path   *jsonpath.JSONPath
}

// parseColumns reads HEADER:PATH,… or, for the -file form, headers on the first
// line and paths on the second.
func parseColumns(format, spec string) ([]column, error) {
	if spec == "" {
		return nil, errors.New("no columns are named")
	}
	var headers, paths []string
	if format == customColumns {
		for part := range strings.SplitSeq(spec, ",") {
			header, path, ok := strings.Cut(part, ":")
			if !ok {
				return nil, fmt.Errorf("%q is not HEADER:PATH", part)
			}
			headers, paths = append(headers, header), append(paths, path)
		}
	} else {
		text, err := os.ReadFile(spec)
		if err != nil {
			return nil, err
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		second, _, _ := strings.Cut(rest, "\n")
		headers, paths = strings.Fields(first), strings.Fields(second)
	}
	if len(headers) == 0 || len(headers) != len(paths) {
		return nil, fmt.Errorf("%d headers, %d paths", len(headers), len(paths))
	}
	columns := make([]column, len(headers))
	for i, path := range paths {
		parsed, err := parsePath(path)
		if err != nil {
			return nil, err
		}
		columns[i] = column{headers[i], parsed}
	}
	return columns, nil
}

var relaxedPath = regexp.MustCompile(`^(?:\{\.?([^{}]+)\}|\.?([^{}]+))$`)

// parsePath reads a path in any form that kubectl accepts: {.a.b}, {a.b}, .a.b
// and a.b.
func parsePath(text string) (*jsonpath.JSONPath, error) {
	m := relaxedPath.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q is no path like {.status.phase}", text)
	}
	path := jsonpath.New("path").AllowMissingKeys(true)
	return path, path.Parse("{." + m[1] + m[2] + "}")
}

func printColumns(w io.Writer, m model.Model, columns []column, noHeaders bool) error {
	d, err := documentOf(m)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	t := printers.GetNewTabWriter(&b)
	line := make([]string, len(columns))
	if !noHeaders {
		for i, c := range columns {
			line[i] = c.header
		}
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	resources, _, _ := unstructured.NestedSlice(d.Object, "resources")
	for _, r := range resources {
		for i, c := range columns {
			found, err := c.path.FindResults(r)
			if err != nil {
				return err
			}
			var texts []string
			for _, list := range found {
				for _, v := range list {
					texts = append(texts, printers.EscapeTerminal(fmt.Sprint(v.Interface())))
				}
			}
			if line[i] = strings.Join(texts, ","); len(texts) == 0 {
				line[i] = "<none>"
			}
		}
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	_ = t.Flush()
	_, err = w.Write(b.Bytes())
	return err
}

// tabbed aligns columns that are separated by tabs.
func tabbed(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// printJSON prints a document as jq would.
func printJSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}
