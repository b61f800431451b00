package mask

import (
	"os"
	"strings"
	"testing"
)

// Texts with a credential, which the word canary marks, by pattern. Tokens are put
// together here, so that no scanner takes this file for a leak.
var leaks = map[string][]string{
	"private key": {
		"cannot parse -----BEGIN RSA " + "PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY----- of the issuer",
		"-----BEGIN " + "PRIVATE KEY-----⏎canary⏎cut off",
		"-----BEGIN PGP " + "PRIVATE KEY BLOCK-----⏎canary",
	},
	"password in a URL": {
		"FATAL: could not connect: postgres://admin:canary@db:5432/shop",
		"failed to clone https://oauth2:canary@gitlab.example.com/shop.git: not found",
		"proxy-url: http://u:canary@proxy.example.com:3128",
		"redis://:canary@cache:6379/0", `dsn="amqp://guest:can@ary@mq"`, "https://admin:canary@[::1", "ht tp://u:canary@proxy",
	},
	"token in a URL":     {"https://0123456789abcdefghijcanary@git.example.com/x"},
	"password in a DSN":  {"connect to shop:canary@tcp(db:3306)/shop: refused"},
	"signature in a URL": {"GET https://x.blob.example.com/a?sp=r&sig=canary%3D&x=1 failed", "https://s3.example.com/a?X-Amz-Signature=canary", "/healthz?secret=canary"},
	"assignment": {
		"args: --db-password=canary", "Server=db;User Id=sa;Password=canary;", `password="canary with spaces" was refused`, "DB_PASSWORD=canary exec ./app",
		"apiKey = canary", "AccountKey=canary==;EndpointSuffix=core", "clientSecret='canary'", "token=canary.", "https://x/a?access_token=canary&b=1",
	},
	"field of JSON":     {`request {"user":"a","password":"canary"} failed`, `"{\"apiKey\": \"canary\"}"`},
	"bearer token":      {"Authorization: Bearer 0123456789canary0123", "header Basic Y2FuYXJ5OnB3canary1== refused", `curl -H "Authorization: token 0123456789canary01"`},
	"JSON Web Token":    {"token eyJ" + "hbGciOiJub25l.eyJzdWIiOiJj.canary is expired"},
	"access key of AWS": {"user AK" + "IA0123456789CANARY is not authorized"},
	"API key of Google": {"key AI" + "za0123456789canary0123456789012345678 not valid"},
	"token of GitHub":   {"gh" + "p_0123456789canary01234567890123456789 was refused", "github" + "_pat_0123456789canary0123456"},
	"token of GitLab":   {"gl" + "pat-0123456789canary0123"},
	"token of Slack":    {"xox" + "b-0123456789-canary"},
	"key of Stripe":     {"sk_" + "live_0123456789canary"},
	"secret key of age": {"AGE-SECRET" + "-KEY-1CANARY0123"},
	"token of npm, Docker Hub, Hugging Face or DigitalOcean": {"npm_" + "0123456789canary01234567890123456789", "dckr" + "_pat_0123456789canary0123", "hf_" + "0123456789canary0123456789012345"},
}

func TestCredentialsAreMasked(t *testing.T) {
	for _, p := range patterns {
		texts := leaks[p.name]
		if len(texts) == 0 {
			t.Errorf("%s: no text is tried", p.name)
		}
		for _, text := range texts {
			got := Credentials(text)
			if strings.Contains(strings.ToLower(got), "canary") || !strings.Contains(got, Placeholder) {
				t.Errorf("%s: %q becomes %q", p.name, text, got)
			}
			if again := Credentials(got); again != got {
				t.Errorf("%q becomes %q when it is masked again", got, again)
			}
		}
	}
}

