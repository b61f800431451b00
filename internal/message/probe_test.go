package message

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the kubelet writes (kubernetes v1.36), of a container NAME and a port PORT.
var probings = []struct {
	text string
	want Probing
}{
	{`Readiness probe failed: HTTP probe failed with statuscode: 503`, Probing{Probe: "Readiness", Reason: "503"}},
	{`Liveness probe failed: Get "http://10.0.0.1:8080/NAME": dial tcp 10.0.0.1:8080: connect: connection refused`, Probing{Probe: "Liveness", Reason: "connection refused"}},
	{`Startup probe failed: dial tcp 10.0.0.1:8080: i/o timeout`, Probing{Probe: "Startup", Reason: "dial tcp 10.0.0.1:8080: i/o timeout"}},
	{`Readiness probe errored: strconv.Atoi: parsing "PORT": invalid syntax`, Probing{Probe: "Readiness", Port: "PORT", Reason: `strconv.Atoi: parsing "PORT": invalid syntax`}},
	{`Startup probe errored and resulted in unknown state: strconv.Atoi: parsing "PORT": invalid syntax`, Probing{Probe: "Startup", Port: "PORT", Reason: `strconv.Atoi: parsing "PORT": invalid syntax`}},
	{`Container NAME failed liveness probe, will be restarted`, Probing{Probe: "Liveness", Killed: "NAME"}},
	{`Container NAME failed startup probe, will be restarted`, Probing{Probe: "Startup", Killed: "NAME"}},
	{`Init container NAME failed startup probe`, Probing{Probe: "Startup", Killed: "NAME"}},
	{`Killing container with id docker://NAME:Container NAME failed liveness probe, will be restarted`, Probing{Probe: "Liveness", Killed: "NAME"}},
	// What a program prints is no statement of the kubelet's.
	{`Readiness probe failed: strconv.Atoi: parsing "PORT": invalid syntax`, Probing{Probe: "Readiness", Reason: `strconv.Atoi: parsing "PORT": invalid syntax`}},
	{`Readiness probe failed: Container NAME failed liveness probe, will be restarted`, Probing{Probe: "Readiness", Reason: "Container NAME failed liveness probe, will be restarted"}},
	{`Stopping container NAME`, Probing{}},
	{`Stopping container: the startup probe failed: x`, Probing{}},
	{``, Probing{}},
}

func TestProbesAreRead(t *testing.T) {
	for _, name := range []string{"app", "failed", "liveness", "probe", "exec", "404", "startup-probe-failed", "readiness.probe"} {
		fill := strings.NewReplacer("NAME", name, "PORT", name)
		for _, c := range probings {
			want := c.want
			want.Killed, want.Port, want.Reason = fill.Replace(want.Killed), fill.Replace(want.Port), fill.Replace(want.Reason)
			if diff := cmp.Diff(want, Probe(fill.Replace(c.text))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", fill.Replace(c.text), diff)
			}
		}
	}
}

func TestAProbesCommandThatCannotStartIsRead(t *testing.T) {
	for text, want := range map[string]Step{
		`Liveness probe errored: rpc error: code = Unknown desc = failed to exec in container: failed to start exec "d1": OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/check": stat /bin/check: no such file or directory`: CommandMissing,
		`Readiness probe failed: OCI runtime exec failed: exec failed: unable to start container process: exec: "check": executable file not found in $PATH: unknown`:                                                                                              CommandMissing,
		`Readiness probe failed: panic: open /var/x.json: no such file or directory`: OtherStep,
	} {
		if got := Probe(text).Start.Step; got != want {
			t.Errorf("%s: step %d, want %d", text, got, want)
		}
	}
}

func TestHooksAreRead(t *testing.T) {
	x := PostStart(`Exec lifecycle hook ([sh -c exit 3]) for Container "app" in Pod "web_shop(1-2)" failed - error: command 'sh -c exit 3' exited with 3: , message: ""`)
	if x.Command != "[sh -c exit 3]" || !strings.Contains(x.Start.Reason, "exited with 3") {
		t.Errorf("got %+v", x)
	}
	if x := PostStart(`Exec lifecycle hook ([/hook]) for Container "app" in Pod "web_shop(1-2)" failed - error: command '/hook' exited with 1: no database, message: "no database here"`); !strings.Contains(x.Start.Reason, "no database here") {
		t.Errorf("what the hook printed is lost: %+v", x)
	}
	if x := PostStart("PostStartHook failed"); x.Command != "" || x.Start.Reason != "PostStartHook failed" {
		t.Errorf("without an error: %+v", x)
	}
}

