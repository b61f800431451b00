package controllers

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Server serves git repositories (smart HTTP, by git http-backend) and a repository
// of charts on loopback.
type Server struct {
	URL string // http://127.0.0.1:PORT
	dir string

	mu     sync.Mutex
	charts map[string][]byte // archives by file name
	index  strings.Builder   // of the charts, without its head
}

// Serve starts a server on a folder that must exist. It runs until the process ends.
func Serve(dir string) (*Server, error) {
	backend, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return nil, fmt.Errorf("find git: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + listener.Addr().String(), dir: dir, charts: map[string][]byte{}}
	mux := http.NewServeMux()
	mux.Handle("/git/", &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(backend)), "git-http-backend"), Root: "/git",
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Join(dir, "git"), "GIT_HTTP_EXPORT_ALL=1"},
	})
	mux.HandleFunc("/charts/{file}", s.chart)
	go func() { _ = http.Serve(listener, mux) }()
	return s, nil
}

func (s *Server) chart(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.PathValue("file") == "index.yaml" {
		fmt.Fprint(w, "apiVersion: v1\nentries:\n"+s.index.String())
		return
	}
	archive, ok := s.charts[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(archive)
}

// AddChart adds a chart of one version and one template. Names are not used twice.
func (s *Server) AddChart(name, version, template string) error {
	var archive bytes.Buffer
	zip := gzip.NewWriter(&archive)
	files := tar.NewWriter(zip)
	for path, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n", "templates/all.yaml": template,
	} {
		if err := files.WriteHeader(
			&tar.Header{Name: name + "/" + path, Mode: 0o644, Size: int64(len(text))}); err != nil {
			return err
		}
		if _, err := files.Write([]byte(text)); err != nil {
			return err
		}
	}
	if err := files.Close(); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	file := name + "-" + version + ".tgz"
	s.mu.Lock()
	defer s.mu.Unlock()
	s.charts[file] = archive.Bytes()
	fmt.Fprintf(&s.index, "  %s:\n  - {apiVersion: v2, name: %s, version: %s, urls: [%s], digest: %x}\n",
		name, name, version, file, sha256.Sum256(archive.Bytes()))
	return nil
}

// Repo is a git repository of the server, with a work tree.
type Repo struct{ URL, tree string }

// Repository makes an empty repository.
func (s *Server) Repository(name string) (*Repo, error) {
	bare, tree := filepath.Join(s.dir, "git", name+".git"), filepath.Join(s.dir, "tree", name)
	r := &Repo{URL: s.URL + "/git/" + name + ".git", tree: tree}
	if err := os.MkdirAll(tree, 0o755); err != nil {
		return nil, err
	}
	if _, err := r.git("init", "-q", "--bare", "-b", "main", bare); err != nil {
		return nil, err
	}
	if _, err := r.git("init", "-q", "-b", "main"); err != nil {
		return nil, err
	}
	_, err := r.git("remote", "add", "origin", bare)
	return r, err
}

// Push makes these the only files of branch main, and returns the commit.
func (r *Repo) Push(files map[string]string) (string, error) {
	if _, err := r.git("rm", "-rqf", "--ignore-unmatch", "."); err != nil {
		return "", err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(r.tree, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{
		{"add", "-A"},
		{"commit", "-qm", "change", "--allow-empty"},
		{"push", "-q", "origin", "main"},
	} {
		if _, err := r.git(args...); err != nil {
			return "", err
		}
	}
	return r.git("rev-parse", "HEAD")
}

func (r *Repo) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=e2e", "-c", "user.email=e2e@localhost"}, args...)...)
	cmd.Dir = r.tree
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
