package message

import (
	"fmt"
	"strings"
	"testing"
)

// What runtimes and registries say about a pull of IMAGE (REPO, TAG, HOST). Sources: the projects'
// own texts, see failures.
var pullErrors = []struct {
	text string
	want Failure
}{
	{`failed to pull and unpack image "IMAGE": failed to resolve reference "IMAGE": failed to do request: Head "https://HOST/v2/REPO/manifests/TAG": dial tcp: lookup HOST: no such host`, Unreachable},
	{`failed to do request: Head "https://HOST/v2/REPO/manifests/TAG": dial tcp: lookup HOST on 10.96.0.10:53: read udp 10.244.0.5:PORT->10.96.0.10:53: i/o timeout`, Unreachable},
	{`failed to do request: Head "https://HOST/v2/REPO/manifests/TAG": dial tcp 10.0.0.4:PORT: connect: connection refused`, Unreachable},
	{`failed to do request: Head "https://HOST/v2/REPO/manifests/TAG": tls: failed to verify certificate: x509: certificate is valid for internal.lan, not HOST`, Unreachable},
	{`failed to resolve reference "IMAGE": unexpected status from HEAD request to https://HOST/v2/REPO/manifests/TAG: 503 Service Unavailable`, Unreachable},
	{`httpReadSeeker: failed open: failed to do request: Get "https://HOST/v2/REPO/blobs/sha256:4044290404": EOF`, Unreachable},
	{`Error response from daemon: Get https://HOST/v2/: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)`, Unreachable},
	{`failed to resolve reference "IMAGE": IMAGE: not found`, NotFound},
	{`failed to resolve reference "IMAGE": unexpected status from HEAD request to https://HOST/v2/REPO/manifests/TAG: 404 Not Found`, NotFound},
	{`initializing source docker://IMAGE: reading manifest TAG in HOST/REPO: manifest unknown`, NotFound},
	{`Error response from daemon: manifest for IMAGE not found: manifest unknown: manifest unknown`, NotFound},
	{`failed to resolve reference "IMAGE": failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://HOST/token?scope=repository%3AREPO%3Apull: 401 Unauthorized`, Denied},
	{`Error response from daemon: pull access denied for REPO, repository does not exist or may require 'docker login': denied: requested access to the resource is denied`, Denied},
	{`failed to resolve reference "IMAGE": pulling from host HOST failed with status code [manifests TAG]: 403 Forbidden`, Denied},
	{`failed to copy: httpReadSeeker: failed open: unexpected status code https://HOST/v2/REPO/manifests/sha256:4044290: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit`, RateLimited},
	{`initializing source docker://IMAGE: reading manifest TAG in HOST/REPO: toomanyrequests: too many requests`, RateLimited},
	{`failed to pull and unpack image "IMAGE": no match for platform in manifest: not found`, WrongPlatform},
	{`no matching manifest for linux/arm64/v8 in the manifest list entries`, WrongPlatform},
	{`failed to extract layer sha256:404429: write /var/lib/x: no space left on device`, DiskFull},
	{`rpc error: code = Unknown desc = something else happened`, OtherFailure},
}

func pullError(text, host, repo, tag, port string) (message, image string) {
	image = host + "/" + repo + ":" + tag
	if strings.Contains(tag, "sha256") {
		image = host + "/" + repo + "@" + tag
	}
	return strings.NewReplacer("IMAGE", image, "HOST", host, "REPO", repo, "TAG", tag, "PORT", port).Replace(text), image
}

func TestPullErrorsAreClassified(t *testing.T) {
	for _, c := range pullErrors {
		text, image := pullError(c.text, "registry.local", "shop/app", "1.2.3", "5000")
		if got := FailureOf(text, image); got != c.want {
			t.Errorf("%s\n is %d, want %d; plain: %s", text, got, c.want, Plain(text, image))
		}
	}
}

// nameOf is what of a text may stand in a name or a tag.
func nameOf(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, s)
	return strings.Trim(s, "-.")
}

