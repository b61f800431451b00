package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Preflight waits for the first answer of the API server and returns definite
// failures only: nothing was named, the connection is refused, the host is
// unknown, its certificate is not trusted, the credentials are not accepted, a
// type is unknown. The error may have a method Hint() string with the next
// step. A server that is slow or hangs is no failure: it is a state on the
// screen, and Preflight returns nil. Call it after Start.
//
// Where credentials come from a program (an exec plugin), Preflight waits for
// it as long as ctx allows, so that the program can talk to the terminal before
// a dashboard takes it.
func (e *Engine) Preflight(ctx context.Context) error {
	if len(e.opts.Targets) == 0 {
		return problem.New("name something, as in: kstatus-tui deploy/web, or -f app.yaml",
			"nothing was named to follow")
	}
	wait, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	if e.opts.Config.ExecProvider != nil {
		wait = ctx
	}
	err := e.version(kube.Patiently(wait))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case wait.Err() != nil:
		err = nil // it is slow
	}
	timeout, ok := errors.AsType[net.Error](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	passing := ok && timeout.Timeout() || isDNS && dns.IsTemporary
	if p, definite := errors.AsType[*problem.Error](err); definite && !passing {
		return p
	}
	if kube.IsForeign(err) {
		return problem.New("check the server in "+cmp.Or(e.opts.Origin.Cluster, "your kubeconfig")+
			": its port, and its path where it has one",
			"%s answers, but is no API server: %w", e.client.Server(), err)
	}
	// Types that only discovery knows.
	for e.unanswered.Load() > 0 && wait.Err() == nil {
		select {
		case <-wait.Done():
		case <-e.firstAnswer:
		}
	}
	_, err = e.hub.HasChanges()
	return cmp.Or(err, ctx.Err())
}

// version requests /version, which needs no permission.
func (e *Engine) version(ctx context.Context) error {
	data, err := e.client.Read(ctx, "/version", nil, kube.AcceptJSON)
	if err != nil {
		return err
	}
	var v struct{ GitVersion string }
	if json.Unmarshal(data, &v) != nil || v.GitVersion == "" {
		return kube.Foreign(http.StatusOK, "", data)
	}
	return nil
}
