package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/kstatus-tui/kstatus-tui"

// room is what a package directory may import of this repository, and whether
// it may import anything beyond the standard library.
type room struct {
	may     []string
	stdOnly bool
	why     string
}

// rooms lists all package directories. One that is missing fails the test: say
// here what it may import before it exists.
var rooms = map[string]room{
	"internal/object":        {may: []string{"internal/mask"}, stdOnly: true, why: "what the rules read; Kubernetes' own types end before it"},
	"internal/kinds":         {may: []string{"internal/object"}, stdOnly: true, why: "what controllers mean is said once; status, explain and the screen ask here"},
	"internal/status":        {may: []string{"internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status/registry"}, stdOnly: true, why: "anyone can vendor the rules; nothing of Kubernetes' weight rides along"},
	"internal/feed":          {may: []string{"internal/object", "internal/status"}, stdOnly: true, why: "engine, recording and model meet in its words alone"},
	"internal/convert":       {may: []string{"internal/object", "internal/status/registry"}, why: "Kubernetes' types end here: it makes of them what the rules read"},
	"internal/message":       {stdOnly: true, why: "what controllers write for people is read in one place, whoever asks"},
	"internal/mask":          {stdOnly: true, why: "what looks like a secret is decided in one place"},
	"internal/edges":         {may: []string{"internal/object"}, stdOnly: true, why: "edges are read by planner, tree and explanation alike"},
	"internal/explain":       {may: []string{"internal/explain/general", "internal/explain/cluster", "internal/explain/codes", "internal/explain/custom", "internal/explain/fold", "internal/explain/inspect", "internal/explain/network", "internal/explain/pods", "internal/explain/revision", "internal/explain/scheduling", "internal/explain/storage", "internal/explain/wording", "internal/explain/workloads", "internal/feed", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/edges"}, stdOnly: true, why: "an explanation is a function of a snapshot"},
	"internal/rules":         {may: []string{"internal/object", "internal/problem", "internal/status"}, why: "CEL plugs in through status.UserRules"},
	"internal/problem":       {stdOnly: true, why: "what a user reads of an error has one shape"},
	"internal/inventory":     {may: []string{"internal/feed", "internal/mask", "internal/object", "internal/problem", "internal/status"}, why: "which objects we follow is decided without a cluster"},
	"internal/watch/kube":    {may: []string{"internal/convert", "internal/feed", "internal/object", "internal/problem"}, why: "one request and its answer; who follows what is decided above it"},
	"internal/watch/resolve": {may: []string{"internal/watch/kube", "internal/convert", "internal/edges", "internal/object", "internal/problem"}, why: "which resource a name means is asked by kube's client; kube needs no names"},
	"internal/watch/plan":    {may: []string{"internal/watch/kube", "internal/object", "internal/edges"}, why: "a plan is a function of what is wanted, known and running"},
	"internal/follow/find":   {may: []string{"internal/watch/gate", "internal/watch/kube", "internal/watch/resolve", "internal/convert", "internal/object", "internal/problem", "internal/status", "internal/inventory"}, why: "looking once follows nothing"},
	"internal/follow":        {may: []string{"internal/follow/find", "internal/watch/kube", "internal/feed", "internal/object", "internal/status", "internal/inventory"}, why: "what an inventory lists is decided by what is seen of it; who watches is behind an interface"},
	"internal/watch/gate":    {why: "it knows how to ask whether somebody answers, and not whom"},
	"internal/watch/sources": {may: []string{"internal/watch/gate", "internal/watch/kube", "internal/watch/resolve", "internal/watch/plan", "internal/convert", "internal/feed", "internal/object", "internal/problem"}, why: "a stream is read by itself; who takes what it delivers is behind an interface"},
	"internal/watch/events":  {may: []string{"internal/watch/resolve", "internal/watch/plan", "internal/watch/sources", "internal/feed", "internal/object"}, why: "events are read by sources of their own; whose they are, the engine says"},
	"internal/watch/refs":    {may: []string{"internal/watch/kube", "internal/watch/plan", "internal/watch/sources", "internal/feed", "internal/object"}, why: "references are read by sources of their own; what is followed, the engine says"},
	"internal/watch/hub":     {may: []string{"internal/follow", "internal/watch/plan", "internal/watch/sources", "internal/feed", "internal/object", "internal/edges", "internal/inventory"}, why: "what is known is kept without a cluster"},
	"internal/watch/podlogs": {may: []string{"internal/watch/gate", "internal/watch/kube", "internal/feed", "internal/object"}, why: "a log is read by itself; whose it is, the engine says"},
	"internal/watch":         {may: []string{"internal/follow", "internal/follow/find", "internal/watch/events", "internal/watch/gate", "internal/watch/hub", "internal/watch/kube", "internal/watch/resolve", "internal/watch/plan", "internal/watch/podlogs", "internal/watch/refs", "internal/watch/sources", "internal/convert", "internal/feed", "internal/mask", "internal/object", "internal/problem", "internal/status", "internal/inventory"}, why: "the engine delivers facts; it does not judge and does not draw"},
	"internal/dump":          {may: []string{"internal/feed", "internal/object", "internal/problem", "internal/watch/kube", "internal/watch/resolve"}, why: "a saved cluster answers an engine's requests: the engine, and all above it, cannot tell it from a live one"},
	"internal/dump/dumptest": {why: "what is written as the tools write it knows nothing of who reads it"},
	"internal/spool":         {stdOnly: true, why: "a file in the background knows nothing of what is in it"},
	"internal/recording":     {may: []string{"internal/feed", "internal/mask", "internal/object", "internal/problem", "internal/status", "internal/status/registry", "internal/spool"}, why: "a recording holds what was observed; what was made of it is handed in as feed.Memory; redaction spares the groups that the registry knows"},
	"internal/model/world":   {may: []string{"internal/feed", "internal/kinds", "internal/object", "internal/status", "internal/edges", "internal/explain", "internal/explain/logline"}, stdOnly: true, why: "what is known of the cluster knows of no screen, and cannot tell a cluster from a recording"},
	"internal/model/filter":  {may: []string{"internal/model/world", "internal/object", "internal/status"}, stdOnly: true, why: "what a filter finds is decided of a node alone"},
	"internal/model/outline": {stdOnly: true, why: "text is folded without knowing whose it is"},
	"internal/model/logs":    {may: []string{"internal/feed", "internal/model/world", "internal/object", "internal/status"}, stdOnly: true, why: "which logs are read is decided of the tree alone; who reads them is the model's"},
	"internal/model/rows":    {may: []string{"internal/feed", "internal/edges", "internal/explain/wording", "internal/model/filter", "internal/model/world", "internal/object", "internal/status"}, stdOnly: true, why: "rows are a function of what is known and of the user's choices"},
	"internal/model/known":   {may: []string{"internal/edges", "internal/explain", "internal/explain/wording", "internal/feed", "internal/model/rows", "internal/model/world", "internal/object", "internal/status"}, stdOnly: true, why: "what reports and exit codes say does not depend on a screen"},
	"internal/model/layout":  {may: []string{"internal/markup"}, why: "where the parts of a screen are does not depend on what is in them"},
	"internal/model/panes":   {may: []string{"internal/explain", "internal/feed", "internal/markup", "internal/model/known", "internal/model/logs", "internal/model/outline", "internal/model/timeline", "internal/model/world", "internal/object", "internal/status"}, why: "a pane is data, keys and text; who shows it is not its matter"},
	"internal/model":         {may: []string{"internal/markup", "internal/model/layout", "internal/model/panes", "internal/explain/logline", "internal/explain/revision", "internal/explain/wording", "internal/feed", "internal/object", "internal/status", "internal/explain", "internal/model/known", "internal/model/world", "internal/model/filter", "internal/model/outline", "internal/model/logs", "internal/model/rows", "internal/model/timeline"}, why: "the model cannot tell a cluster from a recording"},
	"internal/markup":        {may: []string{"internal/status"}, why: "text is marked with its meaning; how it looks is the theme's"},
	"internal/views":         {may: []string{"internal/markup", "internal/model/layout", "internal/model/panes", "internal/feed", "internal/object", "internal/status", "internal/explain", "internal/model", "internal/model/known", "internal/model/logs", "internal/model/outline", "internal/model/rows", "internal/model/timeline", "internal/model/world"}, why: "a screen is a function of the model"},
	"internal/tui":           {may: []string{"internal/feed", "internal/object", "internal/model", "internal/model/world", "internal/views"}, why: "the program around model and views: terminal, clock, signals"},
	"internal/report":        {may: []string{"internal/feed", "internal/explain/inspect", "internal/mask", "internal/object", "internal/status", "internal/explain", "internal/model/known", "internal/model/world"}, why: "a report is a function of what is known"},
	"internal/fieldpath":     {why: "a field's path is read in one place, for goals and columns"},
	"internal/wait":          {may: []string{"internal/explain", "internal/explain/codes", "internal/explain/inspect", "internal/fieldpath", "internal/mask", "internal/model/known", "internal/model/world", "internal/object", "internal/status"}, why: "when a wait is over is a function of what is known; exit codes are main's"},
	"internal/testcluster":   {why: "the server under test knows nothing of its client"},
	"internal/viewstest":     {may: []string{"internal/feed", "internal/model", "internal/object"}, why: "what tests of screen and program share judges neither"},
	"internal/fuzzworld":     {stdOnly: true, why: "it has tests alone: what they generate goes through everything"},
	"internal/explaintest":   {may: []string{"internal/explain/inspect", "internal/explain/wording", "internal/object"}, why: "what checks evidence for tests knows neither detectors nor the world"},
	"internal/escapes":       {stdOnly: true, why: "the list of what a terminal may be told stands on its own: it judges whoever draws"},
	"internal/archtest":      {},
	"internal/docstest":      {stdOnly: true, why: "how a page is laid out does not depend on what it says"},
	"internal/explain/codes": {
		may: []string{}, stdOnly: true,
		why: "the published list of causes is data",
	},
	"internal/explain/fields": {
		may: []string{}, stdOnly: true,
		why: "how a field is read knows of no cause",
	},
	"internal/explain/wording": {
		may: []string{"internal/object"}, stdOnly: true,
		why: "words are made without knowing of what",
	},
	"internal/explain/logline": {
		may: []string{"internal/message", "internal/explain/wording"}, stdOnly: true,
		why: "a line of a log is chosen without knowing whose it is",
	},
	"internal/explain/nodefit": {
		may: []string{"internal/message", "internal/edges", "internal/object", "internal/explain/codes", "internal/explain/fields", "internal/explain/wording"}, stdOnly: true,
		why: "the scheduler's filters are a function of a Pod and its nodes",
	},
	"internal/explain/revision": {
		may: []string{"internal/message", "internal/explain/codes", "internal/explain/wording"}, stdOnly: true,
		why: "two templates are compared without knowing whose they are",
	},
	"internal/explain/inspect": {
		may: []string{"internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/logline", "internal/explain/nodefit", "internal/explain/revision", "internal/explain/wording"}, stdOnly: true,
		why: "what a detector may ask knows of no detector",
	},
	"internal/explain/fold": {
		may: []string{"internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/inspect", "internal/explain/revision", "internal/explain/wording"}, stdOnly: true,
		why: "findings are folded by what they say of themselves",
	},
	"internal/explain/admission": {
		may: []string{"internal/message", "internal/object", "internal/explain/codes", "internal/explain/fields", "internal/explain/inspect", "internal/explain/wording"}, stdOnly: true,
		why: "what a webhook's refusal means is known to all families that quote one",
	},
	"internal/explain/statements": {
		may: []string{"internal/message", "internal/object", "internal/status", "internal/explain/inspect"}, stdOnly: true,
		why: "what a controller says of an object is collected in one place, for every family",
	},
	"internal/explain/general": {
		may: []string{"internal/explain/admission", "internal/edges", "internal/message", "internal/object", "internal/status", "internal/status/registry", "internal/explain/codes", "internal/explain/inspect", "internal/explain/logline", "internal/explain/statements", "internal/explain/wording"}, stdOnly: true,
		why: "what holds for every kind knows no family; the registry says which kinds a project has",
	},
	"internal/explain/pods": {
		may: []string{"internal/explain/statements", "internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/fields", "internal/explain/inspect", "internal/explain/wording", "internal/explain/logline", "internal/explain/nodefit"}, stdOnly: true,
		why: "a family of detectors knows of no other",
	},
	"internal/explain/scheduling": {
		may: []string{"internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/fields", "internal/explain/inspect", "internal/explain/wording", "internal/explain/nodefit"}, stdOnly: true,
		why: "a family of detectors knows of no other",
	},
	"internal/explain/storage": {
		may: []string{"internal/explain/statements", "internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/fields", "internal/explain/inspect", "internal/explain/wording"}, stdOnly: true,
		why: "a family of detectors knows of no other",
	},
	"internal/explain/workloads": {
		may: []string{"internal/explain/admission", "internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/fields", "internal/explain/inspect", "internal/explain/wording", "internal/explain/nodefit", "internal/explain/pods"}, stdOnly: true,
		why: "a Job says how its last Pod ended; otherwise a family of detectors knows of no other",
	},
	"internal/explain/network": {
		may: []string{"internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/fields", "internal/explain/inspect", "internal/explain/wording"}, stdOnly: true,
		why: "a family of detectors knows of no other",
	},
	"internal/explain/cluster": {
		may: []string{"internal/explain/admission", "internal/explain/statements", "internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/fields", "internal/explain/inspect", "internal/explain/wording", "internal/feed", "internal/explain/nodefit"}, stdOnly: true,
		why: "a family of detectors knows of no other",
	},
	"internal/explain/custom": {
		may: []string{"internal/edges", "internal/kinds", "internal/message", "internal/object", "internal/status", "internal/explain/codes", "internal/explain/fields", "internal/explain/inspect", "internal/explain/wording"}, stdOnly: true,
		why: "a family of detectors knows of no other",
	},
	"internal/status/registry": {
		may: []string{"internal/object"}, stdOnly: true,
		why: "a row says what a controller means by its words; the verdict is made in internal/status",
	},
	"internal/model/timeline": {
		may: []string{"internal/explain", "internal/model/world", "internal/object", "internal/status"}, stdOnly: true,
		why: "what a moment was is a function of the world's history",
	},
	"cmd/kstatus-tui": {
		may: []string{
			"internal/explain/wording",
			"internal/convert", "internal/dump", "internal/feed", "internal/object", "internal/problem", "internal/status", "internal/rules", "internal/inventory", "internal/watch", "internal/follow/find", "internal/watch/kube", "internal/watch/resolve", "internal/recording", "internal/spool",
			"internal/model", "internal/model/known", "internal/model/layout", "internal/model/rows", "internal/model/world", "internal/views", "internal/tui", "internal/mask", "internal/report", "internal/fieldpath", "internal/wait",
		},
		why: "commands wire the rooms together",
	},
}

const wire = "what comes over the wire is decoded in one package, by apimachinery"

// forbidden imports, anywhere but in the directories named.
var forbidden = []struct {
	path, why string
	but       []string
}{
	{path: "charm.land/lipgloss/v2/compat", why: "it queries the terminal in a package variable"},
	{path: "math/rand", why: "nothing here is random; jitter lives below internal/watch", but: []string{"internal/watch/gate", "internal/watch/sources"}},
	{path: "math/rand/v2", why: "nothing here is random; jitter lives below internal/watch", but: []string{"internal/watch/gate", "internal/watch/sources"}},
	{path: "k8s.io/client-go/kubernetes/scheme", why: "convert.Scheme has the kinds with a typed view; the others are unstructured", but: []string{"internal/testcluster"}},
	{path: "k8s.io/client-go/kubernetes", why: "the typed clients can write and weigh 20 MB; watch/kube makes rest.Requests by path"},
	{path: "k8s.io/apimachinery/pkg/util/framer", why: wire, but: []string{"internal/watch/kube", "internal/testcluster"}},
	{path: "k8s.io/apimachinery/pkg/runtime/serializer/protobuf", why: wire, but: []string{"internal/watch/kube", "internal/testcluster"}},
	{path: "k8s.io/apimachinery/pkg/runtime/serializer/streaming", why: wire, but: []string{"internal/watch/kube", "internal/testcluster"}},
}

// impure names the files of pure packages that may have side effects, and why.
var impure = map[string]string{
	"internal/model/commands.go": "what may block is a command",
}

type file struct {
	dir, name string // relative to the repository, with slashes
	ast       *ast.File
	fset      *token.FileSet
}

func (f file) path() string { return path.Join(f.dir, f.name) }

func (f file) at(n ast.Node) string {
	return f.path() + ":" + strconv.Itoa(f.fset.Position(n.Pos()).Line)
}

// load returns the parsed Go files of the product's module.
func load(t *testing.T) []file {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found only %d Go files: the test looks in the wrong place", len(files))
	}
	return files
}

// parsed reads and parses the files once for all tests. No test changes a syntax tree.
var parsed = sync.OnceValues(func() (files []file, err error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p == root {
				return nil
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil {
				return filepath.SkipDir // a nested module
			}
			if name := d.Name(); strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files = append(files, file{dir: path.Dir(rel), name: path.Base(rel), ast: parsed, fset: fset})
		return nil
	})
	return files, err
})