func TestEvictionsAreRead(t *testing.T) {
	for text, want := range map[string]Eviction{
		`The node was low on resource: memory. `: {Resource: "memory"},
		`The node was low on resource: memory. Container c was using 90Mi, which exceeds its request of 0. `:                                                                                                        {Resource: "memory", Container: "c", Used: "90Mi"},
		`The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 9Mi. Container app was using 3Gi, request is 10Mi, has larger consumption of ephemeral-storage. `:                     {Resource: "ephemeral-storage", Container: "app", Used: "3Gi", Requested: "10Mi"},
		`The node was low on resource: ephemeral-storage. Container a was using 3Gi, request is 0, has larger consumption of ephemeral-storage. Container b was using 1Gi, request is 1Mi, has larger consumption.`: {Resource: "ephemeral-storage", Container: "a", Used: "3Gi", Requested: "0"},
		`Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. `:                                                                                                                             {},
	} {
		if got := Evicted(text); got != want {
			t.Errorf("%s:\n%+v, want %+v", text, got, want)
		}
	}
}

func TestACommandOfAnotherPlatformIsRecognised(t *testing.T) {
	for text, want := range map[string]bool{
		`exec /usr/local/bin/docker-entrypoint.sh: exec format error`:                        true,
		`standard_init_linux.go:228: exec user process caused: exec format error`:            true,
		`standard_init_linux.go:211: exec user process caused "exec format error"`:           true,
		`/entrypoint.sh: line 3: /app/server: cannot execute binary file: Exec format error`: true,
		`could not run exec-format-error.sh: exit status 1`:                                  false,
		`the docs say what an exec format error means`:                                       false,
	} {
		if got := WrongBuild(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestPullsAreRead(t *testing.T) {
	const image = "ghcr.io/acme/build-404:429"
	for _, c := range []struct {
		text string
		want Pull
	}{
		{`Back-off pulling image "IMAGE"`, Pull{Image: image}},
		{`Back-off pulling image "IMAGE": ErrImagePull: failed to authorize: unexpected status: 403 Forbidden`, Pull{Image: image, Kind: Denied, Cause: "failed to authorize: unexpected status: 403 Forbidden"}},
		{`Failed to pull image "IMAGE": rpc error: code = NotFound desc = failed to pull and unpack image "IMAGE": failed to resolve reference "IMAGE": IMAGE: not found`, Pull{Image: image, Kind: NotFound, Cause: `failed to resolve reference "IMAGE": not found`}},
		{`failed to pull and unpack image "IMAGE": IMAGE: not found`, Pull{Image: image, Kind: NotFound, Cause: "IMAGE: not found"}},
		{`Error response from daemon: pull access denied for acme/app, repository does not exist or may require 'docker login': denied: requested access to the resource is denied`, Pull{Kind: Denied, NameOrLogin: true, Cause: `Error response from daemon: pull access denied for acme/app, repository does not exist or may require 'docker login': denied: requested access to the resource is denied`}},
		{`429 Too Many Requests - toomanyrequests: You have reached your pull rate limit as 'somebody': abc`, Pull{Kind: RateLimited, Cause: "429 Too Many Requests - toomanyrequests: You have reached your pull rate limit as '…': abc"}},
	} {
		c.want.Cause = strings.ReplaceAll(c.want.Cause, "IMAGE", image)
		if diff := cmp.Diff(c.want, Pulling(strings.ReplaceAll(c.text, "IMAGE", image), image)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestAPullsCauseNamesTheImageOnce(t *testing.T) {
	const want = `failed to resolve reference "r.example/web:2.O": not found`
	for _, msg := range []string{
		`Back-off pulling image "r.example/web:2.O": ErrImagePull: failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		`rpc error: code = NotFound desc = failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		`Failed to pull image "r.example/web:2.O": rpc error: code = NotFound desc = failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		want,
	} {
		if got := Pulling(msg).Cause; got != want {
			t.Errorf("Pulling(%q)\n got %q\nwant %q", msg, got, want)
		}
	}
	for msg, want := range map[string]string{"": "", `Back-off pulling image "r.example/web:2.O"`: "", "unauthorized: who are you?": "unauthorized: who are you?"} {
		if got := Pulling(msg).Cause; got != want {
			t.Errorf("Pulling(%q) = %q, want %q", msg, got, want)
		}
	}
}
