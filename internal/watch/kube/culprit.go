package kube

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// Origin says where a configuration comes from, for messages; "" is unknown.
type Origin struct {
	Cluster, User string // the kubeconfig files that define them
	Token         string // the flag that set the token, if any
	Server        string // the flag that set the server, if any
}

// blame names the parts of a configuration that may be at fault when a
// connection or the credentials are refused.
type blame struct {
	identity
	server *url.URL // without a path
	from   Origin

	authorityFrom   string // of the trusted authorities; "" means the system's
	certificateFrom string // of the client certificate; "" means none
	tokenFrom       string
	program         string // the credential plugin

	proxy     func(*http.Request) (*url.URL, error)
	proxyFrom string
}

func blameOf(cfg *rest.Config, is identity, server *url.URL, from Origin) blame {
	of := func(file string, data []byte, field, kubeconfig string) string {
		switch {
		case file != "" || len(data) == 0:
			return file
		case kubeconfig != "":
			return field + " of " + kubeconfig
		}
		return field
	}
	b := blame{
		identity: is, server: &url.URL{Scheme: server.Scheme, Host: server.Host}, from: from,
		authorityFrom:   of(cfg.CAFile, cfg.CAData, "certificate-authority-data", from.Cluster),
		certificateFrom: of(cfg.CertFile, cfg.CertData, "client-certificate-data", from.User),
		proxy:           cfg.Proxy, proxyFrom: "proxy-url",
	}
	switch {
	case cfg.BearerTokenFile != "":
		b.tokenFrom = "the token in " + cfg.BearerTokenFile
	case cfg.BearerToken != "" && from.Token != "":
		b.tokenFrom = "the token of " + from.Token
	case cfg.BearerToken != "" && from.User != "":
		b.tokenFrom = "the token in " + from.User
	case cfg.BearerToken != "":
		b.tokenFrom = "the token"
	}
	if cfg.ExecProvider != nil {
		b.program = cfg.ExecProvider.Command
	}
	if b.proxy == nil {
		b.proxy, b.proxyFrom = http.ProxyFromEnvironment, "HTTPS_PROXY"
	}
	return b
}

// kubeconfig is the file that names the server.
func (b blame) kubeconfig() string { return cmp.Or(b.from.Server, b.from.Cluster, "your kubeconfig") }

// explain says whose fault an error is, with the next step; an error that says
// it all is returned as it is. It only reads the configuration.
func (b blame) explain(err error) error {
	if p, ok := errors.AsType[*problem.Error](err); ok {
		return p
	}
	if p := b.culprit(err); p != nil {
		p.Err = err
		return p
	}
	return err
}

func (b blame) culprit(err error) *problem.Error {
	host, kubeconfig := b.server.String(), b.kubeconfig()
	switch c := Code(err); {
	case c == http.StatusUnauthorized:
		text, next := b.refused()
		return problem.New(next, "the server does not accept our credentials (401)%s", text)
	case c == http.StatusBadRequest && strings.Contains(err.Error(), "HTTP request to an HTTPS server"):
		return problem.New("write https:// before the server in "+kubeconfig, "%s wants https", host)
	case c != 0:
		return nil
	}
	// net/http refuses to send it (transport.go, go1.26): no server has seen it.
	if strings.HasPrefix(err.Error(), "net/http: invalid header field") {
		return problem.New("check the token, --as and the user in "+
			kubeconfig+": a line break or a control character is in one of them",
			"a credential cannot be sent: %s", strings.TrimPrefix(err.Error(), "net/http: "))
	}
	const running = "is the cluster running? "
	at, whose, check := host, "the API server", running+"check the server in "+kubeconfig+", or try another --context"
	op, _ := errors.AsType[*net.OpError](err)
	proxied := op != nil && op.Op == "proxyconnect"
	if proxied {
		proxy, _ := b.proxy(&http.Request{URL: b.server})
		at, whose, check = "the proxy "+proxy.Redacted()+" ("+b.proxyFrom+")",
			"the proxy ("+b.proxyFrom+")", b.checkProxy()
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsTimeout || dns.IsTemporary {
			return problem.New("is this machine online? its name servers do not answer",
				"the host %q of %s cannot be looked up: %s", dns.Name, whose, dns.Err)
		}
		return problem.New(strings.TrimPrefix(check, running), "the host %q of %s is not known", dns.Name, whose)
	}
	for _, no := range []error{syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.ENETUNREACH} {
		if errors.Is(err, no) {
			return problem.New(check, "cannot reach %s: %v", at, no)
		}
	}
	if op != nil && op.Timeout() && op.Op == "dial" {
		return problem.New("is there a VPN or a firewall between? "+strings.TrimPrefix(check, running),
			"cannot reach %s: nothing answers there", at)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok ||
		strings.Contains(err.Error(), "server gave HTTP response") {
		return problem.New("check the server in "+kubeconfig+": http or https?", "%s does not speak TLS", at)
	}
	if strings.Contains(err.Error(), "getting credentials") {
		text, _, _ := strings.Cut(err.Error(), "It looks like you are trying to use a client-go credential plugin")
		return problem.New(runByHand, "%s", text)
	}
	if proxied && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)) {
		return problem.New(check, "%s ended the connection", at)
	}
	return b.distrusted(err, at)
}

