package dump

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// file is one file of a dump, open to be read once.
type file struct {
	path    string // with slashes, below what the user named
	content *bufio.Reader
	// again opens it once more, from the beginning; nil if that would mean to
	// decompress everything before it.
	again func() (io.ReadCloser, error)
}

// source reads the files of a dump.
type source struct {
	ctx   context.Context
	visit func(file)
	left  *omissions
	files atomic.Int64
	bytes atomic.Int64

	maxFiles, maxBytes int64

	readers sync.Pool // *bufio.Reader: an archive may have a million files
}

var (
	errFiles = fmt.Errorf("more than %d files", maxFiles)
	errBytes = fmt.Errorf("more than %d GB, decompressed", maxBytes>>30)
)

// counted counts what is read of a file, and ends it when reading is over.
type counted struct {
	io.Reader
	s *source
}

func (c counted) Read(b []byte) (int, error) {
	if err := c.s.ctx.Err(); err != nil {
		return 0, err
	}
	if c.s.bytes.Load() > c.s.maxBytes {
		return 0, errBytes
	}
	n, err := c.Reader.Read(b[:min(len(b), 1<<20)])
	c.s.bytes.Add(int64(n))
	return n, err
}

// next counts a file, and reports why no more are read.
func (s *source) next() error {
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case s.files.Add(1) > s.maxFiles:
		return errFiles
	case s.bytes.Load() > s.maxBytes:
		return errBytes
	}
	return nil
}

// ends reports whether an error ends everything, not one file.
func ends(err error) bool {
	return errors.Is(err, errFiles) || errors.Is(err, errBytes) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}

// named reads what the user named: a folder, a file or an archive.
func (s *source) named(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return s.open(filepath.ToSlash(filepath.Base(name)), func() (io.ReadCloser, error) { return os.Open(name) }, 0)
	}
	root, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	// The folder's own name may be a namespace's.
	above := filepath.Dir(root)
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		at, e := filepath.Rel(above, p)
		if e != nil {
			return e
		}
		at = filepath.ToSlash(at)
		switch {
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case err != nil:
			s.left.add("cannot be read: "+reason(err), at)
			return nil
		case d.IsDir() && strings.Count(at, "/") >= maxDepth:
			s.left.add(fmt.Sprintf("more than %d directories deep", maxDepth), at)
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			if to, err := os.Readlink(p); err != nil || outside(at, filepath.ToSlash(to)) {
				s.left.add("a link out of the directory is not followed", at)
			}
			return nil // what it points to is read where it is
		case !d.Type().IsRegular():
			s.left.add("not a regular file", at)
			return nil
		}
		return s.open(at, func() (io.ReadCloser, error) { return os.Open(p) }, 0)
	})
}

// outside reports whether a link leads out of the folder that it is in.
func outside(at, to string) bool {
	if path.IsAbs(to) {
		return true
	}
	first, _, _ := strings.Cut(at, "/")
	to = path.Join(path.Dir(at), to)
	return to != first && !strings.HasPrefix(to, first+"/")
}

// reason is a file error without the path, which the message has already.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// open reads a file that can be opened again. What is wrong with it is left out;
// the error is one that ends everything.
func (s *source) open(at string, open func() (io.ReadCloser, error), depth int) error {
	if err := s.next(); err != nil {
		return err
	}
	f, err := open()
	if err != nil {
		s.left.add("cannot be read: "+reason(err), at)
		return nil
	}
	defer f.Close()
	if of, ok := f.(*os.File); ok {
		if zipped, err := s.zip(at, of, depth); zipped {
			return err
		}
	}
	return s.read(at, f, open, depth)
}

// read reads a file's content, which may be an archive by its first bytes.
func (s *source) read(at string, r io.Reader, again func() (io.ReadCloser, error), depth int) error {
	content, _ := s.readers.Get().(*bufio.Reader)
	if content == nil {
		content = bufio.NewReaderSize(nil, 64<<10)
	}
	content.Reset(counted{r, s})
	defer s.readers.Put(content) // nobody reads it after visit
	head, err := content.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return s.damaged(at, err)
	}
	kind := unread(head)
	switch {
	case kind != "":
		s.left.add(kind+" is not read; unpack it", at)
		return nil
	case bytes.HasPrefix(head, []byte("BZh")) && depth < 2*maxArchive:
		return s.read(strings.TrimSuffix(at, ".bz2"), bzip2.NewReader(content), nil, depth+1)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}) && depth < 2*maxArchive:
		z, err := gzip.NewReader(content)
		if err != nil {
			return s.damaged(at, err)
		}
		at = strings.TrimSuffix(strings.TrimSuffix(at, ".gz"), ".tgz")
		return s.read(at, z, nil, depth+1)
	case len(head) > 262 && string(head[257:262]) == "ustar" && depth < 2*maxArchive:
		return s.tar(at, content, depth+1)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		s.left.add("a zip archive within another archive, or from a pipe; unpack it", at)
		return nil
	}
	if hasMark(head) {
		content = decoded(content)
		if open := again; open != nil {
			again = func() (io.ReadCloser, error) {
				f, err := open()
				if err != nil {
					return nil, err
				}
				return struct {
					io.Reader
					io.Closer
				}{decoded(f), f}, nil
			}
		}
	}
	s.visit(file{path: at, content: content, again: again})
	if s.bytes.Load() > s.maxBytes {
		return errBytes
	}
	return s.ctx.Err()
}

