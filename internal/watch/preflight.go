package watch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"
)

// patience is how long Preflight waits for a slow server, by default, before it
// leaves the waiting to the screen.
const patience = 250 * time.Millisecond

// Problem is a definite failure and the next step.
type Problem struct {
	Text string // one line, lower case, no full stop
	Next string // what to do about it, or ""
	Err  error  // what it came from, or nil
}

func (p *Problem) Error() string { return p.Text }
func (p *Problem) Unwrap() error { return p.Err }

// Hint is the next step.
func (p *Problem) Hint() string { return p.Next }

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
	e.mu.Lock()
	n := 0
	for _, g := range e.groups {
		n += len(g)
	}
	e.mu.Unlock()
	if n == 0 {
		return &Problem{Text: "nothing was named to follow", Next: "name something, as in: kstatus-tui deploy/web, or -f app.yaml"}
	}
	wait := ctx
	if e.opts.Config.ExecProvider == nil {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, e.patience)
		defer cancel()
	}
	answer := make(chan error, 1)
	e.spawn(func() {
		resp, err := e.client.get(context.WithValue(wait, patientKey{}, true), "/version", nil, acceptJSON)
		if err == nil {
			_ = resp.Body.Close()
		}
		answer <- err
	})
	var err error
	select {
	case err = <-answer:
	case <-wait.Done():
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if p := e.definite(err); p != nil {
		return p
	}
	// The types that only discovery knows.
	for e.asking() && sleep(wait, time.Millisecond) == nil {
	}
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	if e.hub.err != nil {
		return e.hub.err
	}
	return ctx.Err()
}

// asking reports whether discovery owes an answer.
func (e *Engine) asking() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, open := range e.asked {
		if open {
			return true
		}
	}
	return false
}

// definite says what a person has to do about an error, nil when it may heal.
func (e *Engine) definite(err error) error {
	if err == nil {
		return nil
	}
	host := e.client.base
	switch c := code(err); {
	case c == 401:
		return &Problem{Text: fmt.Sprintf("%s does not accept these credentials (401)", host), Next: "log in again, or try another --context or --user", Err: err}
	case c != 0:
		return nil
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && !dns.IsTimeout {
		return &Problem{Text: fmt.Sprintf("the host %q of the API server is not known", dns.Name), Next: "check the server in your kubeconfig, or try another --context", Err: err}
	}
	for _, no := range []error{syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.ENETUNREACH} {
		if errors.Is(err, no) {
			return &Problem{Text: fmt.Sprintf("cannot reach %s: %v", host, no), Next: "is the cluster running? check the server in your kubeconfig, or try another --context", Err: err}
		}
	}
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		verify  *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		alert   tls.AlertError
	)
	if errors.As(err, &unknown) || errors.As(err, &name) || errors.As(err, &invalid) || errors.As(err, &verify) || errors.As(err, &alert) {
		return &Problem{Text: fmt.Sprintf("the TLS connection to %s failed: %v", host, err), Next: "check certificate-authority in your kubeconfig", Err: err}
	}
	if errors.As(err, &record) || strings.Contains(err.Error(), "server gave HTTP response") {
		return &Problem{Text: host + " does not speak TLS", Next: "check the server in your kubeconfig: http or https?", Err: err}
	}
	if strings.Contains(err.Error(), "getting credentials") {
		return &Problem{Text: strings.ReplaceAll(err.Error(), "\n", " "), Next: "run the program of your kubeconfig's user.exec by hand", Err: err}
	}
	return nil
}
