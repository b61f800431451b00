package main

import (
	"bytes"
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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/util/jsonpath"

	"github.com/kstatus-tui/kstatus-tui/internal/fieldpath"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

// printable is what a command prints: the same formats for each, and its own.
type printable struct {
	value any         // for json, yaml and the templates
	items string      // the field of value with the rows of custom-columns
	ids   []object.ID // for name
	// own are the formats of this document alone; one of them may replace a common one.
	own map[string]func(w io.Writer) error
}

// printer is -o and the flags beside it.
type printer struct {
	output    string
	own       []string // the command's own formats, the default first
	noHeaders bool
	templates *genericclioptions.KubeTemplatePrintFlags
	template  printers.ResourcePrinter // of the value of -o, if that is a template
}

// custom-columns is implemented in kubectl itself, not in cli-runtime.
const customColumns = "custom-columns"

// pagesURL is where the pages are: a user of the binary has none.
const pagesURL = "https://github.com/kstatus-tui/kstatus-tui/blob/main/docs/"

const documentHelp = pagesURL + "output.md"

// addFlags adds -o with the command's own formats and those of every document.
func (p *printer) addFlags(cmd *cobra.Command, own ...string) {
	p.templates = genericclioptions.NewKubeTemplatePrintFlags()
	p.own, p.output = own, own[0]
	flags := cmd.Flags()
	flags.VarP(choice{value: &p.output, of: p.formats(), argument: true}, "output", "o", "one of "+joined(p.formats()))
	headers := "do not print headers or the summary"
	if !slices.Contains(own, "table") {
		headers = "do not print the headers of custom-columns"
	}
	flags.BoolVar(&p.noHeaders, "no-headers", false, headers)
	p.templates.AddFlags(cmd)
	flags.Lookup("template").Usage = "the template of -o go-template (implied) or jsonpath, or the file of their -file forms"
	flags.Lookup("allow-missing-template-keys").Usage = "print missing fields of a template as nothing"
}

// formats are all formats, the command's own first.
func (p *printer) formats() []string {
	common := slices.Concat([]string{"json", "yaml", "name"},
		p.templates.AllowedFormats(), []string{customColumns, customColumns + "-file"})
	common = slices.DeleteFunc(common, func(format string) bool { return slices.Contains(p.own, format) })
	return slices.Concat(p.own, common)
}

// Validate parses the value of -o: an error in a template is reported before any
// request.
func (p *printer) Validate() (err error) {
	if p.output == p.own[0] && *p.templates.TemplateArgument != "" {
		p.output = "go-template" // as kubectl has it
	}
	format, argument, given := strings.Cut(p.output, "=")
	switch {
	case slices.Contains(p.own, format), format == "json", format == "yaml", format == "name":
		if given {
			err = errors.New("it takes no argument")
		}
	case strings.HasPrefix(format, customColumns):
		p.template, err = newColumns(format, argument, p.noHeaders)
	default:
		p.template, err = p.templates.ToPrinter(p.output)
	}
	if err != nil {
		return p.wrong(err)
	}
	return nil
}

func (p *printer) wrong(err error) error {
	format, _, _ := strings.Cut(p.output, "=")
	example := map[string]string{
		"jsonpath": "='{.verdict}'", "go-template": "='{{.verdict}}'",
		customColumns: "=NAME:.name",
	}[format]
	if strings.HasSuffix(format, "file") {
		example = "=FILE"
	}
	return problem.New("as in -o "+format+example+"; the fields: "+documentHelp, "-o %s: %w", format, err)
}

// print prints a document. errOut gets a line if a template matches nothing.
func (p *printer) print(w, errOut io.Writer, d printable) error {
	if own := d.own[p.output]; own != nil {
		return own(w)
	}
	switch {
	case p.template != nil:
		return p.fill(w, errOut, d)
	case p.output == "json":
		return report.WriteJSON(w, d.value)
	case p.output == "yaml":
		return report.WriteYAML(w, d.value)
	case p.output == "name":
		return printNames(w, d.ids)
	}
	return fmt.Errorf("internal error: no printer for -o %s", p.output) // a test tries all
}

// fill applies the template to a document.
func (p *printer) fill(w, errOut io.Writer, d printable) error {
	var fields map[string]any
	data, err := json.Marshal(d.value)
	if err != nil {
		return err
	}
	if err := utiljson.Unmarshal(data, &fields); err != nil {
		return err
	}
	columns, _ := p.template.(*columnsPrinter)
	if columns != nil {
		columns.items = d.items
	}
	// After an error kubectl's printers print the whole document: to their output, or
	// within the error.
	text, err := templateLimits.apply(func(w io.Writer) error {
		return p.template.PrintObj(&unstructured.Unstructured{Object: fields}, w)
	})
	if err != nil {
		what, _, _ := strings.Cut(err.Error(), ". Printing more information")
		return p.wrong(errors.New(what))
	}
	switch {
	case columns != nil && len(columns.unmatched) > 0:
		fmt.Fprintf(errOut, "kstatus-tui: nothing matches %s; %sthe fields of a row: %s\n",
			report.Inert(object.Clean(joined(columns.unmatched))),
			kubectlField(strings.Join(columns.unmatched, " ")), documentHelp)
	case columns == nil && (len(bytes.TrimSpace(text)) == 0 || bytes.Contains(text, []byte("<no value>"))):
		fmt.Fprintf(errOut, "kstatus-tui: the template of -o matches nothing; %sthe fields here: %s\n",
			kubectlField(p.output), documentHelp)
	}
	_, err = io.WriteString(w, report.Inert(string(text)))
	return err
}

// kubectlField begins a hint for a template that names the fields of an object or of kubectl's
// List.
func kubectlField(template string) string {
	switch {
	case strings.Contains(template, ".items"):
		return "kubectl's .items is .resources here, as in .resources[*].name; "
	case strings.Contains(template, ".metadata."):
		return "kubectl's .metadata.name is .name here; "
	case strings.Contains(template, ".spec") || strings.Contains(template, ".status."):
		return "kubectl get -o prints the fields of the object; "
	}
	return ""
}

// printNames prints TYPE/NAME as kubectl's -o name does.
func printNames(w io.Writer, ids []object.ID) error {
	for _, id := range ids {
		kind := schema.GroupKind{Group: id.Group, Kind: id.Kind}
		if _, err := fmt.Fprintln(w, report.Inert(strings.ToLower(kind.String())+"/"+id.Name)); err != nil {
			return err
		}
	}
	return nil
}

// statusOutput is -o of the commands that print a model.
type statusOutput struct{ printer }

// printModel prints a model in one of its own formats, or as the document of all.
func (p *statusOutput) printModel(w, errOut io.Writer, m *known.Facts, own map[string]func(w io.Writer) error) error {
	d := printable{items: "resources", ids: m.Roots(), own: own}
	if own[p.output] == nil {
		d.value = report.New(m)
	}
	return p.print(w, errOut, d)
}

// columnsPrinter prints custom-columns: a row for each item of a document.
type columnsPrinter struct {
	headers, paths []string
	columns        []*jsonpath.JSONPath
	noHeaders      bool
	items          string
	unmatched      []string // the paths that matched in no row
}

// newColumns reads HEADER:PATH,… or, for the -file form, headers on the first line
// and paths on the second.
func newColumns(format, spec string, noHeaders bool) (*columnsPrinter, error) {
	if spec == "" {
		return nil, errors.New("no columns are named")
	}
	p := &columnsPrinter{noHeaders: noHeaders}
	if format == customColumns {
		for part := range strings.SplitSeq(spec, ",") {
			header, path, ok := strings.Cut(part, ":")
			if !ok {
				return nil, fmt.Errorf("%q is not HEADER:PATH", part)
			}
			p.headers, p.paths = append(p.headers, header), append(p.paths, path)
		}
	} else {
		text, err := os.ReadFile(spec)
		if err != nil {
			return nil, err
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		second, _, _ := strings.Cut(rest, "\n")
		p.headers, p.paths = strings.Fields(first), strings.Fields(second)
	}
	if len(p.headers) == 0 || len(p.headers) != len(p.paths) {
		return nil, fmt.Errorf("%d headers, %d paths", len(p.headers), len(p.paths))
	}
	for _, path := range p.paths {
		column, err := fieldpath.Parse(path)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, column)
	}
	return p, nil
}

// PrintObj prints the rows of a document.
func (p *columnsPrinter) PrintObj(d runtime.Object, w io.Writer) error {
	var rows [][]string
	if !p.noHeaders {
		rows = append(rows, p.headers)
	}
	items, _, _ := unstructured.NestedSlice(d.(*unstructured.Unstructured).Object, p.items)
	matched := make([]bool, len(p.columns))
	for _, item := range items {
		var cells []string
		for i, column := range p.columns {
			// an index that a row lacks is an error, and no reason to end the table
			found, _ := column.FindResults(item)
			var texts []string
			for _, v := range slices.Concat(found...) {
				matched[i] = true
				texts = append(texts, printers.EscapeTerminal(fmt.Sprint(v.Interface())))
			}
			cells = append(cells, strings.Join(texts, ","))
		}
		rows = append(rows, cells)
	}
	for i, path := range p.paths {
		if !matched[i] && len(items) > 0 {
			p.unmatched = append(p.unmatched, path)
		}
	}
	var table bytes.Buffer
	align(tabwriter.NewWriter(&table, 6, 4, 3, ' ', 0), rows, "<none>")
	_, err := table.WriteTo(w) // fill makes it inert
	return err
}

// printRows aligns columns. An empty cell is a dash. A cell may come from the cluster, or have
// a credential of the kubeconfig.
func printRows(w io.Writer, rows [][]string) error {
	var table bytes.Buffer
	align(tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0), rows, "-")
	_, err := io.WriteString(w, report.Inert(table.String()))
	return err
}

func align(t *tabwriter.Writer, rows [][]string, empty string) {
	for _, cells := range rows {
		for i := range cells {
			cells[i] = cmp.Or(cells[i], empty)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	_ = t.Flush() // to memory
}
