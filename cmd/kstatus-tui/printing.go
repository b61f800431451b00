package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/util/jsonpath"

	"github.com/kstatus-tui/kstatus-tui/internal/fieldpath"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

// printOptions are the contract's formats and kubectl's; kubectl's templates are
// applied to the contract's document.
type printOptions struct {
	output    string
	table     report.Table
	templates *genericclioptions.KubeTemplatePrintFlags
	print     func(w io.Writer, m *known.Facts, code int) error
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
	flags.Lookup("template").Usage = "the template of -o go-template (implied) or jsonpath, or the file of their -file forms"
	flags.Lookup("allow-missing-template-keys").Usage = "print a template's missing fields as nothing"
}

func addNoHeaders(flags *pflag.FlagSet, bare *bool) {
	flags.BoolVar(bare, "no-headers", false, "a table's rows alone: no header, no sum")
}

// Validate parses the value of -o: an error in a template is reported before
// any request.
func (p *printOptions) Validate() error {
	if p.output == "table" && *p.templates.TemplateArgument != "" {
		p.output = "go-template" // as kubectl has it
	}
	format, argument, _ := strings.Cut(p.output, "=")
	wrong := func(err error) error {
		return problem.New("as in -o jsonpath='{.verdict}', -o "+customColumns+"=NAME:.name,STATUS:.status; docs/output.md has the document", "-o %s: %w", format, err)
	}
	var printer printers.ResourcePrinter
	var err error
	switch {
	case slices.Contains(report.StatusFormats, p.output):
		p.print = func(w io.Writer, m *known.Facts, code int) error { return report.Status(w, m, format, code, p.table) }
		return nil
	case p.output == "name":
		p.print = printNames
		return nil
	case slices.Contains(report.StatusFormats, format), format == "name":
		err = errors.New("it takes no argument")
	case strings.HasPrefix(format, customColumns):
		printer, err = columnsPrinter(format, argument, p.table.NoHeaders)
	default:
		printer, err = p.templates.ToPrinter(p.output)
	}
	if err != nil {
		return wrong(err)
	}
	p.print = func(w io.Writer, m *known.Facts, _ int) error {
		var document unstructured.Unstructured
		data, err := json.Marshal(report.New(m))
		if err = cmp.Or(err, utiljson.Unmarshal(data, &document.Object)); err != nil {
			return err
		}
		// After an error kubectl's printers print the whole document: to their
		// output, or within the error.
		text, err := templateLimits.apply(func(w io.Writer) error { return printer.PrintObj(&document, w) })
		if err != nil {
			what, _, _ := strings.Cut(err.Error(), ". Printing more information")
			return wrong(errors.New(what))
		}
		_, err = io.WriteString(w, report.Inert(string(text)))
		return err
	}
	return nil
}

// printNames prints the followed resources as kubectl's -o name does.
func printNames(w io.Writer, m *known.Facts, _ int) error {
	for _, id := range m.Roots() {
		kind := schema.GroupKind{Group: id.Group, Kind: id.Kind}
		if _, err := fmt.Fprintf(w, "%s/%s\n", strings.ToLower(kind.String()), id.Name); err != nil {
			return err
		}
	}
	return nil
}

// columnsPrinter reads HEADER:PATH,… or, for the -file form, headers on the first
// line and paths on the second. It prints a row for each of the resources.
func columnsPrinter(format, spec string, noHeaders bool) (printers.ResourcePrinterFunc, error) {
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
	columns := make([]*jsonpath.JSONPath, len(paths))
	for i, path := range paths {
		var err error
		if columns[i], err = fieldpath.Parse(path); err != nil {
			return nil, err
		}
	}
	return func(document runtime.Object, w io.Writer) error {
		rows := [][]string{headers}
		if noHeaders {
			rows = nil
		}
		resources, _, _ := unstructured.NestedSlice(document.(*unstructured.Unstructured).Object, "resources")
		for _, r := range resources {
			var cells []string
			for _, path := range columns {
				found, err := path.FindResults(r)
				if err != nil {
					return err
				}
				var texts []string
				for _, v := range slices.Concat(found...) {
					texts = append(texts, printers.EscapeTerminal(fmt.Sprint(v.Interface())))
				}
				cells = append(cells, strings.Join(texts, ","))
			}
			rows = append(rows, cells)
		}
		return align(tabwriter.NewWriter(w, 6, 4, 3, ' ', 0), rows, "<none>")
	}, nil
}

// printRows aligns columns. An empty cell is a dash.
func printRows(w io.Writer, rows [][]string) error {
	return align(tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), rows, "-")
}

func align(t *tabwriter.Writer, rows [][]string, empty string) error {
	for _, cells := range rows {
		for i := range cells {
			cells[i] = cmp.Or(cells[i], empty)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}