func (f file) test() bool { return strings.HasSuffix(f.name, "_test.go") }

// roomOf finds the entry of a directory: its own, or that of the directory
// above it.
func roomOf(dir string) (string, bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if _, ok := rooms[d]; ok {
			return d, true
		}
	}
	return "", false
}

func imports(f *ast.File) []string {
	var paths []string
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

func standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

func TestImportsPointOneWay(t *testing.T) {
	for _, f := range load(t) {
		name, ok := roomOf(f.dir)
		if !ok {
			t.Errorf("%s belongs to no room: list it in internal/archtest", f.path())
			continue
		}
		if f.test() {
			continue // tests may bring anything they need
		}
		r := rooms[name]
		for _, p := range imports(f.ast) {
			if rel, ours := strings.CutPrefix(p, module+"/"); ours {
				to, _ := roomOf(rel)
				if to != name && !slices.Contains(r.may, to) {
					t.Errorf("%s imports %s: %s must not know it (%s)", f.path(), rel, name, r.why)
				}
				continue
			}
			if r.stdOnly && !standard(p) {
				t.Errorf("%s imports %s: %s imports the standard library alone (%s)", f.path(), p, name, r.why)
			}
		}
	}
}

func TestEveryPackageOfTheImportRulesExists(t *testing.T) {
	for name := range rooms {
		if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(name))); err != nil {
			t.Errorf("%s is listed and does not exist: the list must not rot", name)
		}
	}
	for name := range impure {
		if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(name))); err != nil {
			t.Errorf("%s has an exception and does not exist: the list must not rot", name)
		}
	}
}

