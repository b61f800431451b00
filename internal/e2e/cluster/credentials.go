package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// User is a user that the API server knows.
type User string

// The users of a cluster.
const (
	// Admin may do everything.
	Admin User = "admin"
	// ReadOnly may get, list and watch everything.
	ReadOnly User = "read-only"
	// Namespaced may do nothing until AllowIn binds it in a namespace.
	Namespaced User = "one-namespace"
	// GetOnly may get everything, and neither list nor watch.
	GetOnly User = "get-only"
	// Nobody is authenticated and has no permissions.
	Nobody User = "nobody"

	// controllers is the user of the control plane's own programs and kwok. The
	// audit log leaves it out.
	controllers User = "control-plane"
)

// Users lists everyone whom a kubeconfig is written for.
var Users = []User{Admin, ReadOnly, Namespaced, GetOnly, Nobody, controllers}

func (u User) token() string { return "token-of-" + string(u) }

// writeCredentials fills dir with the certificates, keys, tokens and
// kubeconfigs of a cluster whose API server listens on port.
func writeCredentials(dir string, port int) error {
	ca, caKey, err := newCertificate(&x509.Certificate{
		Subject: pkix.Name{CommonName: "kstatus-tui test CA"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil, nil)
	if err != nil {
		return err
	}
	if err := writeServing(dir, ca, caKey); err != nil {
		return err
	}
	if _, _, err := writeClients(dir); err != nil {
		return err
	}
	accounts, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	var tokens strings.Builder
	for i, u := range Users {
		group := "kstatus-tui:users"
		if u == Admin || u == controllers {
			group = "system:masters"
		}
		fmt.Fprintf(&tokens, "%s,%s,%d,%q\n", u.token(), u, i+1, group)
	}
	files := map[string][]byte{
		"ca.crt":     certificatePEM(ca),
		"tokens.csv": []byte(tokens.String()),
	}
	for name, key := range map[string]*ecdsa.PrivateKey{"ca.key": caKey, "accounts.key": accounts} {
		if files[name], err = keyPEM(key); err != nil {
			return err
		}
	}
	for _, u := range Users {
		files[string(u)+".kubeconfig"] = kubeconfig(filepath.Join(dir, "ca.crt"), port, u)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeServing makes the certificate that the API server shows.
func writeServing(dir string, ca *x509.Certificate, caKey *ecdsa.PrivateKey) error {
	server, key, err := newCertificate(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, ca, caKey)
	if err != nil {
		return err
	}
	text, err := keyPEM(key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "server.key"), text, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "server.crt"), certificatePEM(server), 0o600)
}

// RotateCertificate gives the API server a new key and certificate of the same
// authority. It shows them once it has been started again.
func (c *Cluster) RotateCertificate() error {
	pair, err := tls.LoadX509KeyPair(c.path("ca.crt"), c.path("ca.key"))
	if err != nil {
		return err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return errors.New("the authority's key is of another kind")
	}
	return writeServing(c.dir, pair.Leaf, key)
}

// SignClients replaces the authority of client certificates. The API server
// reloads it by itself after a moment. sign makes certificates of the new one.
func (c *Cluster) SignClients() (sign func(u User, until time.Time) (certificate, key []byte, err error), err error) {
	ca, caKey, err := writeClients(c.dir)
	if err != nil {
		return nil, err
	}
	return func(u User, until time.Time) (certificate, key []byte, err error) {
		cert, private, err := newCertificate(&x509.Certificate{
			Subject: pkix.Name{CommonName: string(u), Organization: []string{"kstatus-tui:users"}}, NotAfter: until,
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		}, ca, caKey)
		if err != nil {
			return nil, nil, err
		}
		key, err = keyPEM(private)
		return certificatePEM(cert), key, err
	}, nil
}

// writeClients makes the authority of client certificates. Its file is there whole
// or not at all.
func writeClients(dir string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	ca, key, err := newCertificate(&x509.Certificate{
		Subject: pkix.Name{CommonName: "kstatus-tui test clients"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(dir, "clients.crt")
	return ca, key, errors.Join(os.WriteFile(file+".new", certificatePEM(ca), 0o600), os.Rename(file+".new", file))
}

// NewAuthority makes another authority, and a certificate of its for a server on
// loopback.
func NewAuthority() (authority []byte, server tls.Certificate, err error) {
	ca, caKey, err := newCertificate(&x509.Certificate{
		Subject: pkix.Name{CommonName: "another test CA"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil, nil)
	if err != nil {
		return nil, server, err
	}
	cert, key, err := newCertificate(&x509.Certificate{
		Subject: pkix.Name{CommonName: "kube-apiserver"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, ca, caKey)
	if err != nil {
		return nil, server, err
	}
	return certificatePEM(ca), tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key, Leaf: cert}, nil
}

func newCertificate(
	template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey,
) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if parent == nil {
		parent, parentKey = template, key
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62)); err != nil {
		return nil, nil, err
	}
	template.NotBefore = time.Now().Add(-24 * time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(24 * time.Hour * 365)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return cert, key, err
}

func certificatePEM(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

func kubeconfig(ca string, port int, u User) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: e2e
  cluster:
    server: https://127.0.0.1:%d
    certificate-authority: %s
users:
- name: %[3]s
  user:
    token: %[4]s
contexts:
- name: e2e
  context:
    cluster: e2e
    user: %[3]s
current-context: e2e
`, port, ca, u, u.token())
}
