package controllers

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// sealed is a SealedSecret that the controller can open in this namespace only, sealed
// with the newest key that it has published.
func (p place) sealed(name, value string) string {
	p.Helper()
	secrets, err := shared.Kind(p.Context(), "v1", "Secret", "default")
	if err != nil {
		p.Fatal(err)
	}
	var list *unstructured.UnstructuredList
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Second) { // it makes its first key when it starts
		list, err = secrets.List(p.Context(), metav1.ListOptions{LabelSelector: "sealedsecrets.bitnami.com/sealed-secrets-key=active"})
		if err == nil && len(list.Items) > 0 {
			break
		}
		if time.Now().After(deadline) {
			p.Fatalf("no key, %v", err)
		}
	}
	text, err := base64.StdEncoding.DecodeString(list.Items[0].Object["data"].(map[string]any)["tls.crt"].(string))
	if err != nil {
		p.Fatal(err)
	}
	block, _ := pem.Decode(text)
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		p.Fatal(err)
	}
	ciphertext, err := seal(certificate.PublicKey.(*rsa.PublicKey), p.ns+"/"+name, value)
	if err != nil {
		p.Fatal(err)
	}
	return sealedAs(name, ciphertext)
}

// seal encrypts as kubeseal does (sealed-secrets pkg/crypto/crypto.go, HybridEncrypt): a
// session key by RSA-OAEP with the scope as its label, the value by AES-GCM with it.
func seal(key *rsa.PublicKey, label, value string) ([]byte, error) {
	session := make([]byte, 32)
	if _, err := rand.Read(session); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(session)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	wrapped, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, key, session, []byte(label))
	if err != nil {
		return nil, err
	}
	out := append([]byte{byte(len(wrapped) >> 8), byte(len(wrapped))}, wrapped...)
	return aead.Seal(out, make([]byte, aead.NonceSize()), []byte(value), nil), nil
}

func sealedAs(name string, ciphertext []byte) string {
	return fmt.Sprintf("apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: %[1]s}\nspec: {encryptedData: {password: %[2]q}, template: {metadata: {name: %[1]s}}}\n",
		name, base64.StdEncoding.EncodeToString(ciphertext))
}

func TestSealedSecretsAreJudgedByWhatTheirControllerWrites(t *testing.T) {
	const (
		api    = "bitnami.com/v1alpha1"
		needs  = "sealed-secrets"
		source = "sealedsecret/db"
	)
	foreign := sealedAs("db", []byte("sealed with a key that nobody has"))
	failing := func(says string) []moment {
		return []moment{
			{after: 5 * second, verdict: "InProgress|Failed"},
			{after: 40 * second, verdict: "Failed", says: says, never: guesses},
			{after: 100 * second, verdict: "Failed", says: says, never: guesses},
		}
	}
	healthy := func(p place) {
		p.apply(p.sealed("db", "hunter2"))
		p.until("Current", source)
	}
	play(t, []scenario{
		{
			name: "healthy", source: source, needs: needs,
			make: func(p place) { p.apply(p.sealed("db", "hunter2")) },
			says: []moment{{verdict: "InProgress|Current"}, {after: 5 * second, verdict: "InProgress|Current"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "nobody has the key", source: source, needs: needs, waits: 2,
			make: func(p place) { p.apply(foreign) },
			says: failing("decrypt"),
		},
		{
			name: "a later change cannot be opened", source: source, needs: needs, waits: 2,
			make: func(p place) {
				healthy(p)
				p.apply(foreign)
			},
			says: failing("decrypt"),
		},
		{
			name: "a later change is opened", source: source, needs: needs,
			make: func(p place) {
				healthy(p)
				p.apply(p.sealed("db", "hunter3"))
			},
			says: []moment{{after: 5 * second, verdict: "InProgress|Current"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "mended later", source: source, needs: needs, waits: notWaited,
			make: func(p place) {
				p.apply(foreign)
				p.after(50*second, func() { p.apply(p.sealed("db", "hunter2")) })
			},
			says: []moment{{after: 40 * second, verdict: "Failed", says: "decrypt"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "somebody else's Secret is in its place", source: source, needs: needs, waits: 2,
			make: func(p place) {
				p.apply("apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: other}\n")
				p.apply(p.sealed("db", "hunter2"))
			},
			says: failing("already exists and is not managed"),
		},
		{
			name: "deleted while it fails", source: source, needs: needs, waits: notWaited,
			make: func(p place) {
				p.apply(foreign)
				p.until("Failed", source)
				p.delete(api, "SealedSecret", "db")
			},
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "lab.example.org/hold"}, {after: 40 * second, verdict: "InProgress", says: "lab.example.org/hold", never: "is it running"}},
		},
	})
}
