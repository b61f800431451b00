package mask

import (
	"encoding/base64"
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
	"private key in base64":   {"client-key-data: " + base64.StdEncoding.EncodeToString([]byte("-----BEGIN RSA "+"PRIVATE KEY-----\ncanary and more of it"))},
	"password of jdbc:oracle": {"jdbc:oracle:thin:scott/canary@//db:1521/ORCL"},
	"password of curl":        {"curl -u admin:canary https://nexus/x failed", `sh -c "curl --user='ci:canary' https://nexus"`},
	"webhook of Slack":        {"POST https://hooks.slack.com/" + "services/T0000/B0000/canary: no_service"},
	"field of YAML, or header": {
		"AZURE_CLIENT_SECRET: 3Ab8Q~canary", "users:\n- name: admin\n  user:\n    token: canary0123456789", "x-api-key: canary0123456789abcdef",
		"X-Vault-Token: 0canary", `adminPassword: "canary 1"`, `{"msg":"values: adminPassword: \"canary 1\" refused"}`,
	},
	"token of Vault":             {"vault token hvs." + "CAESIcanary0123456789abcdefghij was denied"},
	"key of OpenAI or Anthropic": {"sk-" + "proj-canary0123456789ABCDEFGHIJ", "sk-" + "ant-api03-canaryABCDEFGH012345678"},
	"key of SendGrid":            {"SG." + "canary0123456789ab.canary0123456789abcdefghij"},
	"password in a URL": {
		"FATAL: could not connect: postgres://admin:canary@db:5432/shop",
		"failed to clone https://oauth2:canary@gitlab.example.com/shop.git: not found",
		"proxy-url: http://u:canary@proxy.example.com:3128",
		"redis://:canary@cache:6379/0", `dsn="amqp://guest:can@ary@mq"`, "https://admin:canary@[::1", "ht tp://u:canary@proxy",
	},
	"token in a URL":     {"https://0123456789abcdefghijcanary@git.example.com/x"},
	"password in a DSN":  {"connect to shop:canary@tcp(db:3306)/shop: refused"},
	"signature in a URL": {"GET https://x.blob.example.com/a?sp=r&sig=canary%3D&x=1 failed", "https://s3.example.com/a?X-Amz-Signature=canary", "/healthz?secret=canary", `{"err":"Get \"https://x.example.com/a?sp=r\u0026sig=canary\": denied"}`},
	"assignment": {
		"args: --db-password=canary", "Server=db;User Id=sa;Password=canary;", `password="canary with spaces" was refused`, "DB_PASSWORD=canary exec ./app",
		"apiKey = canary", "AccountKey=canary==;EndpointSuffix=core", "clientSecret='canary'", "token=canary.", "https://x/a?access_token=canary&b=1",
		`{"msg":"dsn: password=\"canary\" host=db"}`, `level=error msg="password=\"can\\\"ary\" host=db"`, `{"log":"{\"msg\":\"password=\\\"canary\\\"\"}"}`,
		`password="a\"canary" host=db`, `{"args":"--password=canary\""}`,
	},
	"field of JSON":     {`request {"user":"a","password":"canary"} failed`, `"{\"apiKey\": \"canary\"}"`, `{"auths":{"ghcr.io":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("u:canary")) + `"}}}`},
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
func TestMaskingKeepsTheTextAroundASecret(t *testing.T) {
	for text, want := range map[string]string{
		"could not connect: postgres://admin:hunter2@db:5432/shop": "could not connect: postgres://admin:***@db:5432/shop",
		"Server=db;User Id=sa;Password=hunter2;Timeout=5":          "Server=db;User Id=sa;Password=***;Timeout=5",
		`refused: token="abc", user="ci"`:                          `refused: token="***", user="ci"`,
		"cannot fetch https://x/a?token=hunter2: dial tcp":         "cannot fetch https://x/a?token=***: dial tcp",
		"GET /a?sig=abc&page=2: 403":                               "GET /a?sig=***&page=2: 403",
		`{"msg":"password=\"hunter2\" host=db","a":1}`:             `{"msg":"password=\"***\" host=db","a":1}`,
		`{"args":"--password=hunter2\"","a":1}`:                    `{"args":"--password=***\"","a":1}`,
		`{"err":"\"/a?x=1\u0026sig=abc\": 403"}`:                   `{"err":"\"/a?x=1\u0026sig=***\": 403"}`,
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
		// Hashes, digests, versions and names (twenty of public reports).
		"pod uid 6f9619ff-8b86-d011-b42d-00c04fc964ff", `resourceVersion=123456789 etag="33a64df551425fcc55e4d42a148795d9f25f89d4"`,
		"commit 9c2f1d4e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e is not on main", "pod-template-hash=57488c46c9", "base64 SGVsbG8gd29ybGQ= is harmless",
		"hash 5f4dcc3b5aa765d61d8327deb882cf99", "x-request-id: 0123456789abcdef0123456789", "arn:aws:iam::123456789012:role/shop",
		"task-0123456789012345678901234567890123456789", "risk-assessment-service-0123456789", "sk-web-7c88b5d9f4-abcdefghij", "SG.shop is no key",
		"idempotencyKey=abc-123", "partitionKey=shop", "keyId=alias/shop", "--password-file=/run/secrets/db", "csrf token: missing", "token: none",
		"password: must have 8 characters", "error: token expired", "invalid token: unexpected end of JSON input", "token: https://idp.example.com/oauth2",
		"certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUI=", "secretName: db-credentials-2", "user: admin-2024",
		"hv.example.com", "https://hooks.slack.com/", "deploy/web-5c7b9d8f6-abcde", "2026-01-02T15:04:05Z level=error msg=\"cannot connect\" err=\"no such host\" token-file=/var/run/token",
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
func TestTheFastCheckOfAKeyFindsEverySecretWord(t *testing.T) {
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