// unread names a compression or archive that is not read, by a file's first bytes.
func unread(head []byte) string {
	for start, kind := range map[string]string{
		"\xfd7zXZ\x00":       "an .xz file",
		"\x28\xb5\x2f\xfd":   "a .zst file",
		"7z\xbc\xaf\x27\x1c": "a .7z archive",
		"Rar!\x1a":           "a .rar archive",
		"\x04\x22\x4d\x18":   "an .lz4 file",
	} {
		if bytes.HasPrefix(head, []byte(start)) {
			return kind
		}
	}
	return ""
}

// damaged leaves out the rest of a file that cannot be read.
func (s *source) damaged(at string, err error) error {
	if ends(err) {
		return err
	}
	s.left.add("the rest is left out: "+reason(err), at)
	return nil
}

// tar reads an archive from its beginning to its end, or to where it is damaged.
func (s *source) tar(at string, r io.Reader, depth int) error {
	at = strings.TrimSuffix(at, ".tar")
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF): // a compressed archive's checksum comes after it
			if _, err := io.Copy(io.Discard, r); err != nil {
				return s.damaged(at, err)
			}
			return nil
		case err != nil:
			return s.damaged(at, err)
		}
		if err := s.next(); err != nil {
			return err
		}
		p, ok := within(h.Name)
		switch {
		case h.Typeflag == tar.TypeDir:
		case !ok:
			s.left.add("a path that leads out of the archive", at+": "+h.Name)
		case h.Typeflag == tar.TypeSymlink || h.Typeflag == tar.TypeLink:
			if path.IsAbs(h.Linkname) {
				s.left.add("a link out of the directory is not followed", at+"/"+p)
			}
		case h.Typeflag != tar.TypeReg:
			s.left.add("not a regular file", at+"/"+p)
		default:
			if err := s.read(at+"/"+p, t, nil, depth); err != nil {
				return err
			}
		}
	}
}

// zip reads a zip archive, if a file is one.
func (s *source) zip(at string, f *os.File, depth int) (is bool, err error) {
	var head [4]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:]) != "PK\x03\x04" {
		return false, nil
	}
	info, err := f.Stat()
	if err != nil {
		return true, s.damaged(at, err)
	}
	if n := directorySize(f, info.Size()); n > maxDirectory {
		s.left.add("a zip archive of too many files; unpack it", at)
		return true, nil
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return true, s.damaged(at, err)
	}
	at = strings.TrimSuffix(at, ".zip")
	for _, f := range z.File {
		if err := s.next(); err != nil {
			return true, err
		}
		p, ok := within(f.Name)
		switch {
		case f.FileInfo().IsDir():
		case !ok:
			s.left.add("a path that leads out of the archive", at+": "+f.Name)
		case f.Mode()&fs.ModeSymlink != 0:
		case !f.Mode().IsRegular():
			s.left.add("not a regular file", at+"/"+p)
		default:
			content, err := f.Open()
			if err == nil {
				err = s.read(at+"/"+p, content, nil, depth+1)
				_ = content.Close()
			} else {
				err = s.damaged(at+"/"+p, err)
			}
			if err != nil {
				return true, err
			}
		}
	}
	return true, nil
}

// maxDirectory bounds the list of files at the end of a zip archive, which is read as a
// whole and takes five times as much memory.
const maxDirectory = 32 << 20

// directorySize is what a zip archive says of the size of that list, at its end.
func directorySize(f io.ReaderAt, size int64) int64 {
	end := make([]byte, min(size, 64<<10))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return 0
	}
	i := bytes.LastIndex(end, []byte("PK\x05\x06"))
	if i < 0 || i+16 > len(end) {
		return 0
	}
	return int64(binary.LittleEndian.Uint32(end[i+12:]))
}

// within cleans the path of an archive's entry. One that leads out of the archive
// is no path of a dump.
func within(name string) (string, bool) {
	name = strings.ReplaceAll(name, `\`, "/")
	p := path.Clean(name)
	return p, p != "." && p != ".." && !path.IsAbs(p) && !strings.HasPrefix(p, "../") &&
		strings.Count(p, "/") < maxDepth
}