func TestForbiddenImports(t *testing.T) {
	for _, f := range load(t) {
		if f.test() {
			continue
		}
		for _, p := range imports(f.ast) {
			for _, no := range forbidden {
				if p != no.path {
					continue
				}
				if room, _ := roomOf(f.dir); slices.Contains(no.but, room) {
					continue
				}
				t.Errorf("%s imports %s: %s", f.path(), p, no.why)
			}
		}
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	comments := map[string][]string{}
	seen := map[string]bool{}
	for _, f := range load(t) {
		if f.test() {
			continue
		}
		seen[f.dir] = true
		if f.ast.Doc != nil && !strings.HasPrefix(f.ast.Doc.Text(), "Copyright") {
			comments[f.dir] = append(comments[f.dir], f.name)
		}
	}
	for dir := range seen {
		if n := comments[dir]; len(n) != 1 {
			t.Errorf("%s has %d package comments %v, want exactly one that a stranger can act on", dir, len(n), n)
		}
	}
}

// TestThePureRoomsArePure: no clock, os, randomness, goroutine or channel in
// the model and the views (except in named files), no goroutine or clock in the
// packages below them.
func TestThePureRoomsArePure(t *testing.T) {
	pure := []string{"internal/watch/plan", "internal/explain/admission", "internal/explain/general", "internal/explain/statements", "internal/feed", "internal/markup", "internal/mask", "internal/message", "internal/object", "internal/status", "internal/status/registry", "internal/edges", "internal/explain", "internal/explain/cluster", "internal/explain/codes", "internal/explain/custom", "internal/explain/fields", "internal/explain/fold", "internal/explain/inspect", "internal/explain/logline", "internal/explain/network", "internal/explain/nodefit", "internal/explain/pods", "internal/explain/revision", "internal/explain/scheduling", "internal/explain/storage", "internal/explain/wording", "internal/explain/workloads", "internal/model", "internal/model/known", "internal/model/filter", "internal/model/layout", "internal/model/outline", "internal/model/logs", "internal/model/panes", "internal/model/rows", "internal/model/timeline", "internal/model/world", "internal/views", "internal/report"}
	for _, f := range load(t) {
		name, _ := roomOf(f.dir)
		if f.test() || !slices.Contains(pure, name) || impure[f.path()] != "" {
			continue
		}
		for _, p := range imports(f.ast) {
			switch p {
			case "os", "net", "net/http", "os/exec", "os/signal":
				t.Errorf("%s imports %s: %s is pure", f.path(), p, name)
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine: %s is pure", f.at(n), name)
			case *ast.ChanType:
				t.Errorf("%s has a channel: %s is pure", f.at(n), name)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" {
					switch n.Sel.Name {
					case "Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker":
						t.Errorf("%s reads the clock (time.%s): time arrives as a message", f.at(n), n.Sel.Name)
					}
				}
			}
			return true
		})
	}
}