const runByHand = "run the program of your kubeconfig's user.exec by hand"

// distrusted says which side does not accept which certificate.
func (b blame) distrusted(err error, at string) *problem.Error {
	kubeconfig, now := b.kubeconfig(), time.Now()
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		verify  *tls.CertificateVerificationError
	)
	alert, refused := alertOf(err)
	switch {
	case errors.As(err, &unknown):
		by := cmp.Or(unknown.Cert.Issuer.CommonName, unknown.Cert.Issuer.String(), "somebody")
		if b.authorityFrom == "" {
			return problem.New("name the cluster's authority in certificate-authority of "+kubeconfig,
				"unknown authority: the certificate of %s is signed by %q, whom this machine does not trust", at, by)
		}
		return problem.New(
			"put the cluster's present authority there; it is read again at once. Or is this another server than it should be?",
			"unknown authority: the certificate of %s is signed by %q, which is not the authority in %s", at,
			by, b.authorityFrom)
	case errors.As(err, &name):
		return problem.New("check the server in "+kubeconfig+", or set tls-server-name to one of these",
			"wrong host: the certificate of %s is for %s, not for %s", at, namesOf(name.Certificate), name.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		whose := "the certificate of " + at
		if invalid.Cert.IsCA {
			whose = fmt.Sprintf("%q, which signed the certificate of %s,", invalid.Cert.Subject.CommonName, at)
		}
		if now.Before(invalid.Cert.NotBefore) {
			return problem.New("here it is "+moment(now)+": is this machine's clock right?",
				"%s is not valid before %s", whose, moment(invalid.Cert.NotBefore))
		}
		return problem.New("it has to be renewed on the server",
			"%s has expired: it was valid until %s", whose, moment(invalid.Cert.NotAfter))
	case refused && !strings.Contains(alert, "certificate"):
		return problem.New("check the server in "+kubeconfig, "%s refuses the TLS connection: %s", at, alert)
	case refused && b.certificateFrom == "":
		return problem.New("check client-certificate of the user in "+cmp.Or(b.from.User, kubeconfig),
			"%s wants a client certificate, and there is none (%s)", at, alert)
	case refused:
		text, _ := validity(b.certificate)
		return problem.New("renew it there; it is read again at once",
			"%s does not accept our client certificate (%s): %s%s", at, alert, b.certificateFrom, text)
	case errors.As(err, &verify):
		return problem.New("check certificate-authority in "+kubeconfig,
			"the certificate of %s is not valid: %v", at, verify.Err)
	}
	return nil
}

