//go:build linux

package dist

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"sigs.k8s.io/yaml"
)

var distFlag = flag.String("dist", "", "what make dist made")

// dist is the folder with a release, or the test ends.
func dist(t *testing.T) string {
	t.Helper()
	if *distFlag == "" {
		t.Skip("make dist dist-test runs it")
	}
	return *distFlag
}

func version(t *testing.T) string {
	t.Helper()
	var m struct{ Version string }
	if err := json.Unmarshal(read(t, filepath.Join(dist(t), "metadata.json")), &m); err != nil {
		t.Fatal(err)
	}
	return m.Version
}

// needs is a program that this test cannot do without.
func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
	return path
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// run runs a program and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// saysItsVersion runs an installed program.
func saysItsVersion(t *testing.T, program string) {
	t.Helper()
	if out, want := run(t, program, "version"), "kstatus-tui v"+version(t)+" "; !strings.HasPrefix(out, want) {
		t.Errorf("%s says %q, want it to begin with %q", program, out, want)
	}
}

// contents are the files of an archive, by name.
func contents(t *testing.T, file string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	data := read(t, file)
	if strings.HasSuffix(file, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if files[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	gz, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	untar(t, gz, func(h *tar.Header, data []byte) { files[h.Name] = data })
	return files
}

func untar(t *testing.T, r io.Reader, file func(*tar.Header, []byte)) {
	t.Helper()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		file(h, data)
	}
}

func archive(t *testing.T, goos, goarch string) string {
	t.Helper()
	suffix := ".tar.gz"
	if goos == "windows" {
		suffix = ".zip"
	}
	return filepath.Join(dist(t), fmt.Sprintf("kstatus-tui_%s_%s_%s%s", version(t), goos, goarch, suffix))
}

func TestEveryArchiveHasTheProgramItsPagesAndItsLicence(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, goarch := range []string{"amd64", "arm64"} {
			files := contents(t, archive(t, goos, goarch))
			program := "kstatus-tui"
			if goos == "windows" {
				program += ".exe"
			}
			for _, name := range []string{
				program, "LICENSE", "README.md", "CHANGELOG.md", "man/kstatus-tui.1", "man/kstatus-tui-wait.1",
				"completions/kstatus-tui.bash", "completions/_kstatus-tui", "completions/kstatus-tui.fish",
				"completions/kstatus-tui.ps1", "completions/kubectl_complete-kstatus_tui",
			} {
				if len(files[name]) == 0 {
					t.Errorf("%s/%s: %s is missing or empty", goos, goarch, name)
				}
			}
		}
	}
}

func TestTheChecksumsAreThoseOfTheFiles(t *testing.T) {
	lines := strings.Fields(string(read(t, filepath.Join(dist(t), "checksums.txt"))))
	if len(lines) < 2*10 { // six archives, two debs, two rpms
		t.Errorf("%d checksums, want at least 10", len(lines)/2)
	}
	for pair := range slices.Chunk(lines, 2) {
		if got := sum(read(t, filepath.Join(dist(t), pair[1]))); got != pair[0] {
			t.Errorf("%s has %s, checksums.txt says %s", pair[1], got, pair[0])
		}
	}
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// As krew's installer does: the archive of the platform, its checksum, the files,
// and a link by which kubectl finds the plugin.
func TestKrewInstallsThePlugin(t *testing.T) {
	var manifest struct {
		Metadata struct{ Name string }
		Spec     struct {
			Version   string
			Platforms []struct {
				Selector struct {
					MatchLabels map[string]string
				}
				URI, Sha256, Bin string
			}
		}
	}
	if err := yaml.Unmarshal(read(t, filepath.Join(dist(t), "krew", "kstatus-tui.yaml")), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Metadata.Name != "kstatus-tui" || manifest.Spec.Version != "v"+version(t) || len(manifest.Spec.Platforms) != 6 {
		t.Errorf("%s %s with %d platforms", manifest.Metadata.Name, manifest.Spec.Version, len(manifest.Spec.Platforms))
	}
	installed := false
	for _, p := range manifest.Spec.Platforms {
		file := filepath.Join(dist(t), filepath.Base(p.URI))
		if got := sum(read(t, file)); got != p.Sha256 {
			t.Errorf("%s has %s, the manifest says %s", file, got, p.Sha256)
		}
		program := contents(t, file)[p.Bin]
		if len(program) == 0 {
			t.Errorf("%s has no %s", file, p.Bin)
		}
		if p.Selector.MatchLabels["os"] != runtime.GOOS || p.Selector.MatchLabels["arch"] != runtime.GOARCH {
			continue
		}
		installed = true
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, p.Bin), program, 0o755); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, "kubectl-"+strings.ReplaceAll(manifest.Metadata.Name, "-", "_"))
		if err := os.Symlink(filepath.Join(dir, p.Bin), link); err != nil {
			t.Fatal(err)
		}
		saysItsVersion(t, link)
	}
	if !installed {
		t.Errorf("no archive for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
}

func TestTheCaskAndTheScoopManifestNameTheArchives(t *testing.T) {
	sums := string(read(t, filepath.Join(dist(t), "checksums.txt")))
	for _, file := range []string{"homebrew/Casks/kstatus-tui.rb", "scoop/kstatus-tui.json"} {
		text := string(read(t, filepath.Join(dist(t), file)))
		found := regexp.MustCompile(`\b[0-9a-f]{64}\b`).FindAllString(text, -1)
		if len(found) < 2 {
			t.Errorf("%s has %d checksums", file, len(found))
		}
		for _, s := range found {
			if !strings.Contains(sums, s) {
				t.Errorf("%s has a checksum %s that no file has", file, s)
			}
		}
	}
}

func TestEveryBinaryHasItsBillOfMaterials(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(dist(t), "*.cdx.json"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%d SBOMs (%v), want 6", len(files), err)
	}
	for _, file := range files {
		var bom struct {
			Components []struct{ Name, Version string }
		}
		if err := json.Unmarshal(read(t, file), &bom); err != nil {
			t.Fatal(err)
		}
		for _, module := range []string{"k8s.io/client-go", "charm.land/bubbletea/v2"} {
			if !slices.ContainsFunc(bom.Components, func(c struct{ Name, Version string }) bool { return c.Name == module && c.Version != "" }) {
				t.Errorf("%s does not name %s", file, module)
			}
		}
	}
}

// packages finds the one package of this machine with a suffix.
func packages(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dist(t), pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %q (%v), want one", pattern, files, err)
	}
	return files[0]
}

