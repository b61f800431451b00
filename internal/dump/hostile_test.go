package dump

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const aPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u-web"}}`

type tarEntry struct {
	name, link, text string
	kind             byte
}

func tarOf(t *testing.T, entries ...tarEntry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		if e.kind == 0 {
			e.kind = tar.TypeReg
		}
		h := &tar.Header{Name: e.name, Linkname: e.link, Typeflag: e.kind, Mode: 0o644}
		if e.kind == tar.TypeReg {
			h.Size = int64(len(e.text))
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.text[:h.Size]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func save(t *testing.T, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestHostileArchivesWriteNothingOutside(t *testing.T) {
	const pods = "/api/v1/namespaces/shop/pods/web"
	hostile := tarOf(t,
		tarEntry{name: "mg/", kind: tar.TypeDir},
		tarEntry{name: "/etc/cron.d/x.json", text: strings.ReplaceAll(aPod, "web", "absolute")},
		tarEntry{name: "../../x.json", text: strings.ReplaceAll(aPod, "web", "above")},
		tarEntry{name: "mg/link.json", link: "/etc/passwd", kind: tar.TypeSymlink},
		tarEntry{name: "mg/hard.json", link: "/etc/passwd", kind: tar.TypeLink},
		tarEntry{name: "mg/fifo.json", kind: tar.TypeFifo},
		tarEntry{name: strings.Repeat("d/", maxDepth+1) + "x.json", text: strings.ReplaceAll(aPod, "web", "deep")},
		tarEntry{name: "mg/pod.json", text: aPod},
	)
	deep := strings.Repeat(`{"a":`, 200_000)
	for name, x := range map[string]struct {
		data []byte
		left string // what a line about what was left out contains; "" for nothing
	}{
		"plain.tar":                     {tarOf(t, tarEntry{name: "mg/pod.json", text: aPod}), ""},
		"compressed.tar.gz":             {gzipped(t, tarOf(t, tarEntry{name: "mg/pod.json", text: aPod})), ""},
		"a.zip":                         {zipOf(t, map[string]string{"mg/pod.json": aPod}), ""},
		"zip with a path out of it.zip": {zipOf(t, map[string]string{"mg/pod.json": aPod, "../x.json": aPod}), "leads out of the archive"},
		"pod.json.gz":                   {gzipped(t, []byte(aPod)), ""},
		"archive in an archive.tar":     {tarOf(t, tarEntry{name: "mg/inner.tar.gz", text: string(gzipped(t, tarOf(t, tarEntry{name: "pod.json", text: aPod})))}), ""},
		"paths and links.tar":           {hostile, "leads out of the archive"},
		"cut.tar":                       {tarOf(t, tarEntry{name: "mg/pod.json", text: aPod}, tarEntry{name: "mg/b.json", text: strings.Repeat(aPod, 1000)})[:4096], "the rest is left out"},
		"cut.tar.gz":                    {gzipped(t, append(tarOf(t, tarEntry{name: "mg/pod.json", text: aPod}, tarEntry{name: "n", text: random(1 << 20)}), 1))[:1<<19], "the rest is left out"},
		"deep JSON.tar":                 {tarOf(t, tarEntry{name: "a.json", text: deep}, tarEntry{name: "pod.json", text: aPod}), "the rest is left out"},
		"deep YAML.tar":                 {tarOf(t, tarEntry{name: "a.yaml", text: "kind: " + strings.Repeat("[", 200_000)}, tarEntry{name: "pod.json", text: aPod}), "broken YAML"},
		"aliases.tar":                   {tarOf(t, tarEntry{name: "a.yaml", text: laughs()}, tarEntry{name: "pod.json", text: aPod}), "broken YAML"},
		"an anchor of another item.tar": {
			tarOf(t,
				tarEntry{name: "a.yaml", text: "apiVersion: v1\nkind: List\nitems:\n- {kind: Pod, metadata: {name: a, labels: &l {app: a}}}\n- {kind: Pod, metadata: {name: b, labels: *l}}\n"},
				tarEntry{name: "pod.json", text: aPod}),
			"refers to a YAML anchor of another one",
		},
		"an object of 17 MB.tar":             {tarOf(t, tarEntry{name: "a.json", text: `{"kind":"X","a":"` + strings.Repeat("x", 17<<20) + `"}`}, tarEntry{name: "pod.json", text: aPod}), "larger than 16 MB"},
		"an object of 17 MB in YAML.tar":     {tarOf(t, tarEntry{name: "a.yaml", text: "kind: X\na: |\n" + strings.Repeat("  x\n", 5<<20)}, tarEntry{name: "pod.json", text: aPod}), "larger than 16 MB"},
		"a line of 40 MB.tar":                {tarOf(t, tarEntry{name: "a.yaml", text: "kind: X\na: " + strings.Repeat("x", 40<<20)}, tarEntry{name: "pod.json", text: aPod}), "larger than 16 MB"},
		"nothing but zeros beside a Pod.tgz": {gzipped(t, tarOf(t, tarEntry{name: "zeros.json", text: strings.Repeat("\x00", 32<<20)}, tarEntry{name: "pod.json", text: aPod})), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := read(t, save(t, name, x.data))
			if code, text := ask(t, s, pods); code != 200 {
				t.Errorf("the Pod is not there: %d %s; left out %q", code, text, s.LeftOut)
			}
			if left := strings.Join(s.LeftOut, "\n"); !strings.Contains(left, x.left) || (x.left == "") != (left == "") {
				t.Errorf("left out: %q", left)
			}
			for _, name := range []string{"absolute", "above", "deep"} {
				if code, text := ask(t, s, strings.ReplaceAll(pods, "web", name)); code == 200 {
					t.Errorf("%s was read: %s", name, text)
				}
			}
		})
	}
}

// random is text that cannot be compressed much.
func random(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return string(b)
}

// laughs is a document that grows a thousand million times where aliases are expanded.
func laughs() string {
	var b strings.Builder
	b.WriteString("kind: X\na0: &a0 [lol]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	return b.String()
}

func TestALinkOutOfAFolderIsNotFollowed(t *testing.T) {
	dir := tree(t, map[string]string{"pod.json": aPod, "again/x.txt": "x"})
	outside := save(t, "outside.json", []byte(strings.ReplaceAll(aPod, "web", "outside")))
	for name, to := range map[string]string{"out.json": outside, "up.json": "../../../../etc/passwd", "again/in.json": "../pod.json"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := read(t, dir)
	if code, _ := ask(t, s, "/api/v1/namespaces/shop/pods/outside"); code == 200 {
		t.Error("a link was followed")
	}
	if left := strings.Join(s.LeftOut, "\n"); !strings.Contains(left, "a link out of the directory is not followed") ||
		!strings.Contains(left, "and 1 more") {
		t.Errorf("left out: %q", left)
	}
}

// endless is a source of a stream that never ends, of which it counts what was read.
type endless struct {
	piece []byte
	read  int
	stop  func(read int)
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.piece[e.read%len(e.piece):])
	e.read += n
	e.stop(e.read)
	return n, nil
}

func TestReadingEndsWithItsContext(t *testing.T) {
	for name, piece := range map[string]string{"JSON lines": aPod + "\n", "YAML": "kind: X\n---\n", "no end of a line": "kind: x"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		in := &endless{piece: []byte(piece), stop: func(read int) {
			if read > 8<<20 {
				cancel()
			}
		}}
		if _, err := Read(ctx, []string{"-"}, in, now); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if in.read > 12<<20 {
			t.Errorf("%s: %d MB were read", name, in.read>>20)
		}
	}
}

func TestLimitsOfFilesAndBytes(t *testing.T) {
	var entries []tarEntry
	for i := range 100 {
		entries = append(entries, tarEntry{name: fmt.Sprintf("%d.json", i), text: aPod})
	}
	archive := tarOf(t, entries...)
	for name, x := range map[string]struct {
		files, bytes int64
		want         error
		seen         int
	}{"files": {10, 1 << 30, errFiles, 9}, "bytes": {1000, 10 << 10, errBytes, 0}} {
		seen := 0
		s := &source{ctx: t.Context(), left: &omissions{}, visit: func(file) { seen++ }, maxFiles: x.files, maxBytes: x.bytes}
		if err := s.named(save(t, "a.tar", archive)); !errors.Is(err, x.want) || x.seen > 0 && seen != x.seen || seen >= 100 {
			t.Errorf("%s: %v after %d files", name, err, seen)
		}
	}
}

func TestReadingAnyFileTakesBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 90 MB")
	}
	// 300 logs of 300 KB each, and a Pod.
	pr, pw := io.Pipe()
	go func() {
		z := gzip.NewWriter(pw)
		w := tar.NewWriter(z)
		text := bytes.Repeat([]byte("2026-11-20T14:00:00Z a line of a log\n"), 8_000)
		for i := range 300 {
			_ = w.WriteHeader(&tar.Header{Name: fmt.Sprintf("mg/namespaces/shop/pods/p%d/app/app/logs/current.log", i), Size: int64(len(text)), Mode: 0o644})
			_, _ = w.Write(text)
		}
		_ = w.WriteHeader(&tar.Header{Name: "mg/pod.json", Size: int64(len(aPod)), Mode: 0o644})
		_, _ = io.WriteString(w, aPod)
		_ = w.Close()
		_ = z.Close()
		_ = pw.Close()
	}()
	s, err := Read(t.Context(), []string{"-"}, pr, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(s.LeftOut, "\n"), "logs beyond") {
		t.Errorf("left out: %q", s.LeftOut)
	}
	var m runtime.MemStats
	runtime.GC()
	if runtime.ReadMemStats(&m); m.HeapAlloc > 128<<20 {
		t.Errorf("%d MB are kept", m.HeapAlloc>>20)
	}
	runtime.KeepAlive(s)
}

// repeating repeats a piece, and notes the most memory that is in use meanwhile.
type repeating struct {
	piece []byte
	left  int64
	since int64 // bytes since memory was looked at
	peak  *uint64
}

func (r *repeating) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(int64(len(b)), r.left)], r.piece)
	r.left -= int64(n)
	if r.since += int64(n); r.since > 32<<20 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		r.since, *r.peak = 0, max(*r.peak, m.HeapAlloc)
	}
	return n, nil
}