// What remains of a text still says what failed, and where.
func TestMaskingKeepsTheRest(t *testing.T) {
	for text, want := range map[string]string{
		"could not connect: postgres://admin:hunter2@db:5432/shop": "could not connect: postgres://admin:***@db:5432/shop",
		"Server=db;User Id=sa;Password=hunter2;Timeout=5":          "Server=db;User Id=sa;Password=***;Timeout=5",
		`refused: token="abc", user="ci"`:                          `refused: token="***", user="ci"`,
		"GET /a?sig=abc&page=2: 403":                               "GET /a?sig=***&page=2: 403",
	} {
		if got := Credentials(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Texts without a credential, many of them of Kubernetes and its tools.
func TestOtherTextsAreNotMasked(t *testing.T) {
	for _, text := range []string{
		`Back-off pulling image "registry.example.com:5000/shop/web@sha256:0123456789abcdef": ErrImagePull`,
		"ssh://git@github.com/shop/web.git: not found", "git@github.com:shop/web.git", "http://web:8080/healthz?to=a@b.example.com",
		`Get "https://10.0.0.1:443/api?timeout=32s": dial tcp 10.0.0.1:443: connect: connection refused`,
		`MountVolume.SetUp failed for volume "token" : secret "db-token-x7k2p" not found`,
		`references non-existent secret key: password`, "password authentication failed for user \"shop\"", "secret=shop/db key=password",
		"couldn't find key password in Secret shop/db", "the password: is wrong", "password must be set", "DB_PASSWORD=$(PASSWORD)", "password=${PW}",
		"secretName=db", "passwordSecretRef=db", "token-ttl=5m", "tokenExpirationSeconds=3600", "maxTokens=4096", "token=<nil>", "token=true", "password=", "password==",
		"label app=web,tier=front", "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }",
		"Basic authentication is not supported", "bearer authentication required here", "basic troubleshooting",
		"-----BEGIN CERTIFICATE-----⏎MIIB⏎-----END CERTIFICATE-----", "skip_live_check_of_everything", "AKIA", "eyJ", "monkey=banana", "keyboard=de",
		`{"kind":"Status","message":"tokens are \"revoked\"","reason":"Expired"}`, `"secretName":"db"`, "MinimumReplicasUnavailable",
		"deploy/web-5c7b9d8f6-abcde", "2026-01-02T15:04:05Z level=error msg=\"cannot connect\" err=\"no such host\" token-file=/var/run/token",
	} {
		if got := Credentials(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestURLsOfUsers(t *testing.T) {
	for text, want := range map[string]string{
		"https://u:pw@host/app.yaml?token=pw&b=1#x": "https://u:***@host/app.yaml?token=***&b=1#x",
		"https://host/app.yaml?key=a&sig=b":         "https://host/app.yaml?key=a&sig=***",
		"https://host/app.yaml":                     "https://host/app.yaml",
		"app.yaml":                                  "app.yaml",
		"https://u:pw@[::1":                         "https://u:***@[::1",
	} {
		if got := URL(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// The quick look at a key finds all words.
func TestTheQuickLookFindsEveryWord(t *testing.T) {
	for word := range strings.FieldsSeq(secretWords) {
		if !maySecret("DB_" + strings.ToUpper(word)) {
			t.Errorf("%s is not found", word)
		}
	}
}

// docs/masking.md names the patterns, in their order.
func TestThePatternsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/masking.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(page)
	for _, p := range patterns {
		_, after, found := strings.Cut(rest, "\n| "+p.name+" |")
		if !found {
			t.Errorf("docs/masking.md has no row %q after the one before it", p.name)
			continue
		}
		rest = after
	}
}

func BenchmarkCredentials(b *testing.B) {
	for name, text := range map[string]string{
		"name":    "checkout-57488c46c9-gwwgf",
		"message": `Back-off pulling image "localhost:5000/shop/checkout:2.O": failed to resolve reference "localhost:5000/shop/checkout:2.O": not found`,
		"logfmt":  `time=2026-01-02T15:04:05Z level=info msg="request done" method=GET path=/healthz status=200 duration=1.5ms bytes=512 remote=10.0.0.1`,
		"url":     "could not connect: postgres://admin:hunter2@db:5432/shop",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Credentials(text)
			}
		})
	}
}
