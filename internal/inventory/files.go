package inventory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// Input is the content of one file.
type Input struct {
	Name   string // for messages
	Data   []byte
	source string // as the user named it
}

// Inputs yields every file of -f and what -k builds, in order. What cannot be
// read is yielded as a *problem.Error; the others follow.
func (r Request) Inputs(ctx context.Context) iter.Seq2[Input, error] {
	return func(yield func(Input, error) bool) {
		total := 0
		for i, name := range r.Files {
			files, err := []string{name}, error(nil)
			read := readFile
			switch {
			case name == "-" && slices.Contains(r.Files[:i], "-"):
				err = problem.New("give -f - once", "standard input cannot be read twice")
			case name == "-":
				files, read = []string{"standard input"}, r.stdin
			case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
				read = func(address string) ([]byte, error) { return fetch(ctx, address) }
			case strings.Contains(name, "://"):
				err = problem.New("download it and use -f FILE",
					"-f %s: only http and https URLs are followed", mask.URL(name))
			default:
				files, err = r.expand(name)
			}
			if err != nil {
				files, read = []string{name}, func(string) ([]byte, error) { return nil, err }
			}
			for _, f := range files {
				data, err := read(f)
				if total += len(data); total > maxInputs {
					yield(Input{}, problem.New("give it a part of them",
						"-f %s: the files are larger than %d MB together", name, maxInputs>>20))
					return
				}
				if !yield(Input{mask.URL(f), data, "-f " + mask.URL(name)}, err) {
					return
				}
			}
		}
		if r.Kustomize != "" {
			data, err := kustomize(r.Kustomize)
			yield(Input{"the kustomization " + r.Kustomize, data, "-k " + r.Kustomize}, err)
		}
	}
}

func (r Request) stdin(string) ([]byte, error) {
	if r.Stdin == nil {
		return nil, problem.New("kubectl apply -f app.yaml -o yaml | kstatus-tui -f -",
			"-f -: standard input is a terminal")
	}
	data, err := readBounded(r.Stdin)
	if err != nil {
		err = problem.New("write it to a file and use -f FILE", "cannot read standard input: %w", err)
	}
	return data, err
}

// expand lists the file of that name, the manifests of a folder as kubectl takes
// them, or what matches a glob.
func (r Request) expand(name string) (files []string, err error) {
	roots := []string{name}
	if _, err := os.Stat(name); err != nil {
		if found, _ := filepath.Glob(name); len(found) > 0 {
			roots = found
		}
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && p != root && !r.Recursive:
				return filepath.SkipDir
			case !d.IsDir() && (p == root || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(p))):
				files = append(files, p)
			}
			return nil
		})
		if err != nil {
			return nil, noFile(name, err)
		}
	}
	if len(files) == 0 {
		return nil, problem.New(checkPath+"; -R reads the directories below it, too",
			"no .yaml, .yml or .json file in %s", name)
	}
	return files, nil
}

// PathHint is how a word is given on the command line that is the path of manifests: with -k if it
// is a kustomization, else with -f. It is "" for any other word.
func PathHint(word string) string {
	if dir := kustomizationOf(word); dir != "" {
		return "a kustomization is given with -k " + dir
	}
	info, err := os.Stat(word)
	switch {
	case isManifest(word) || strings.Contains(word, "://"), err == nil && info.Mode().IsRegular():
		return "manifests are given with -f " + word
	case err != nil || !info.IsDir():
		return ""
	}
	here, below := manifestsIn(word)
	switch {
	case here:
		return "manifests are given with -f " + word
	case below:
		return "manifests are given with -f " + word + "; -R reads the directories below it, too"
	}
	return ""
}

// kustomizationOf is the directory of a kustomization: path, or the directory of the file path. It
// is "" if there is none.
func kustomizationOf(path string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if filepath.Base(path) == name {
			return filepath.Dir(path)
		}
		if info, err := os.Stat(filepath.Join(path, name)); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// manifestsIn reports whether a directory has files of manifests, and whether those directly below
// it have some.
func manifestsIn(dir string) (here, below bool) {
	matches := func(pattern string) bool {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		return slices.ContainsFunc(found, isManifest)
	}
	return matches("*.*"), matches("*/*.*")
}

const checkPath = "check the path given with -f"

// noFile is the error of a path that cannot be read.
func noFile(name string, err error) error {
	hint := checkPath
	typ, object, _ := strings.Cut(name, "/")
	if isWord(typ) && object != "" && !isManifest(name) && errors.Is(err, fs.ErrNotExist) {
		hint += "; a TYPE/NAME is given without -f"
	}
	if errors.Is(err, errTooLarge) {
		hint = "give a part of it; status --from FILE reads a saved cluster of any size"
	}
	return problem.New(hint, "cannot read %s: %w", name, cause(err))
}

func readFile(name string) (data []byte, err error) {
	f, err := os.Open(name)
	if err == nil {
		defer f.Close()
		data, err = readBounded(f)
	}
	if err != nil {
		err = noFile(name, err)
	}
	return data, err
}

// cause is a file error without the path, which the message already names.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

var errTooLarge = fmt.Errorf("it is larger than %d MB", maxInput>>20)

// readBounded reads text. A byte order mark means UTF-16, as PowerShell writes
// it.
func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = errTooLarge
	}
	if err == nil && len(data) > 0 && data[0] >= 0xef {
		data, _, err = transform.Bytes(unicode.BOMOverride(unicode.UTF8.NewDecoder()), data)
	}
	return data, err
}

func fetch(ctx context.Context, address string) (data []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, urlTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, problem.New(checkURL, "cannot fetch %s: not a URL", address)
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		defer resp.Body.Close()
		if data, err = readBounded(resp.Body); resp.StatusCode != http.StatusOK {
			err = errors.New("the server answered " + resp.Status)
		}
	}
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	if err != nil {
		return nil, problem.New(checkURL, "cannot fetch %s: %w", address, err)
	}
	return data, nil
}

const checkURL = "check the URL given with -f"

func kustomize(dir string) (data []byte, err error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err == nil {
		data, err = built.AsYaml()
	}
	if err != nil && strings.Contains(err.Error(), "evalsymlink failure on '"+dir+"'") {
		return nil, problem.New("check the directory given with -k",
			"cannot read the kustomization %s: no such directory", dir)
	}
	if info, e := os.Stat(dir); err != nil && e == nil && !info.IsDir() {
		return nil, problem.New("name its directory; "+PathHint(dir),
			"-k takes the directory of a kustomization, and %s is a file", dir)
	}
	if err != nil {
		next := "kubectl kustomize " + dir + " shows the same error"
		if hint := PathHint(dir); hint != "" && kustomizationOf(dir) == "" {
			next = hint
		}
		return nil, problem.New(next,
			"cannot build the kustomization %s: %w", dir, err)
	}
	return data, nil
}
