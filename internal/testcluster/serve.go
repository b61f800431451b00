package testcluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bookmarkPace is how often a quiet watch gets a bookmark, as from a real
// server.
const bookmarkPace = time.Minute

func (c *Cluster) handle(w http.ResponseWriter, r *http.Request) {
	req, res, found := c.parse(r)
	c.mu.Lock()
	req.At = time.Now()
	c.requests = append(c.requests, req)
	fault := c.fault(req)
	frozen := c.frozen
	c.mu.Unlock()
	if frozen != nil {
		select {
		case <-frozen:
		case <-r.Context().Done():
			return
		}
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
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter))
		}
		whole := &answer{header: w.Header(), code: http.StatusOK}
		if fail(whole, fault.Status, fault.Message, ""); fault.slow() {
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
	}
	c.serve(w, r, req, res, found, fault)
}

// answer is an answer that is kept instead of sent.
type answer struct {
	bytes.Buffer
	header http.Header
	code   int
}

func (a *answer) Header() http.Header  { return a.header }
func (a *answer) WriteHeader(code int) { a.code = code }

func (f *Fault) slow() bool { return f.Stall || f.Drip > 0 }

// slowly sends it byte by byte, or the first half and no more.
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

// serve answers as a server does that is well.
func (c *Cluster) serve(w http.ResponseWriter, r *http.Request, req Request, res Resource, found bool, fault Fault) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/readyz":
		fmt.Fprint(w, "ok")
	case r.URL.Path == "/version":
		reply(w, map[string]any{"gitVersion": "v1.36.3"})
	case r.URL.Path == "/api":
		reply(w, map[string]any{"kind": "APIVersions", "versions": []string{"v1"}})
	case r.URL.Path == "/apis":
		c.groups(w)
	case len(parts) == 2 && parts[0] == "apis":
		c.group(w, parts[1])
	case len(parts) == 2 && parts[0] == "api":
		c.version(w, "", parts[1])
	case len(parts) == 3 && parts[0] == "apis":
		c.version(w, parts[1], parts[2])
	case !found:
		http.NotFound(w, r) // as an API server says it of what it does not serve
	case strings.HasSuffix(r.URL.Path, "/log"):
		c.serveLog(w, r, req)
	case req.Verb == "watch":
		c.watch(w, r, res, req, fault)
	case req.Verb == "list":
		c.serveList(w, r, res, req)
	default:
		c.get(w, r, res, req)
	}
}

// parse reads what a path asks for.
func (c *Cluster) parse(r *http.Request) (req Request, res Resource, found bool) {
	req = Request{Verb: "get", Path: r.URL.Path, Query: r.URL.RawQuery, Token: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), Accept: r.Header.Get("Accept")}
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
		f.NoEnd = f.NoEnd || x.NoEnd
		f.NoBookmarks = f.NoBookmarks || x.NoBookmarks
		f.Twice = f.Twice || x.Twice
		if x.Close > 0 {
			f.Close = x.Close
		}
	}
	return f
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

var reasons = map[int]string{
	400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 410: "Expired",
	422: "Invalid", 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout",
}

func failure(code int, message, name string) map[string]any {
	s := map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reasons[code], "message": message}
	if name != "" {
		s["details"] = map[string]any{"name": name}
	}
	return s
}

