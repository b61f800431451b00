package testcluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	kwatch "k8s.io/apimachinery/pkg/watch"
)

// bookmarkPace is the interval of bookmarks on an idle watch, and bookmarkLast how
// long before its end the last one comes, as with a real server (kubernetes v1.36
// staging/src/k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go, nextBookmarkTime).
const (
	bookmarkPace = time.Minute
	bookmarkLast = 2 * time.Second
)

func (c *Cluster) handle(w http.ResponseWriter, r *http.Request) {
	req, res, found := c.parse(r)
	c.mu.Lock()
	req.At = time.Now()
	c.requests = append(c.requests, req)
	fault := c.fault(req)
	c.mu.Unlock()
	if len(fault.Garble) > 0 {
		w = garbled{w, fault.Garble}
	}
	if fault.Ahead != 0 {
		w.Header().Set("Date", time.Now().Add(fault.Ahead).UTC().Format(http.TimeFormat))
	}
	switch {
	case fault.Hang:
		<-r.Context().Done()
		return
	case fault.Answer != nil:
		fault.Answer(w, r)
		return
	case fault.Status != 0:
		status := failure(fault.Status, fault.Message, "")
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter))
			// as an API server does, which makes the header of it
			status.Details.RetryAfterSeconds = int32(fault.RetryAfter)
		}
		whole := &answer{header: w.Header(), code: http.StatusOK}
		if negotiate(r, res.kind(), fault).reply(whole, fault.Status, status); fault.slow() {
			whole.slowly(w, r, fault)
			return
		}
		w.WriteHeader(whole.code)
		_, _ = w.Write(whole.Bytes())
		return
	case fault.slow() && req.Verb != "watch":
		whole := &answer{header: http.Header{}, code: http.StatusOK}
		c.serve(whole, r, req, res, found, fault)
		whole.slowly(w, r, fault)
		return
	case fault.Buffer || fault.BufferHead:
		held := &held{ResponseWriter: w, head: fault.BufferHead}
		c.serve(held, r, req, res, found, fault)
		_, _ = w.Write(held.body.Bytes())
		return
	}
	c.serve(w, r, req, res, found, fault)
}

// garbled replaces texts in an answer.
type garbled struct {
	http.ResponseWriter
	texts [][2]string
}

func (g garbled) Write(b []byte) (int, error) {
	for _, pair := range g.texts {
		b = bytes.ReplaceAll(b, []byte(pair[0]), []byte(pair[1]))
	}
	return g.ResponseWriter.Write(b)
}

func (g garbled) Flush() { g.ResponseWriter.(http.Flusher).Flush() }

// held holds an answer's body back, and its head if that is wanted.
type held struct {
	http.ResponseWriter
	body bytes.Buffer
	head bool
}

func (h *held) Write(b []byte) (int, error) { return h.body.Write(b) }

func (h *held) Flush() {
	if !h.head {
		h.ResponseWriter.(http.Flusher).Flush()
	}
}

// answer buffers an answer.
type answer struct {
	bytes.Buffer
	header http.Header
	code   int
}

func (a *answer) Header() http.Header  { return a.header }
func (a *answer) WriteHeader(code int) { a.code = code }

func (f *Fault) slow() bool { return f.Stall || f.Drip > 0 }

// slowly sends it byte by byte, or only the first half.
func (a *answer) slowly(w http.ResponseWriter, r *http.Request, fault Fault) {
	w.Header().Set("Content-Type", a.header.Get("Content-Type"))
	w.WriteHeader(a.code)
	if fault.Stall {
		_, _ = w.Write(a.Bytes()[:a.Len()/2])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for _, b := range a.Bytes() {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(fault.Drip):
		}
		_, _ = w.Write([]byte{b})
		w.(http.Flusher).Flush()
	}
}

// serve answers a request without faults.
func (c *Cluster) serve(w http.ResponseWriter, r *http.Request, req Request, res Resource, found bool, fault Fault) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/readyz":
		fmt.Fprint(w, "ok")
	case r.URL.Path == "/version":
		w.Header().Set("Content-Type", "application/json")
		writeJSON(w, version.Info{GitVersion: "v1.36.3"})
	case parts[0] == "api" && len(parts) <= 2, parts[0] == "apis" && len(parts) <= 3:
		c.discover(w, r, parts, fault)
	case !found:
		http.NotFound(w, r) // an API server's answer for an unknown path
	case strings.HasSuffix(r.URL.Path, "/log"):
		c.serveLog(w, r, req, fault)
	case req.Verb == "watch":
		c.watch(w, r, res, req, fault)
	case req.Verb == "list":
		c.serveList(w, r, res, req, fault)
	default:
		c.get(w, r, res, req, fault)
	}
}

