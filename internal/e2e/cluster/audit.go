package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"
)

// Request is one request that the API server served, from its audit log.
type Request struct {
	User      User
	Verb      string // get, list, watch, create, …
	URI       string // path and query
	Group     string
	Resource  string
	Namespace string
	Name      string
	Code      int       // HTTP status
	Received  time.Time // UTC
	UserAgent string
}

// Query is the query of the request's URI.
func (r Request) Query() url.Values {
	u, err := url.Parse(r.URI)
	if err != nil {
		return nil
	}
	return u.Query()
}

func (r Request) String() string { return fmt.Sprintf("%s %s (%d)", r.Verb, r.URI, r.Code) }

// Mark is a place in the audit log.
type Mark int64

// Mark returns the present end of the audit log, for [Cluster.Requests].
func (c *Cluster) Mark() Mark {
	info, err := os.Stat(c.path("audit.log"))
	if err != nil {
		return 0
	}
	return Mark(info.Size())
}

// Requests lists what u asked of the API server since the mark, oldest first.
// A request is there once it was answered, a watch once its answer began. A
// request answered just now may be missing: the log is written after the
// answer.
func (c *Cluster) Requests(since Mark, u User) ([]Request, error) {
	f, err := os.Open(c.path("audit.log"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(max(int64(since)-1, 0), io.SeekStart); err != nil {
		return nil, err
	}
	var requests []Request
	seen := map[string]int{} // audit id → index: a watch is logged at its start and its end
	lines := bufio.NewReaderSize(f, 1<<16)
	if since > 0 { // the line before may have been in the middle of being written
		if _, err := lines.ReadBytes('\n'); err != nil {
			return nil, nil
		}
	}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return requests, nil // the end, or a line still being written
		}
		if !bytes.Contains(line, []byte(u)) {
			continue
		}
		var e struct {
			AuditID                  string
			Verb, RequestURI         string
			UserAgent                string
			RequestReceivedTimestamp time.Time
			User                     struct{ Username User }
			ObjectRef                struct{ APIGroup, Resource, Namespace, Name, Subresource string }
			ResponseStatus           struct{ Code int }
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		if e.User.Username != u {
			continue
		}
		r := Request{
			User: u, Verb: e.Verb, URI: e.RequestURI, Code: e.ResponseStatus.Code, Received: e.RequestReceivedTimestamp,
			Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource,
			Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
			UserAgent: e.UserAgent,
		}
		if e.ObjectRef.Subresource != "" {
			r.Resource += "/" + e.ObjectRef.Subresource
		}
		if at, ok := seen[e.AuditID]; ok {
			requests[at] = r
			continue
		}
		seen[e.AuditID] = len(requests)
		requests = append(requests, r)
	}
}