func fail(w http.ResponseWriter, code int, message, name string) {
	if message == "" {
		message = strings.ToLower(http.StatusText(code))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(failure(code, message, name))
}

func (c *Cluster) groups(w http.ResponseWriter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []any
	seen := map[string]bool{}
	for _, r := range c.resources {
		if r.Group != "" && !seen[r.Group] {
			seen[r.Group] = true
			list = append(list, c.apiGroup(r.Group))
		}
	}
	reply(w, map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": list})
}

func (c *Cluster) apiGroup(name string) map[string]any {
	var versions []any
	for _, r := range c.resources {
		v := map[string]any{"groupVersion": r.groupVersion(), "version": r.Version}
		if r.Group == name && !slices.ContainsFunc(versions, func(x any) bool { return x.(map[string]any)["version"] == r.Version }) {
			versions = append(versions, v)
		}
	}
	if versions == nil {
		return nil
	}
	return map[string]any{"kind": "APIGroup", "name": name, "versions": versions, "preferredVersion": versions[0]}
}

func (c *Cluster) group(w http.ResponseWriter, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.apiGroup(name); g != nil {
		reply(w, g)
		return
	}
	http.NotFound(w, nil)
}

func (c *Cluster) version(w http.ResponseWriter, group, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []any
	for _, r := range c.resources {
		if r.Group == group && r.Version == version {
			list = append(list, map[string]any{
				"name": r.Plural, "singularName": strings.ToLower(r.Kind), "kind": r.Kind, "namespaced": !r.Cluster,
				"shortNames": r.Short, "categories": r.Categories, "verbs": []string{"get", "list", "watch", "create", "delete"},
			})
			if c.reporting[r.Kind] {
				list = append(list, map[string]any{
					"name": r.Plural + "/status", "singularName": "", "kind": r.Kind, "namespaced": !r.Cluster,
					"verbs": []string{"get", "patch", "update"},
				})
			}
		}
	}
	if list == nil {
		http.NotFound(w, nil)
		return
	}
	reply(w, map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": list})
}

func wanted(r *http.Request, req Request) filter {
	q := r.URL.Query()
	f := filter{namespace: req.Namespace, labels: q.Get("labelSelector")}
	for part := range strings.SplitSeq(q.Get("fieldSelector"), ",") {
		if v, ok := strings.CutPrefix(part, "metadata.name="); ok {
			f.name = v
		}
		if v, ok := strings.CutPrefix(part, "involvedObject.uid="); ok {
			f.uid = v
		}
	}
	return f
}

// shape is how the client wants an object: whole, as a row of a table (Secrets
// alone have one), or its metadata alone.
func shape(r *http.Request, obj map[string]any) map[string]any {
	if obj["kind"] == "Secret" && strings.HasPrefix(r.Header.Get("Accept"), "application/json;as=Table") {
		data, _ := obj["data"].(map[string]any)
		meta, _ := obj["metadata"].(map[string]any)
		return map[string]any{
			"kind": "Table", "apiVersion": "meta.k8s.io/v1",
			"columnDefinitions": []any{map[string]any{"name": "Name"}, map[string]any{"name": "Type"}, map[string]any{"name": "Data"}},
			"rows": []any{map[string]any{
				"cells":  []any{meta["name"], obj["type"], len(data)},
				"object": map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": meta},
			}},
		}
	}
	if !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
		return obj
	}
	return map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}
}

func (c *Cluster) get(w http.ResponseWriter, r *http.Request, res Resource, req Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.objects[res.plural()][req.Namespace+"/"+req.Name]
	if e == nil {
		fail(w, 404, fmt.Sprintf("%s %q not found", res.Plural, req.Name), req.Name)
		return
	}
	reply(w, shape(r, e.obj))
}

func (c *Cluster) serveList(w http.ResponseWriter, r *http.Request, res Resource, req Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := r.URL.Query()
	all := c.list(res.plural(), wanted(r, req))
	meta := map[string]any{"resourceVersion": fmt.Sprint(c.rv)}
	start, _ := strconv.Atoi(q.Get("continue"))
	all = all[min(start, len(all)):]
	if limit, _ := strconv.Atoi(q.Get("limit")); limit > 0 && len(all) > limit {
		meta["continue"] = fmt.Sprint(start + limit)
		meta["remainingItemCount"] = len(all) - limit
		all = all[:limit]
	}
	items := make([]any, len(all))
	for i, o := range all {
		items[i] = shape(r, o)
	}
	reply(w, map[string]any{"kind": res.Kind + "List", "apiVersion": res.groupVersion(), "metadata": meta, "items": items})
}

func (c *Cluster) serveLog(w http.ResponseWriter, r *http.Request, req Request) {
	c.mu.Lock()
	text, ok := c.logs[req.Namespace+"/"+req.Name+"/"+r.URL.Query().Get("container")]
	c.mu.Unlock()
	if !ok {
		fail(w, 400, "container is waiting to start", "")
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprint(w, text)
}

// watch streams events. The lock is never held while writing.
func (c *Cluster) watch(w http.ResponseWriter, r *http.Request, res Resource, req Request, fault Fault) {
	q := r.URL.Query()
	f := wanted(r, req)
	w.Header().Set("Content-Type", "application/json")
	flush := w.(http.Flusher).Flush
	enc := json.NewEncoder(w)
	send := func(typ string, obj any) error {
		err := enc.Encode(ordered{typ, obj})
		if fault.Twice && err == nil {
			err = enc.Encode(ordered{typ, obj})
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
	bookmarks := time.NewTicker(bookmarkPace)
	defer bookmarks.Stop()

	c.mu.Lock()
	last, _ := strconv.Atoi(q.Get("resourceVersion"))
	initial := q.Get("sendInitialEvents") == "true"
	var first []map[string]any
	expired := false
	if initial || last == 0 {
		first, last = c.list(res.plural(), f), c.rv
	} else {
		expired = last < c.compacted
	}
	cut := c.cut
	c.mu.Unlock()
	if expired {
		_ = send("ERROR", failure(410, "too old resource version", ""))
		return
	}
	for _, o := range first {
		if send("ADDED", shape(r, o)) != nil {
			return
		}
	}
	bookmark := func(end bool) map[string]any {
		meta := map[string]any{"resourceVersion": fmt.Sprint(last), "creationTimestamp": nil}
		if end {
			meta["annotations"] = map[string]any{"k8s.io/initial-events-end": "true"}
		}
		return map[string]any{"kind": res.Kind, "apiVersion": res.groupVersion(), "metadata": meta}
	}
	if initial && !fault.NoEnd {
		if send("BOOKMARK", bookmark(true)) != nil {
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
		changed, frozen := c.changed, c.frozen
		late := c.dropped[res.plural()] > last
		c.mu.Unlock()
		if frozen != nil {
			select {
			case <-frozen:
				continue
			case <-cut:
				return
			case <-r.Context().Done():
				return
			}
		}
		if late { // what it has not seen yet was forgotten
			_ = send("ERROR", failure(410, "too old resource version", ""))
			return
		}
		if len(news) > 0 {
			for _, ev := range news {
				last = ev.rv
				if typ, ok := f.sees(ev); ok && send(typ, shape(r, ev.obj)) != nil {
					return
				}
			}
			continue
		}
		select {
		case <-changed:
		case <-bookmarks.C:
			if q.Get("allowWatchBookmarks") == "true" && !fault.NoBookmarks {
				c.mu.Lock()
				if len(c.log) == 0 || c.log[len(c.log)-1].rv <= last {
					last = c.rv
				}
				c.mu.Unlock()
				if send("BOOKMARK", bookmark(false)) != nil {
					return
				}
			}
		case <-cut:
			// As a lost connection: no end of the chunked body.
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

// ordered is a watch event with its members in a real server's order.
type ordered struct {
	Type   string `json:"type"`
	Object any    `json:"object"`
}

// sees tells how a change looks to a watcher with a selector: an object that
// ceases to match is deleted for it, one that begins to match is added.
func (f filter) sees(ev event) (typ string, ok bool) {
	now := ev.typ != "DELETED" && f.matches(ev.key, ev.obj)
	before := ev.old != nil && f.matches(ev.key, ev.old)
	switch {
	case now && before:
		return "MODIFIED", true
	case now:
		return "ADDED", true
	case before:
		return "DELETED", true
	}
	return "", false
}