// parse parses a request's path.
func (c *Cluster) parse(r *http.Request) (req Request, res Resource, found bool) {
	req = Request{
		Verb: "get", Path: r.URL.Path, Query: r.URL.RawQuery,
		Token:  strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
		Accept: r.Header.Get("Accept"), HTTP2: r.ProtoMajor == 2,
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var group, version string
	switch {
	case parts[0] == "api" && len(parts) > 2:
		version, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		group, version, parts = parts[1], parts[2], parts[3:]
	default:
		return req, res, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		req.Namespace, parts = parts[1], parts[2:]
	}
	req.Resource = parts[0]
	if len(parts) > 1 {
		req.Name = parts[1]
	} else {
		req.Verb = "list"
	}
	if r.URL.Query().Get("watch") == "true" {
		req.Verb = "watch"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.resources {
		if x.Group == group && x.Version == version && x.Plural == req.Resource {
			return req, x, true
		}
	}
	return req, res, false
}

// fault merges the faults that match.
func (c *Cluster) fault(req Request) Fault {
	var f Fault
	for _, x := range c.faults {
		if x.Match != nil && !x.Match(req) {
			continue
		}
		if x.Status != 0 {
			f.Status, f.Message, f.RetryAfter = x.Status, x.Message, x.RetryAfter
		}
		f.Hang = f.Hang || x.Hang
		if x.Answer != nil {
			f.Answer = x.Answer
		}
		f.Stall = f.Stall || x.Stall
		f.Drip = max(f.Drip, x.Drip)
		if x.Ahead != 0 {
			f.Ahead = x.Ahead
		}
		f.NoProtobuf = f.NoProtobuf || x.NoProtobuf
		f.NoAggregation = f.NoAggregation || x.NoAggregation
		f.Buffer, f.BufferHead = f.Buffer || x.Buffer, f.BufferHead || x.BufferHead
		f.NoEnd = f.NoEnd || x.NoEnd
		f.NoBookmarks = f.NoBookmarks || x.NoBookmarks
		f.Twice = f.Twice || x.Twice
		f.Forgetful = f.Forgetful || x.Forgetful
		if len(x.Garble) > 0 {
			f.Garble = x.Garble
		}
		if x.Close > 0 {
			f.Close = x.Close
		}
	}
	return f
}

// writeJSON writes an answer that is never protobuf.
func writeJSON(w http.ResponseWriter, v any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	_ = json.NewEncoder(w).Encode(v)
}

// wanted is a request's selection, or the Status of an invalid selector.
func wanted(r *http.Request, req Request) (filter, *metav1.Status) {
	q := r.URL.Query()
	f := filter{namespace: req.Namespace}
	var err error
	if f.labels, err = labels.Parse(q.Get("labelSelector")); err == nil {
		f.fields, err = fields.ParseSelector(q.Get("fieldSelector"))
	}
	if err != nil {
		return f, failure(http.StatusBadRequest, err.Error(), "")
	}
	for _, r := range f.fields.Requirements() {
		if about, _, _ := strings.Cut(r.Field, "."); r.Field != "status.phase" && r.Field != "spec.nodeName" &&
			about != "metadata" && about != "involvedObject" {
			return f, failure(http.StatusBadRequest,
				fmt.Sprintf(
					"%q is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", r.Field), "")
		}
	}
	return f, nil
}

func (c *Cluster) get(w http.ResponseWriter, r *http.Request, res Resource, req Request, fault Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := negotiate(r, res.kind(), fault)
	o := c.objects[res.plural()][req.Namespace+"/"+req.Name]
	if o == nil {
		e.reply(w, http.StatusNotFound, notFound(res, req.Name))
		return
	}
	e.reply(w, http.StatusOK, e.object(o))
}

func (c *Cluster) serveList(w http.ResponseWriter, r *http.Request, res Resource, req Request, fault Fault) {
	e := negotiate(r, res.kind(), fault)
	f, bad := wanted(r, req)
	if bad != nil {
		e.reply(w, int(bad.Code), bad)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	q := r.URL.Query()
	all := c.list(res.plural(), f)
	m := metav1.ListMeta{ResourceVersion: strconv.Itoa(c.rv)}
	start, _ := strconv.Atoi(q.Get("continue"))
	all = all[min(start, len(all)):]
	if limit, _ := strconv.Atoi(q.Get("limit")); limit > 0 && len(all) > limit {
		m.Continue, m.RemainingItemCount = strconv.Itoa(start+limit), new(int64(len(all)-limit))
		all = all[:limit]
	}
	e.reply(w, http.StatusOK, e.list(res.kind(), m, all))
}

func (c *Cluster) serveLog(w http.ResponseWriter, r *http.Request, req Request, fault Fault) {
	c.mu.Lock()
	text, ok := c.logs[req.Namespace+"/"+req.Name+"/"+r.URL.Query().Get("container")]
	c.mu.Unlock()
	if !ok {
		negotiate(r, schema.GroupVersionKind{}, fault).reply(w, http.StatusBadRequest,
			failure(http.StatusBadRequest, "container is waiting to start", ""))
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, text)
}

// watch streams events. The lock is never held while writing.
func (c *Cluster) watch(w http.ResponseWriter, r *http.Request, res Resource, req Request, fault Fault) {
	q := r.URL.Query()
	e := negotiate(r, res.kind(), fault)
	f, bad := wanted(r, req)
	if bad != nil {
		e.reply(w, int(bad.Code), bad)
		return
	}
	flush := w.(http.Flusher).Flush
	write := e.stream(w)
	send := func(typ kwatch.EventType, obj runtime.Object) error {
		err := write(typ, obj)
		if fault.Twice && err == nil {
			err = write(typ, obj)
		}
		return err
	}
	seconds, _ := strconv.Atoi(q.Get("timeoutSeconds"))
	if seconds <= 0 {
		seconds = 1800
	}
	timeout := time.NewTimer(time.Duration(seconds) * time.Second)
	defer timeout.Stop()
	ending := make(<-chan time.Time)
	if fault.Close > 0 {
		t := time.NewTimer(fault.Close)
		defer t.Stop()
		ending = t.C
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	nextBookmark := func() time.Duration {
		if last := time.Until(end) - bookmarkLast; last > 0 {
			return min(bookmarkPace, last)
		}
		return bookmarkPace
	}
	bookmarks := time.NewTimer(nextBookmark())
	defer bookmarks.Stop()

	c.mu.Lock()
	last, _ := strconv.Atoi(q.Get("resourceVersion"))
	initial := q.Get("sendInitialEvents") == "true"
	var first []*entry
	expired := false
	if initial || last == 0 || fault.Forgetful {
		first, last = c.list(res.plural(), f), c.rv
	} else {
		expired = last < c.compacted
	}
	cut := c.cut
	c.mu.Unlock()
	if expired {
		_ = send(kwatch.Error, failure(http.StatusGone, "too old resource version", ""))
		return
	}
	for _, o := range first {
		if send(kwatch.Added, e.object(o)) != nil {
			return
		}
	}
	bookmark := func(end bool) error {
		return send(kwatch.Bookmark, e.bookmark(res.kind(), strconv.Itoa(last), end))
	}
	if initial && !fault.NoEnd {
		if bookmark(true) != nil {
			return
		}
	}
	for {
		flush()
		c.mu.Lock()
		var news []event
		for _, ev := range c.log {
			if ev.rv > last && ev.resource == res.plural() {
				news = append(news, ev)
			}
		}
		changed := c.changed
		late := c.dropped[res.plural()] > last
		c.mu.Unlock()
		if late { // events that it has not seen were compacted
			_ = send(kwatch.Error, failure(http.StatusGone, "too old resource version", ""))
			return
		}
		if len(news) > 0 {
			for _, ev := range news {
				last = ev.rv
				if typ, ok := f.sees(ev); ok && send(typ, e.object(ev.last)) != nil {
					return
				}
			}
			continue
		}
		select {
		case <-changed:
		case <-bookmarks.C:
			bookmarks.Reset(nextBookmark())
			if q.Get("allowWatchBookmarks") == "true" && !fault.NoBookmarks {
				c.mu.Lock()
				if len(c.log) == 0 || c.log[len(c.log)-1].rv <= last {
					last = c.rv
				}
				c.mu.Unlock()
				if bookmark(false) != nil {
					return
				}
			}
		case <-cut:
			// like a lost connection: the chunked body has no end
			panic(http.ErrAbortHandler)
		case <-ending:
			return
		case <-timeout.C:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// sees converts a change for a watch with a selector: an object that ceases to
// match is deleted for it, one that begins to match is added.
func (f filter) sees(ev event) (typ kwatch.EventType, ok bool) {
	now, before := f.matches(ev.now), f.matches(ev.old)
	switch {
	case now && before:
		return kwatch.Modified, true
	case now:
		return kwatch.Added, true
	case before:
		return kwatch.Deleted, true
	}
	return "", false
}