// TestTheModelCannotTellARecording: what it knows of a feed's children and events, the
// feed's batches say (feed.Batch, Known). The label of a recording is for the screen.
func TestTheModelCannotTellARecording(t *testing.T) {
	for _, f := range load(t) {
		world := f.dir == "internal/model/world"
		if f.test() || !world && f.dir != "internal/model" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if strings.EqualFold(n.Name, "replayed") {
					t.Errorf("%s asks whether a recording is played: let the feed say what that changes", f.at(n))
				}
			case *ast.SelectorExpr:
				if world && n.Sel.Name == "Recording" {
					t.Errorf("%s reads the label of a recording, which decides nothing", f.at(n))
				}
			}
			return true
		})
	}
}

// TestGoroutinesAreBornInFewRooms: all other packages are called synchronously.
func TestGoroutinesAreBornInFewRooms(t *testing.T) {
	may := []string{"internal/watch", "internal/watch/kube", "internal/recording", "internal/spool", "internal/testcluster", "internal/tui", "cmd/kstatus-tui"}
	for _, f := range load(t) {
		name, _ := roomOf(f.dir)
		if f.test() || slices.Contains(may, name) || impure[f.path()] != "" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s starts a goroutine: only %v may", f.at(g), may)
			}
			return true
		})
	}
}

