package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Revision is how many changes etcd has taken.
func (c *Cluster) Revision(ctx context.Context) (int64, error) {
	var now struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	if err := c.askEtcd(ctx, "/v3/kv/range", `{"key": "AA=="}`, &now); err != nil {
		return 0, err
	}
	return strconv.ParseInt(now.Header.Revision, 10, 64)
}

// Compact has etcd forget everything but the present.
func (c *Cluster) Compact(ctx context.Context) error {
	revision, err := c.Revision(ctx)
	if err != nil {
		return err
	}
	return c.askEtcd(ctx, "/v3/kv/compaction",
		fmt.Sprintf(`{"revision": "%d", "physical": true}`, revision), &struct{}{})
}

func (c *Cluster) askEtcd(ctx context.Context, path, body string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Etcd()+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd answers %s to %s: %s (%v)", resp.Status, path, bytes.TrimSpace(text), err)
	}
	return json.Unmarshal(text, into)
}
