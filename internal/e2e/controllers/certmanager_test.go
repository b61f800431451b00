package controllers

import "testing"

func TestCertificatesAreJudgedByWhatCertManagerWrites(t *testing.T) {
	const (
		api     = "cert-manager.io/v1"
		issuer  = "apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: self}\nspec: {selfSigned: {}}\n---\n"
		needs   = "cert-manager"
		guesses = guesses + "|is it running"
	)
	certificate := func(name, spec string) string {
		return "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: " + name + "}\nspec: {dnsNames: [web.example.org], " + spec + "}\n"
	}
	self := certificate("web", "secretName: web-tls, issuerRef: {name: self}")
	play(t, []scenario{
		{
			name: "healthy", source: "certificate/web issuer/self", needs: needs,
			make: func(p place) { p.apply(issuer + self) },
			says: []moment{{verdict: "InProgress|Current"}, {after: 5 * second, verdict: "InProgress|Current"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "an authority of its own", source: "--all", needs: needs,
			make: func(p place) {
				p.apply(issuer + certificate("ca", "isCA: true, commonName: ca, secretName: ca, issuerRef: {name: self}") +
					"---\napiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: ca}\nspec: {ca: {secretName: ca}}\n---\n" +
					certificate("web", "secretName: web-tls, issuerRef: {name: ca}"))
			},
			// cert-manager may have done all of it before anybody can ask.
			says: []moment{{verdict: "InProgress|Current"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "there is no such issuer", source: "certificate/web", needs: needs, waits: 3,
			make: func(p place) { p.apply(certificate("web", "secretName: web-tls, issuerRef: {name: gone}")) },
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "gone"}, {after: 40 * second, verdict: "InProgress|Failed", says: "Issuer.*gone", never: guesses}, {after: 100 * second, verdict: "InProgress|Failed", says: "Issuer.*gone"}},
		},
		{
			name: "a later change names no issuer that exists", source: "certificate/web", needs: needs, waits: 3,
			make: func(p place) {
				p.apply(issuer + self)
				p.until("Current", "certificate/web")
				p.patch(api, "Certificate", "web", `{"spec":{"issuerRef":{"name":"gone"}}}`)
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 40 * second, verdict: "InProgress|Failed", says: "Issuer.*gone"}, {after: 100 * second, verdict: "InProgress|Failed", says: "Issuer.*gone"}},
		},
		{
			name: "the authority's Secret is missing", source: "issuer/ca", needs: needs, waits: 2,
			make: func(p place) {
				p.apply("apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: ca}\nspec: {ca: {secretName: nowhere}}\n")
			},
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "nowhere"}, {after: 40 * second, verdict: "Failed", says: "nowhere"}, {after: 100 * second, verdict: "Failed", says: "nowhere"}},
		},
		{
			name: "the missing issuer comes late", source: "certificate/web", needs: needs,
			make: func(p place) {
				p.apply(certificate("web", "secretName: web-tls, issuerRef: {name: self}"))
				p.after(50*second, func() { p.apply(issuer) })
			},
			says: []moment{{after: 40 * second, verdict: "InProgress|Failed", says: "Issuer.*self"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "deleted while it fails", source: "certificate/web", needs: needs, waits: notWaited,
			make: func(p place) {
				p.apply(certificate("web", "secretName: web-tls, issuerRef: {name: gone}"))
				p.until("InProgress", "certificate/web")
				p.delete(api, "Certificate", "web")
			},
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "lab.example.org/hold"}, {after: 40 * second, verdict: "InProgress", says: "lab.example.org/hold", never: guesses}},
		},
	})
}
