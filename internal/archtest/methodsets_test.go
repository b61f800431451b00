package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// mostMethods is how many methods a type may have, those of what it embeds
// included. A type with more holds more than one idea, and cutting it into parts
// that it embeds makes it no smaller for a reader.
const mostMethods = 60

func TestNoTypeHasMoreMethodsThanAReaderCanHold(t *testing.T) {
	for name, n := range methodSets(t) {
		if n > mostMethods {
			t.Errorf("%s has %d methods, those of what it embeds included, not at most %d: make parts of it that are named fields", name, n, mostMethods)
		}
	}
}

// The parts of the model are named: none embeds another, nor does the model.
func TestNoPartOfTheModelEmbedsAnother(t *testing.T) {
	parts := map[string]bool{}
	for name, s := range structs(t, "internal/model") {
		for f := range s.Fields() {
			if p, ok := f.Type().(*types.Pointer); ok && f.Embedded() {
				t.Errorf("%s embeds %s: name the field", name, p.Elem())
			}
		}
		parts[name] = true
	}
	if !parts["Model"] || !parts["Tree"] || !parts["Panes"] {
		t.Errorf("the model's parts are not among %v", parts)
	}
}

// methodSets counts the methods of the module's own types, by directory and name.
// Methods that come from another module are not counted.
func methodSets(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, p := range checked(t) {
		dir := strings.TrimPrefix(p.Path(), module+"/")
		for _, name := range p.Scope().Names() {
			tn, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() || strings.HasPrefix(dir, "internal/testcluster") {
				continue
			}
			set := types.NewMethodSet(types.NewPointer(tn.Type()))
			for method := range set.Methods() {
				if from := method.Obj().Pkg(); from != nil && strings.HasPrefix(from.Path(), module) {
					out[dir+"."+name]++
				}
			}
		}
	}
	return out
}

// structs are the struct types of a package, by name.
func structs(t *testing.T, dir string) map[string]*types.Struct {
	t.Helper()
	out := map[string]*types.Struct{}
	for _, p := range checked(t) {
		if p.Path() != module+"/"+dir {
			continue
		}
		for _, name := range p.Scope().Names() {
			if s, ok := p.Scope().Lookup(name).Type().Underlying().(*types.Struct); ok {
				out[name] = s
			}
		}
	}
	return out
}

// A method that is promoted counts like one of the type's own.
func TestPromotedMethodsAreCounted(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go",
		"package x\ntype A struct{}\nfunc (A) a() {}\ntype B struct{ *A }\nfunc (*B) b() {}\ntype C struct{ b B }", 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := (&types.Config{}).Check("x", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"A": 1, "B": 2, "C": 0} {
		if got := types.NewMethodSet(types.NewPointer(p.Scope().Lookup(name).Type())).Len(); got != want {
			t.Errorf("%s has %d methods, not %d", name, got, want)
		}
	}
}
