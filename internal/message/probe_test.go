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
	{`Liveness probe errored and resulted in unknown state: port "PORT" not found`, Probing{Probe: "Liveness", Port: "PORT", Reason: `port "PORT" not found`}}, // kubernetes/kubernetes#139791
	{`Liveness probe failed: `, Probing{Probe: "Liveness"}},                                                                                                    // inspektor-gadget/inspektor-gadget#187
	{`Liveness probe failed: /bin/sh: 0: Can't open /live.sh NAME`, Probing{Probe: "Liveness", Reason: "/bin/sh: 0: Can't open /live.sh NAME"}},                // kubernetes/kubernetes#76453
	// What a program prints is no statement of the kubelet's.
	{`Readiness probe failed: strconv.Atoi: parsing "PORT": invalid syntax`, Probing{Probe: "Readiness", Reason: `strconv.Atoi: parsing "PORT": invalid syntax`}},
	{`Readiness probe failed: Container NAME failed liveness probe, will be restarted`, Probing{Probe: "Readiness", Reason: "Container NAME failed liveness probe, will be restarted"}},
	{`Stopping container NAME`, Probing{}},
	{`Stopping container: the startup probe failed: x`, Probing{}},
	{``, Probing{}},
}

// No name of a container or a port makes a probe's message another one.
func FuzzNoNameChangesWhatAProbeSays(f *testing.F) {
	for _, name := range []string{"app", "failed", "liveness", "probe", "exec", "404", "startup-probe-failed", "readiness.probe"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name = nameOf(name); name == "" {
			return
		}
		fill := strings.NewReplacer("NAME", name, "PORT", name)
		for _, c := range probings {
			want := c.want
			want.Killed, want.Port, want.Reason = fill.Replace(want.Killed), fill.Replace(want.Port), fill.Replace(want.Reason)
			if diff := cmp.Diff(want, Probe(fill.Replace(c.text))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", fill.Replace(c.text), diff)
			}
		}
	})
}