// tarHead is the head of an entry, whose content follows.
func tarHead(t *testing.T, name string, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644, Format: tar.FormatGNU}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is enormous is read as a stream: memory stays bounded, what comes before it is there,
// what comes after it, too, unless a limit is exceeded, and a line says what was left out.
func TestEnormousArchivesAreReadWithBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 4 GB")
	}
	const gigabyte = int64(1) << 30
	line := []byte("2026-11-20T14:00:00Z a line of a log, as long as lines of logs are: 0123456789 0123456789 0123456789\n")
	objects := []byte(strings.Repeat(strings.ReplaceAll(aPod, "web", "again")+"\n", 100))
	pod := func(name string) []byte {
		text := strings.ReplaceAll(aPod, "web", name)
		return append(tarHead(t, "mg/"+name+".json", int64(len(text))),
			append([]byte(text), make([]byte, (512-len(text)%512)%512)...)...)
	}
	for name, x := range map[string]struct {
		entry string
		size  int64
		piece []byte
		left  string // what is said to be left out; "" for nothing
		after bool   // what comes after it is read
	}{
		"a log of 512 MB":            {"mg/namespaces/shop/pods/web/app/app/logs/current.log", gigabyte / 2, line, "", true},
		"zeros, 2 GB":                {"mg/zeros.yaml", 2 * gigabyte, make([]byte, 64<<10), "", true},
		"one string of 1 GB":         {"mg/a.json", gigabyte, append([]byte(`["`), bytes.Repeat([]byte("x"), 64<<10)...), "the rest is left out", true},
		"one YAML document of 64 MB": {"mg/a.yaml", 64 << 20, []byte("kind: a document that does not end\n"), "larger than 16 MB", true},
		"4 MB of the same object":    {"mg/a.json", 4 << 20 / int64(len(objects)) * int64(len(objects)), objects, "", true},
		"more than may be read":      {"mg/a.bin", gigabyte / 4, make([]byte, 64<<10), "the rest is left out", false},
	} {
		t.Run(name, func(t *testing.T) {
			limit := int64(maxBytes)
			if !x.after {
				limit = x.size / 2
			}
			var peak uint64
			content := io.MultiReader(
				bytes.NewReader(pod("before")), bytes.NewReader(tarHead(t, x.entry, x.size)),
				&repeating{piece: x.piece, left: x.size, peak: &peak},
				bytes.NewReader(make([]byte, (512-x.size%512)%512)),
				bytes.NewReader(pod("after")), bytes.NewReader(make([]byte, 1024)),
			)
			s, err := readWithin(t, content, maxFiles, limit)
			if err != nil {
				t.Fatal(err)
			}
			code, _ := ask(t, s, "/api/v1/namespaces/shop/pods/before")
			afterwards, _ := ask(t, s, "/api/v1/namespaces/shop/pods/after")
			if code != 200 || (afterwards == 200) != x.after {
				t.Errorf("before it %d, after it %d; left out: %q", code, afterwards, s.LeftOut)
			}
			left := strings.Join(s.LeftOut, "\n")
			if !strings.Contains(left, x.left) || (x.left == "") != (left == "") {
				t.Errorf("left out: %q", left)
			}
			if peak > 256<<20 {
				t.Errorf("%d MB were in use", peak>>20)
			}
		})
	}
}

