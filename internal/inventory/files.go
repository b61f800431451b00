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
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// Reader reads the values of -f: a file, a folder, a glob, an http(s) URL, or -
// for standard input.
type Reader struct {
	Stdin     io.Reader    // nil if it is a terminal
	Client    *http.Client // fetches URLs; nil means a client with a timeout
	Recursive bool         // include subfolders

	stdinRead bool
}

// Input is the content of one file.
type Input struct {
	Name  string // for messages
	Data  []byte
	Stdin bool
}

// Inputs yields every file that a value of -f names, in order. A file that
// cannot be read is yielded as a *problem.Error; the others follow.
func (r *Reader) Inputs(ctx context.Context, name string) iter.Seq2[Input, error] {
	return func(yield func(Input, error) bool) {
		switch {
		case name == "-":
			yield(r.stdin())
		case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
			data, err := r.fetch(ctx, name)
			yield(Input{Name: name, Data: data}, err)
		case strings.Contains(name, "://"):
			yield(Input{}, problem.New("download it and use -f FILE", "-f %s: only http and https URLs are followed", name))
		default:
			r.path(name, yield)
		}
	}
}

func (r *Reader) stdin() (Input, error) {
	if r.stdinRead {
		return Input{}, problem.New("give -f - once", "standard input cannot be read twice")
	}
	r.stdinRead = true
	if r.Stdin == nil {
		return Input{}, problem.New("kubectl apply -f app.yaml -o yaml | kstatus-tui -f -", "-f -: standard input is a terminal")
	}
	data, err := readBounded(r.Stdin)
	if err != nil {
		err = problem.New("write it to a file and use -f FILE", "cannot read standard input: %w", err)
	}
	return Input{Name: "standard input", Data: data, Stdin: true}, err
}

// path reads a file, the manifests of a folder, or the matches of a glob. It
// returns false if the consumer has stopped.
func (r *Reader) path(name string, yield func(Input, error) bool) bool {
	const hint = "check the path given with -f"
	info, err := os.Stat(name)
	if err != nil {
		if found, _ := filepath.Glob(name); len(found) > 0 && strings.ContainsAny(name, "*?[") {
			for _, f := range found {
				if !r.path(f, yield) {
					return false
				}
			}
			return true
		}
		return yield(Input{}, problem.New(hint, "cannot read %s: %w", name, cause(err)))
	}
	if !info.IsDir() {
		return yield(readFile(name))
	}
	files, below, err := manifestFiles(name, r.Recursive)
	switch {
	case err != nil:
		return yield(Input{}, problem.New(hint, "cannot read %s: %w", name, cause(err)))
	case len(files) == 0 && below:
		return yield(Input{}, problem.New("add -R to read the folders below it", "no .yaml, .yml or .json file directly in %s", name))
	case len(files) == 0:
		return yield(Input{}, problem.New(hint, "no .yaml, .yml or .json file in %s", name))
	}
	for _, f := range files {
		if !isKustomization(f) && !yield(readFile(f)) {
			return false
		}
	}
	return true
}

func readFile(name string) (Input, error) {
	f, err := os.Open(name)
	if err != nil {
		return Input{}, problem.New("check the path given with -f", "cannot read %s: %w", name, cause(err))
	}
	defer f.Close()
	data, err := readBounded(f)
	if err != nil {
		err = problem.New("check the path given with -f", "cannot read %s: %w", name, cause(err))
	}
	return Input{Name: name, Data: data}, err
}

// manifestFiles lists the manifests of a folder by name, as kubectl does; below
// reports subfolders that were not entered.
func manifestFiles(dir string, recursive bool) (files []string, below bool, err error) {
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p == dir || recursive {
				return nil
			}
			below = true
			return filepath.SkipDir
		}
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(p)) {
			files = append(files, p)
		}
		return nil
	})
	return files, below, err
}

// isKustomization tells kustomize's own configuration, which is never applied,
// from a manifest with the same file name.
func isKustomization(path string) bool {
	if base := filepath.Base(path); base != "kustomization.yaml" && base != "kustomization.yml" {
		return false
	}
	data, err := os.ReadFile(path)
	var head struct{ APIVersion, Kind string }
	return err == nil && len(data) < maxKustomization && yaml.Unmarshal(data, &head) == nil &&
		(head.Kind == "" && head.APIVersion == "" || strings.HasPrefix(head.APIVersion, "kustomize.config.k8s.io/"))
}

// maxKustomization bounds the files that isKustomization reads.
const maxKustomization = 1 << 20

// cause is a file error without the path, which the message already names.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// readBounded reads text. A byte order mark tells UTF-16, as PowerShell writes
// it.
func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("it is larger than %d MB", maxInput>>20)
	}
	if err == nil && len(data) > 0 && data[0] >= 0xef {
		data, _, err = transform.Bytes(unicode.BOMOverride(unicode.UTF8.NewDecoder()), data)
	}
	return data, err
}

func (r *Reader) fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, urlTimeout)
	defer cancel()
	client := r.Client
	if client == nil {
		client = &http.Client{}
	}
	hint := "check the URL given with -f"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, problem.New(hint, "cannot fetch %s: not a URL", address)
	}
	resp, err := client.Do(req)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err
		}
		return nil, problem.New(hint, "cannot fetch %s: %w", address, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, problem.New(hint, "cannot fetch %s: the server answered %s", address, resp.Status)
	}
	data, err := readBounded(resp.Body)
	if err != nil {
		return nil, problem.New(hint, "cannot fetch %s: %w", address, err)
	}
	return data, nil
}