// TestBubbleTeaAloneWritesToTheTerminal: its renderer draws, and nobody else
// prints. What is written before and after it is in terminal_*.go and, like the
// farewell, in run.go, which alone know the terminal; commands print to the
// streams that main hands them.
func TestBubbleTeaAloneWritesToTheTerminal(t *testing.T) {
	for _, f := range load(t) {
		if f.test() {
			continue
		}
		run := f.path() == "internal/tui/run.go"
		screen := f.dir == "internal/views" || f.dir == "internal/tui"
		holder := run || strings.HasPrefix(f.path(), "internal/tui/terminal_")
		if slices.Contains(imports(f.ast), "log") && f.dir != "internal/testcluster" {
			t.Errorf("%s imports log, which prints", f.path())
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if to, _ := call.Fun.(*ast.Ident); to != nil && (to.Name == "println" || screen && to.Name == "print") {
					t.Errorf("%s prints with %s", f.at(n), to.Name)
				}
			}
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, _ := s.X.(*ast.Ident)
			switch name := s.Sel.Name; {
			case name == "WithoutRenderer":
				t.Errorf("%s turns Bubble Tea's renderer off", f.at(n))
			case x != nil && x.Name == "fmt" && strings.HasPrefix(name, "Print"):
				t.Errorf("%s prints with fmt.%s", f.at(n), name)
			case x != nil && x.Name == "os" && (name == "Stdout" || name == "Stderr") && !run && f.path() != "cmd/kstatus-tui/main.go":
				t.Errorf("%s writes to os.%s", f.at(n), name)
			case screen && !holder && (name == "screen" || name == "Output"):
				t.Errorf("%s knows the terminal", f.at(n))
			}
			return true
		})
	}
}

// asks is the file that may post: a SelfSubjectAccessReview is answered, and not stored.
const asks = "internal/watch/access.go"

// TestNothingIsWritten: no verb that changes a cluster occurs in the product.
func TestNothingIsWritten(t *testing.T) {
	for _, f := range load(t) {
		name, _ := roomOf(f.dir)
		if f.test() || name == "internal/testcluster" || f.path() == asks {
			continue
		}
		var client bool
		for _, p := range imports(f.ast) {
			client = client || strings.HasPrefix(p, "k8s.io/client-go/") || p == "net/http"
		}
		if !client {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok {
					switch s.Sel.Name {
					case "Post", "Put", "Patch", "DeleteCollection", "UpdateStatus", "Evict":
						t.Errorf("%s calls %s: the product only reads", f.at(n), s.Sel.Name)
					}
				}
			case *ast.BasicLit:
				switch n.Value {
				case `"POST"`, `"PUT"`, `"PATCH"`, `"DELETE"`:
					t.Errorf("%s names the verb %s: the product only reads", f.at(n), n.Value)
				}
			}
			return true
		})
	}
}