// No name, tag, digest, host or port that is put into a message makes it another kind of failure.
func FuzzNoNameChangesTheKindOfAFailure(f *testing.F) {
	words := []string{
		"404", "429", "build-14290", "v1.404.0", "sha-3f404ab", "unauthorized", "access-denied", "not-found", "toomanyrequests", "x509-tool",
		"timeout", "eof", "503", "no-match-for-platform", "denied", "i", "502-bad", "tls", "manifest-unknown", "status-401",
	}
	for i, w := range words {
		f.Add(w, words[(i+7)%len(words)], uint16(40404+i))
	}
	f.Fuzz(func(t *testing.T, name, tag string, port uint16) {
		if name, tag = nameOf(name), nameOf(tag); name == "" || tag == "" {
			return
		}
		for _, host := range []string{"registry.corp.io", name + ".corp.io", name + ":5000", "localhost:" + fmt.Sprint(port)} {
			for _, digest := range []string{tag, "sha256:4042940100" + fmt.Sprintf("%054x", port)} {
				for _, c := range pullErrors {
					text, image := pullError(c.text, host, "shop/"+name, digest, fmt.Sprint(port))
					if got := FailureOf(text, image, host, host+"/shop/"+name); got != c.want {
						t.Fatalf("%s\n is %d, want %d; plain: %s", text, got, c.want, Plain(text, image))
					}
				}
			}
		}
	})
}

func TestMissingPermissionsAndTrustNeedAction(t *testing.T) {
	for text, want := range map[string]bool{
		`Head "https://quay.io/v2/": x509: certificate signed by unknown authority`:                        true,
		`vault.read(secret): Code: 403. Errors: * permission denied (retry attempt 9 after "1m0s")`:        true,
		`User: arn:aws:iam::1:role/x is not authorized to perform: elasticloadbalancing:AddTags`:           true,
		`status 403: Authorization: token does not have access to vault`:                                   true,
		`toomanyrequests: access denied, you have reached your pull rate limit`:                            false,
		`dial tcp 10.0.0.1:3306: connect: connection refused`:                                              false,
		`secret "permission-denied" is not there yet`:                                                      false,
		`failed to pull image "x509/web:1": rpc error: code = Unavailable desc = connection reset by peer`: false,
	} {
		if got := RemedyOf(text) == Permission; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestTheRefusedObjectIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`one or more objects failed to apply, reason: ConfigMap "dashboards" is invalid: metadata.annotations: Too long: must have at most 262144 bytes`: "ConfigMap dashboards",
		`CustomResourceDefinition.apiextensions.k8s.io "policies.kyverno.io" is invalid: metadata.annotations: Too long`:                                 "CustomResourceDefinition policies.kyverno.io",
		`the image "web" is invalid: no tag`: "",
	} {
		if got := Invalid(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestAnOutageMayPass(t *testing.T) {
	for text, want := range map[string]bool{
		`error establishing MySQL connection: dial tcp 10.0.0.1:3306: connect: connection refused`: true,
		`Get "https://gcr.io/v2/": dial tcp 10.0.0.1:443: i/o timeout`:                             true,
		`x509: certificate signed by unknown authority; connection reset`:                          false,
		`secret "connection refused" does not exist`:                                               false,
	} {
		if got := RemedyOf(text) == Recovery; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestOnlyABareTimeoutHasNoReason(t *testing.T) {
	for text, want := range map[string]bool{
		"Error syncing load balancer: failed to ensure load balancer: timed out waiting for the condition": true,
		"rpc error: code = DeadlineExceeded desc = context deadline exceeded":                              true,
		`failed calling webhook "w.example.com": context deadline exceeded`:                                false,
		"timed out waiting for subnet-12 to be deleted":                                                    false,
		"no subnets with free addresses":                                                                   false,
	} {
		if got := OnlyRanOutOfTime(text); got != want {
			t.Errorf("%s: %t, want %t (reason %q)", text, got, want, Reason(text))
		}
	}
}
