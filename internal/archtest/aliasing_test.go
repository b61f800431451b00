package archtest

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Two mistakes that compile, pass vet and end the program on the wrong input:
//
//   - slices.DeleteFunc, Delete and Compact change the list that they are given.
//     Whoever else holds that list sees it with zeroes at its end. The list must
//     be fresh (the result of a call, as of slices.Clone), a local variable, or
//     replaced by the result.
//   - a comparison of two values of type any panics if both are maps or lists,
//     which any field of a file may be.
func TestNoListOfAnotherIsChangedAndNoAnyCompared(t *testing.T) {
	for _, p := range checked(t) {
		for _, f := range p.files {
			for _, wrong := range mistakes(p.info, f) {
				t.Errorf("%s: %s", p.fset.Position(wrong.pos), wrong.text)
			}
		}
	}
}

// checkedPackage is a package of the program's own with its types.
type checkedPackage struct {
	*types.Package
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info // Types and Uses
}

// checked are the program's own packages.
func checked(t *testing.T) (all []checkedPackage) {
	t.Helper()
	export, own := compiled(t)
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(name string) (io.ReadCloser, error) { return os.Open(export[name]) })
	for _, p := range own {
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		pkg, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, checkedPackage{pkg, fset, files, info})
	}
	return all
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// compiled are the program's packages, and where the build cache has the types
// of each package that they import.
func compiled(t *testing.T) (export map[string]string, own []listed) {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles,DepOnly", "./cmd/...", "./internal/...")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	export = map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		export[p.ImportPath] = p.Export
		if !p.DepOnly {
			own = append(own, p)
		}
	}
	if len(own) < 30 {
		t.Fatalf("only %d packages", len(own))
	}
	return export, own
}

type mistake struct {
	pos  token.Pos
	text string
}

func mistakes(info *types.Info, f *ast.File) (out []mistake) {
	var above []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		switch x := n.(type) {
		case *ast.BinaryExpr:
			if (x.Op == token.EQL || x.Op == token.NEQ) && isAny(info, x.X) && isAny(info, x.Y) {
				out = append(out, mistake{x.Pos(), "two values of type any are compared: they may be maps"})
			}
		case *ast.CallExpr:
			if changesItsList(info, x) && !owned(info, x.Args[0], above) {
				out = append(out, mistake{x.Pos(), types.ExprString(x.Fun) + " changes " + types.ExprString(x.Args[0]) + ", which others may hold: clone it"})
			}
		}
		above = append(above, n)
		return true
	})
	return out
}

// isAny reports whether an expression has the type any and is not nil.
func isAny(info *types.Info, x ast.Expr) bool {
	tv := info.Types[x]
	if tv.Type == nil || tv.IsNil() {
		return false
	}
	i, ok := types.Unalias(tv.Type).(*types.Interface)
	return ok && i.NumMethods() == 0
}

func changesItsList(info *types.Info, call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "slices" {
		return false
	}
	switch f.Name() {
	case "Delete", "DeleteFunc", "Compact", "CompactFunc":
		return true
	}
	return false
}

// owned reports whether a list belongs to the code that changes it.
func owned(info *types.Info, list ast.Expr, above []ast.Node) bool {
	switch x := ast.Unparen(list).(type) {
	case *ast.CallExpr, *ast.CompositeLit:
		return true
	case *ast.Ident:
		if v, ok := info.Uses[x].(*types.Var); ok && !isParameter(v, above) {
			return true
		}
	}
	text := types.ExprString(list)
	if part, ok := list.(*ast.SliceExpr); ok {
		text = types.ExprString(part.X)
	}
	for _, n := range above {
		if assign, ok := n.(*ast.AssignStmt); ok {
			for _, to := range assign.Lhs {
				if types.ExprString(to) == text {
					return true
				}
			}
		}
	}
	return false
}

// isParameter reports whether v is one of an enclosing function.
func isParameter(v *types.Var, above []ast.Node) bool {
	for _, n := range above {
		var f *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncDecl:
			f = n.Type
		case *ast.FuncLit:
			f = n.Type
		default:
			continue
		}
		if f.Params.Pos() <= v.Pos() && v.Pos() < f.Params.End() {
			return true
		}
	}
	return false
}

// The two mistakes as they were made, and what is no mistake.
func TestTheMistakesAreFound(t *testing.T) {
	export, _ := compiled(t)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", `package x

import "slices"

type T struct{ list []int }

func zero(n int) bool { return n == 0 }

func wrong(by map[string][]int, of []int, t *T, a, b any) bool {
	n := len(slices.DeleteFunc(by["x"], zero))
	_ = slices.Delete(of, 0, 1)
	_ = slices.Compact(t.list)
	return n == 0 && a != b
}

func right(by map[string][]int, of []int, t *T, a, b any) bool {
	own := []int{1}
	_ = slices.DeleteFunc(slices.Clone(of), zero)
	_ = slices.DeleteFunc(own, zero)
	of = slices.DeleteFunc(of, zero)
	t.list = slices.Insert(slices.DeleteFunc(t.list, zero), 0, 1)
	by["x"] = slices.DeleteFunc(by["x"], zero)
	s, _ := a.(string)
	return a == nil && b == s
}
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	imports := importer.ForCompiler(fset, "gc", func(name string) (io.ReadCloser, error) { return os.Open(export[name]) })
	if _, err := (&types.Config{Importer: imports}).Check("x", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, m := range mistakes(info, f) {
		lines = append(lines, fset.Position(m.pos).Line)
	}
	if !slices.Equal(lines, []int{10, 11, 12, 13}) {
		t.Errorf("mistakes in the lines %v", lines)
	}
}