func TestTheDebIsInstalledIntoACleanRoot(t *testing.T) {
	file := packages(t, "*_"+runtime.GOARCH+".deb")
	needs(t, "dpkg")
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, "dpkg", "--root="+root, "--force-not-root", "--install", file)
	isInstalled(t, root)
	if owner := run(t, "dpkg", "--root="+root, "--search", "/usr/bin/kubectl-kstatus_tui"); !strings.HasPrefix(owner, "kstatus-tui:") {
		t.Errorf("the link is of %q", owner)
	}
	run(t, "dpkg", "--root="+root, "--force-not-root", "--purge", "kstatus-tui")
	if _, err := os.Lstat(filepath.Join(root, "usr/bin/kstatus-tui")); err == nil {
		t.Error("it is still there after it was purged")
	}
}

func TestTheRpmIsInstalledIntoACleanRoot(t *testing.T) {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	file := packages(t, "*."+arch+".rpm")
	needs(t, "rpm")
	root := t.TempDir()
	run(t, "rpm", "--root", root, "--initdb")
	run(t, "rpm", "--root", root, "--nodeps", "--ignorearch", "--install", file)
	isInstalled(t, root)
}

// isInstalled looks at what a package has put below a root, and uses it.
func isInstalled(t *testing.T, root string) {
	t.Helper()
	saysItsVersion(t, filepath.Join(root, "usr/bin/kstatus-tui"))
	if to, err := os.Readlink(filepath.Join(root, "usr/bin/kubectl-kstatus_tui")); err != nil || !strings.HasSuffix(to, "kstatus-tui") {
		t.Errorf("kubectl-kstatus_tui leads to %q: %v", to, err)
	}
	for _, file := range []string{
		"usr/share/bash-completion/completions/kstatus-tui", "usr/share/zsh/site-functions/_kstatus-tui",
		"usr/share/fish/vendor_completions.d/kstatus-tui.fish", "usr/bin/kubectl_complete-kstatus_tui",
	} {
		if info, err := os.Stat(filepath.Join(root, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	t.Run("man", func(t *testing.T) {
		needs(t, "man")
		for _, page := range []string{"kstatus-tui", "kstatus-tui-wait"} {
			text := run(t, "man", "-M", filepath.Join(root, "usr/share/man"), "-P", "cat", page)
			if !strings.Contains(text, "SYNOPSIS") || !strings.Contains(text, "--timeout") && page == "kstatus-tui-wait" {
				t.Errorf("man %s:\n%s", page, text)
			}
		}
	})
}

// Each shell reads its script and completes a command with the program itself.
func TestTheShellsComplete(t *testing.T) {
	dir := t.TempDir()
	for name, data := range contents(t, archive(t, runtime.GOOS, runtime.GOARCH)) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	scripts := filepath.Join(dir, "completions")
	for _, shell := range []struct{ name, script string }{
		{"bash", "source " + scripts + "/kstatus-tui.bash; COMP_WORDS=(kstatus-tui comple); COMP_CWORD=1; COMP_LINE='kstatus-tui comple'; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; " +
			"__start_kstatus-tui; printf '%s\\n' \"${COMPREPLY[@]}\""},
		{"zsh", "fpath=(" + scripts + " $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[kstatus-tui]; autoload -Uz +X _kstatus-tui; kstatus-tui __complete comple"},
		{"fish", "source " + scripts + "/kstatus-tui.fish; complete -C 'kstatus-tui comple'"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			needs(t, shell.name)
			flags := map[string][]string{"bash": {"--norc", "--noprofile"}, "zsh": {"-f"}, "fish": {"--no-config"}}[shell.name]
			out := run(t, shell.name, append(flags, "-c", shell.script)...)
			if !strings.Contains(out, "completion") || shell.name == "zsh" && !strings.Contains(out, "_kstatus-tui") {
				t.Errorf("it offers %q", out)
			}
		})
	}
	if out := run(t, filepath.Join(scripts, "..", "kstatus-tui"), "__complete", "comple"); !strings.Contains(out, "completion") {
		t.Errorf("the program offers %q", out)
	}
}

// The script that pipelines install with, from a release that lies in a folder.
func TestTheInstallerComparesTheChecksum(t *testing.T) {
	needs(t, "curl")
	releases, home := t.TempDir(), t.TempDir()
	tag := "v" + version(t)
	files := filepath.Join(releases, "download", tag)
	if err := os.MkdirAll(files, 0o755); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(archive(t, runtime.GOOS, runtime.GOARCH))
	for _, file := range []string{name, "checksums.txt"} {
		if err := os.WriteFile(filepath.Join(files, file), read(t, filepath.Join(dist(t), file)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("RELEASES", "file://"+releases)
	t.Setenv("VERSION", tag)
	t.Setenv("DIR", filepath.Join(home, "bin"))
	t.Setenv("GITHUB_PATH", filepath.Join(home, "path"))
	install := filepath.Join("..", "..", "action", "install.sh")
	run(t, "bash", install)
	saysItsVersion(t, filepath.Join(home, "bin", "kubectl-kstatus_tui"))
	if got := string(read(t, filepath.Join(home, "path"))); got != filepath.Join(home, "bin")+"\n" {
		t.Errorf("later steps find it in %q", got)
	}

	if err := os.WriteFile(filepath.Join(files, name), []byte("something else"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DIR", filepath.Join(home, "other"))
	out, err := exec.Command("bash", install).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "has the checksum") {
		t.Errorf("a changed archive: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(home, "other", "kstatus-tui")); err == nil {
		t.Error("a changed archive was installed")
	}
}

func TestTheImageRunsAsAnUnprivilegedUserWithoutABaseImage(t *testing.T) {
	path, err := layout.FromPath(filepath.Join(dist(t), "image"))
	if err != nil {
		t.Fatal(err)
	}
	outer, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	outside, err := outer.IndexManifest()
	if err != nil || len(outside.Manifests) != 1 {
		t.Fatalf("%v: %v, want the one index", outside, err)
	}
	index, err := outer.ImageIndex(outside.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	machines := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
	for _, m := range manifest.Manifests {
		machine := machines[m.Platform.Architecture]
		delete(machines, m.Platform.Architecture)
		img, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		checkImage(t, img, m.Platform.Architecture, machine)
	}
	if len(machines) > 0 {
		t.Errorf("no image for %v", machines)
	}
}

func checkImage(t *testing.T, img v1.Image, arch string, machine elf.Machine) {
	t.Helper()
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" || !slices.Equal(config.Config.Entrypoint, []string{"/usr/bin/kstatus-tui"}) || config.Architecture != arch {
		t.Errorf("%s: user %q, entrypoint %q, architecture %q", arch, config.Config.User, config.Config.Entrypoint, config.Architecture)
	}
	root := t.TempDir()
	untar(t, mutate.Extract(img), func(h *tar.Header, data []byte) {
		name := filepath.Join(root, h.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(name, 0o777)
		} else {
			err = os.WriteFile(name, data, h.FileInfo().Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if n := strings.Count(string(read(t, filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))), "BEGIN CERTIFICATE"); n < 100 {
		t.Errorf("%d certificate authorities", n)
	}
	program, err := elf.Open(filepath.Join(root, "usr/bin/kstatus-tui"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if libraries, err := program.ImportedLibraries(); program.Machine != machine || len(libraries) > 0 || err != nil {
		t.Errorf("%s: a program for %v with libraries %q (%v)", arch, program.Machine, libraries, err)
	}
	if arch != runtime.GOARCH || os.Getuid() != 0 {
		return
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/usr/bin/kstatus-tui", "version")
	cmd.Dir, cmd.Env = "/", config.Config.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), version(t)) {
		t.Errorf("in its image the program says %q: %v", out, err)
	}
}