// readWithin reads a stream with limits of its own.
func readWithin(t *testing.T, in io.Reader, files, size int64) (*Saved, error) {
	t.Helper()
	return readAll(t.Context(), []string{"-"}, in, now, files, size)
}

// manyEntries is an archive of so many empty files.
type manyEntries struct {
	head []byte
	left int
	at   int
}

func (m *manyEntries) Read(b []byte) (n int, err error) {
	for m.left > 0 && n < len(b) {
		c := copy(b[n:], m.head[m.at:])
		n += c
		if m.at += c; m.at == len(m.head) {
			m.at, m.left = 0, m.left-1
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// The limit is a million; a tenth of that takes the time that a test may take.
func TestAnArchiveOfTooManyEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 50 MB")
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	first := tarOf(t, tarEntry{name: "mg/pod.json", text: aPod})
	const most = maxFiles / 10
	s, err := readWithin(t, io.MultiReader(bytes.NewReader(first[:1024]), &manyEntries{head: tarHead(t, "mg/x.json", 0), left: most + 10}), most, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	if code, _ := ask(t, s, "/api/v1/namespaces/shop/pods/web"); code != 200 ||
		!strings.Contains(strings.Join(s.LeftOut, "\n"), errFiles.Error()) {
		t.Errorf("%d; left out: %q", code, s.LeftOut)
	}
	var after runtime.MemStats
	runtime.GC()
	if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+16<<20 {
		t.Errorf("%d MB are kept", (after.HeapAlloc-before.HeapAlloc)>>20)
	}
	runtime.KeepAlive(s)
}

// What comes before the damage is there, and a line says that the rest is not.
func TestArchivesThatAreDamagedInTheMiddle(t *testing.T) {
	noise := tarEntry{name: "mg/noise.bin", text: random(4 << 20)}
	archive := tarOf(t, tarEntry{name: "mg/pod.json", text: aPod}, noise,
		tarEntry{name: "mg/later.json", text: strings.ReplaceAll(aPod, "web", "later")})
	damaged := func(data []byte) []byte {
		data = bytes.Clone(data)
		for i := range 4096 {
			data[len(data)/2+i] ^= 0xa5
		}
		return data
	}
	header := bytes.Clone(archive)
	copy(header[1024:], bytes.Repeat([]byte{0xff}, 512)) // that of the second entry
	var zipped bytes.Buffer
	w := zip.NewWriter(&zipped)
	for _, e := range []tarEntry{{name: "mg/pod.json", text: aPod}, {name: "mg/noise.json", text: fmt.Sprintf(`{"a":"%x"}`, random(1<<20))}, {name: "mg/later.json", text: strings.ReplaceAll(aPod, "web", "later")}} {
		f, err := w.Create(e.name)
		if err == nil {
			_, err = io.WriteString(f, e.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		data  []byte
		later bool // what follows the damage is found
	}{
		"a.tar.gz":  {damaged(gzipped(t, archive)), true}, // within the noise: its checksum tells
		"b.tar":     {header, false},
		"c.zip":     {damaged(zipped.Bytes()), true}, // it has a list of its files
		"cut.tar":   {archive[:len(archive)/2], false},
		"cut.zip":   {append(bytes.Clone(zipped.Bytes()[:zipped.Len()/2]), 0), false},
		"no.tar.gz": {[]byte("\x1f\x8b\x08 this is none"), false},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Read(t.Context(), []string{save(t, name, x.data), save(t, "pod.json", []byte(strings.ReplaceAll(aPod, "web", "beside")))}, nil, now)
			if err != nil {
				t.Fatal(err)
			}
			code, _ := ask(t, s, "/api/v1/namespaces/shop/pods/web")
			later, _ := ask(t, s, "/api/v1/namespaces/shop/pods/later")
			intact := !strings.HasPrefix(name, "cut.zip") && !strings.HasPrefix(name, "no")
			if intact != (code == 200) || x.later != (later == 200) || len(s.LeftOut) == 0 {
				t.Errorf("before the damage %d, after it %d; left out: %q", code, later, s.LeftOut)
			}
		})
	}
}