func TestAProbesCommandThatCannotStartIsRead(t *testing.T) {
	for text, want := range map[string]Step{
		`Liveness probe errored: rpc error: code = Unknown desc = failed to exec in container: failed to start exec "d1": OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/check": stat /bin/check: no such file or directory`: CommandMissing,
		`Readiness probe failed: OCI runtime exec failed: exec failed: unable to start container process: exec: "check": executable file not found in $PATH: unknown`:                                                                                              CommandMissing,
		// Actual-Chat/actual-chat#3034: a shell's line as the command
		`(combined from similar events): Liveness probe errored: rpc error: code = Unknown desc = failed to exec in container: failed to start exec "95": OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/curl -f http://localhost:1/p | grep -q '\"pid\"'": stat /bin/curl -f http://localhost:1/p | grep -q '"pid"': no such file or directory: unknown`: CommandMissing,
		// elastic/helm-charts#306, ManageIQ/manageiq-pods#475: quoted once and three times
		`Liveness probe failed: rpc error: code = 2 desc = oci runtime error: exec failed: container_linux.go:235: starting container process caused "exec: \"sh -c /tmp/live.sh\": stat sh -c /tmp/live.sh: no such file or directory"`:                           CommandMissing,
		`Liveness probe errored: rpc error: code = Unknown desc = command error: time="2020-04-30T03:10:44Z" level=error msg="exec failed: container_linux.go:349: starting container process caused \"exec: \\\"pidof\\\": executable file not found in $PATH\""`: CommandMissing,
		// konflux-ci/konflux-ci#1975
		`Liveness probe failed: OCI runtime exec failed: exec failed: unable to start container process: exec: "echo \"up\"": executable file not found in $PATH`: CommandMissing,
		// kubernetes/kubernetes#89862: the command is not to blame
		`Liveness probe failed: OCI runtime exec failed: exec failed: container_linux.go:348: starting container process caused "process_linux.go:90: adding pid 21603 to cgroups caused \"failed to write 21603 to cgroup.procs: invalid argument\"": unknown`: OtherStep,
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
	// kubernetes/kubernetes#115680, influxdata/helm-charts#336
	if x := PostStart(`Exec lifecycle hook ([/bin/sh -c mount -t cifs x ]) for Container "base" in Pod "a_test(6-1)" failed - error: command '/bin/sh -c mount -t cifs x ' exited with 137: , message: ""`); x.Start.Reason != "command '/bin/sh -c mount -t cifs x ' exited with 137" {
		t.Errorf("reason %q", x.Start.Reason)
	}
	if x := PostStart(`Exec lifecycle hook ([sh -c influx]) for Container "db" in Pod "db-0_perf(0-2)" failed - error: command 'sh -c influx' exited with 1: , message: "Error: invalid argument \"--default\" for \"--bucket-id\" flag: id must have a length of 16 bytes\nSee 'influx -h' for help\n"`); !strings.Contains(x.Start.Reason, "id must have a length of 16 bytes") {
		t.Errorf("reason %q", x.Start.Reason)
	}
	if x := PostStart("PostStartHook failed"); x.Command != "" || x.Start.Reason != "PostStartHook failed" {
		t.Errorf("without an error: %+v", x)
	}
}

func TestEvictionsAreRead(t *testing.T) {
	for text, want := range map[string]Eviction{
		`The node was low on resource: memory. `: {Resource: "memory"},
		`The node was low on resource: memory. Container c was using 90Mi, which exceeds its request of 0. `:                                                                                                        {Resource: "memory", Container: "c", Used: "90Mi", Requested: "0"},
		`The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 9Mi. Container app was using 3Gi, request is 10Mi, has larger consumption of ephemeral-storage. `:                     {Resource: "ephemeral-storage", Container: "app", Used: "3Gi", Requested: "10Mi"},
		`The node was low on resource: ephemeral-storage. Container a was using 3Gi, request is 0, has larger consumption of ephemeral-storage. Container b was using 1Gi, request is 1Mi, has larger consumption.`: {Resource: "ephemeral-storage", Container: "a", Used: "3Gi", Requested: "0"},
		// amygdala-labs/cosmos-operator#185, nforgeio/neonKUBE#1897, kubernetes/test-infra#1152
		`The node was low on resource: memory. Container node was using 35505620Ki, which exceeds its request of 12Gi. `:                                                          {Resource: "memory", Container: "node", Used: "35505620Ki", Requested: "12Gi"},
		`The node was low on resource: memory. Container a was using 27484Ki, which exceeds its request of 1.5Gi. Container b was using 9736Ki, which exceeds its request of 0. `: {Resource: "memory", Container: "a", Used: "27484Ki", Requested: "1.5Gi"},
		`The node was low on compute resources.`:                                        {},
		`Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. `: {},
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
		// hjacobs/kube-ops-view#176, kubernetes/community#6979, kubeflow/kubeflow#2698
		{`Failed to pull image "IMAGE": rpc error: code = Unknown desc = Error response from daemon: Get https://registry-1.docker.io/v2/: dial tcp: lookup registry-1.docker.io on 127.0.0.53:53: server misbehaving`, Pull{Image: image, Kind: Unreachable, Cause: "Error response from daemon: Get https://registry-1.docker.io/v2/: dial tcp: lookup registry-1.docker.io on 127.0.0.53:53: server misbehaving"}},
		{`Failed to pull image "IMAGE": rpc error: code = Unknown desc = failed to pull and unpack image "IMAGE": failed to resolve reference "IMAGE": failed to do request: Head "https://registry-1.docker.io/v2/x/manifests/latest": net/http: TLS handshake timeout`, Pull{Image: image, Kind: Unreachable, Cause: `failed to resolve reference "IMAGE": failed to do request: Head "https://registry-1.docker.io/v2/x/manifests/latest": net/http: TLS handshake timeout`}},
		{`Error response from daemon: Get https://gcr.io/v2/: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)`, Pull{Kind: Unreachable, Cause: "Error response from daemon: Get https://gcr.io/v2/: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)"}},
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
