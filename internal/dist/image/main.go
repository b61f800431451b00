// Command image makes the container image of a release: the Linux binaries that
// GoReleaser left in dist/, each on nothing but a user that is not root, a place
// for temporary files and the certificate authorities, as an index for all
// platforms. It writes an OCI layout, and pushes it where -push names a repository.
//
// GoReleaser's own image builders take a base from a registry or need a Docker
// daemon; this needs neither.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user of the distroless images.
const nobody = "65532:65532"

// An artifact is an entry of dist/artifacts.json.
type artifact struct {
	Path, Goos, Goarch, Type string
}

func main() {
	dist := flag.String("dist", "dist", "what GoReleaser made")
	push := flag.String("push", "", "repositories to push to, separated by commas, each with its tag: ghcr.io/owner/name:v1.2.3")
	flag.Parse()
	if err := run(*dist, *push); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(dist, push string) error {
	var made struct{ Version string }
	if err := readJSON(filepath.Join(dist, "metadata.json"), &made); err != nil {
		return err
	}
	version := "v" + made.Version
	binaries, err := linuxBinaries(dist)
	if err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range binaries {
		img, err := image(filepath.Join(dist, "..", b.Path), b.Goarch, version)
		if err != nil {
			return fmt.Errorf("%s: %w", b.Path, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: b.Goarch}},
		})
	}
	path, err := layout.Write(filepath.Join(dist, "image"), empty.Index)
	if err != nil {
		return err
	}
	if err := path.ReplaceIndex(index, func(v1.Descriptor) bool { return true }, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version})); err != nil {
		return err
	}
	for repository := range strings.SplitSeq(push, ",") {
		if repository == "" {
			continue
		}
		ref, err := name.ParseReference(repository)
		if err != nil {
			return err
		}
		if err := remote.WriteIndex(ref, index, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return fmt.Errorf("push to %s: %w", ref, err)
		}
	}
	return nil
}

func linuxBinaries(dist string) (out []artifact, err error) {
	var all []artifact
	if err := readJSON(filepath.Join(dist, "artifacts.json"), &all); err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.Type == "Binary" && a.Goos == "linux" {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no binary for Linux: run make dist", dist)
	}
	return out, nil
}

func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: run make dist first", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func image(binary, arch, version string) (v1.Image, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return nil, err
	}
	made := info.ModTime().UTC() // the commit's time: the same commit gives the same image
	var authorities bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // a PEM file cannot express the constraint
			if err := pem.Encode(&authorities, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
				return nil, err
			}
		}
	}
	system, err := layer(made,
		entry{"etc/passwd", 0o644, []byte("root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n")},
		entry{"etc/ssl/certs/ca-certificates.crt", 0o644, authorities.Bytes()},
		entry{"tmp/", 0o1777, nil},
		entry{"home/nonroot/", 0o755, nil})
	if err != nil {
		return nil, err
	}
	own, err := layer(made, entry{"usr/bin/kstatus-tui", 0o755, program})
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if img, err = mutate.AppendLayers(img, system, own); err != nil {
		return nil, err
	}
	config := &v1.ConfigFile{
		OS: "linux", Architecture: arch, Created: v1.Time{Time: made},
		Config: v1.Config{
			User: nobody, WorkingDir: "/home/nonroot",
			Entrypoint: []string{"/usr/bin/kstatus-tui"},
			Env:        []string{"PATH=/usr/bin", "HOME=/home/nonroot", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
			Labels: map[string]string{
				"org.opencontainers.image.title":    "kstatus-tui",
				"org.opencontainers.image.version":  version,
				"org.opencontainers.image.source":   "https://github.com/kstatus-tui/kstatus-tui",
				"org.opencontainers.image.licenses": "Apache-2.0",
			},
		},
	}
	before, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config.RootFS, config.History = before.RootFS, before.History
	return mutate.ConfigFile(img, config)
}

type entry struct {
	path string // a folder's ends with a slash
	mode int64
	data []byte
}

func layer(made time.Time, entries ...entry) (v1.Layer, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		h := &tar.Header{Name: e.path, Mode: e.mode, Size: int64(len(e.data)), ModTime: made, Typeflag: tar.TypeReg}
		if strings.HasSuffix(e.path, "/") {
			h.Typeflag = tar.TypeDir
		}
		if strings.HasPrefix(e.path, "home/") {
			h.Uid, h.Gid = 65532, 65532
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
}