// refused says which credentials a 401 is about, if that can be seen, and the next step.
func (b blame) refused() (text, next string) {
	again := "renew it there; it is read again at once"
	token, tokenLate := tokenValidity(b.token)
	certificate, late := validity(b.certificate)
	switch {
	case b.tokenFrom != "" && b.from.Token != "":
		return ": " + b.tokenFrom + token, "give " + b.from.Token +
			" another, or leave it out to come as the kubeconfig's user"
	case b.program != "":
		return ": they come from " + b.program, "log in again, or run it by hand"
	case b.certificateFrom != "" && (late || b.tokenFrom == ""):
		return ": the client certificate in " + b.certificateFrom + certificate, again
	case b.tokenFrom != "" && tokenLate:
		return ": " + b.tokenFrom + token, again
	case b.tokenFrom != "":
		return ": " + b.tokenFrom + token, "log in again, or try another --context or --user"
	}
	return ": there are none", "log in, or try another --context or --user"
}

// validity describes a certificate's expiry, or its beginning if that is in the
// future, and whether it is invalid now.
func validity(text string) (words string, late bool) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return "", false
	}
	c, err := x509.ParseCertificate(block.Bytes)
	now := time.Now()
	switch {
	case err != nil:
		return ", which cannot be read", true
	case now.After(c.NotAfter):
		return " has expired: it was valid until " + moment(c.NotAfter), true
	case now.Before(c.NotBefore):
		return " is not valid before " + moment(c.NotBefore), true
	}
	return fmt.Sprintf(" (of %q, valid until %s)", c.Subject.CommonName, moment(c.NotAfter)), false
}

// tokenValidity does the same for a JSON Web Token.
func tokenValidity(token string) (words string, late bool) {
	var claims struct {
		Exp float64 `json:"exp"`
	}
	if parts := strings.Split(token, "."); len(parts) == 3 {
		raw, _ := base64.RawURLEncoding.DecodeString(parts[1])
		_ = json.Unmarshal(raw, &claims) // other tokens do not say when they expire
	}
	end := time.Unix(int64(claims.Exp), 0)
	if claims.Exp <= 0 || claims.Exp > 1e12 || time.Now().Before(end) {
		return "", false
	}
	return " has expired: it was valid until " + moment(end), true
}

// moment formats a time to compare it with another day's.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + " UTC" }

// namesOf are the hosts that a certificate is for.
func namesOf(c *x509.Certificate) string {
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if more := len(names) - 4; more > 0 {
		names = append(names[:3], fmt.Sprintf("%s and %d more", names[3], more))
	}
	return cmp.Or(strings.Join(names, ", "), "no host")
}

// alertOf returns the peer's TLS alert.
func alertOf(err error) (string, bool) {
	_, alert, ok := strings.Cut(err.Error(), "remote error: tls: ")
	return alert, ok
}

// distrust reports whether one side did not accept the other's certificate.
func distrust(err error) bool {
	_, ours := errors.AsType[*tls.CertificateVerificationError](err)
	_, theirs := alertOf(err)
	return ours || theirs
}

func (b blame) checkProxy() string {
	return "check " + b.proxyFrom + "; NO_PROXY names the hosts that need none"
}

// hearProxy keeps a proxy's answer. Go's error for "502 Bad Gateway" says only
// "Bad Gateway", and not that it is the proxy's.
func (b blame) hearProxy(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	next := b.checkProxy()
	switch answer.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusProxyAuthRequired:
		next = "write user and password into " + b.proxyFrom + ": http://USER:PASSWORD@HOST:PORT"
	}
	return problem.New(next, "the proxy %s does not let us through to %s (%s)",
		proxy.Redacted(), b.server.Host, answer.Status)
}

// sameOrigin refuses redirects to another scheme, host or port: client-go would
// send the credentials there.
func (b blame) sameOrigin(r *http.Request, via []*http.Request) error {
	from := via[0].URL
	if r.URL.Scheme != from.Scheme || r.URL.Host != from.Host {
		return problem.New("check the server in "+b.kubeconfig()+": is there a proxy or a login page before it?",
			"the server redirects to %s://%s; not followed, because the credentials would go there",
			r.URL.Scheme, r.URL.Host)
	}
	if len(via) >= 10 {
		return errors.New("the server redirects again and again")
	}
	return nil
}
