package logline

import (
	"strings"
	"testing"
)

// A program that fails reports the fault first, and sums up last. What only sums up is not the reason, if
// the fault stands close to it.
func TestAFaultOutweighsTheLineThatSumsItUp(t *testing.T) {
	const klog = "E0101 01:00:0"
	for _, c := range []struct {
		about string
		lines []string
		want  string
	}{
		{
			"a package manager and its mirrors (Mellanox/network-operator#830)",
			[]string{
				"Errors during downloading metadata for repository 'appstream':",
				"  - Curl error (6): Couldn't resolve host name for https://cdn.redhat.com/repomd.xml [Could not resolve host: cdn.redhat.com]",
				"Error: Failed to download metadata for repo 'appstream': Cannot download repomd.xml: All mirrors were tried",
			},
			"Curl error (6): Couldn't resolve host name for https://cdn.redhat.com/repomd.xml [Could not resolve host: cdn.redhat.com]",
		},
		{
			"an installation that says where to read on (mariadb-operator/mariadb-operator#171)",
			[]string{
				`2026-01-01 19:11:00 0 [ERROR] mariadbd: Error writing file './ddl_recovery.log' (Errcode: 28 "No space left on device")`,
				`2026-01-01 19:11:00 0 [ERROR] Aborting`,
				`2026-01-01 19:11:00 0 [ERROR] mariadbd: Error on close of '(null)' (Errcode: 9 "Bad file descriptor")`,
				``,
				`Installation of system tables failed!  Examine the logs in`,
				`/var/lib/mysql/ for more information.`,
			},
			`mariadbd: Error writing file './ddl_recovery.log' (Errcode: 28 "No space left on device")`,
		},
		{
			"a heading between rules (spotify/flink-on-k8s-operator#280)",
			[]string{
				"---------- Checking existing jobs ----------",
				"tee: job_check_log: Permission denied",
				"Waiting... retry 8/8",
				"---------- Job submission failed ----------",
			},
			"tee: job_check_log: Permission denied",
		},
		{
			"an error that its program frames",
			[]string{"starting entrypoint", "*** FATAL: POSTGRES_PASSWORD is not set ***", "bye"},
			"*** FATAL: POSTGRES_PASSWORD is not set ***",
		},
		{
			"a failure during a word that is no known verb (sholdee/home-ops#3838)",
			[]string{
				"snapshot 5be1e9d2 saved",
				"unable to create lock in backend: repository is already locked exclusively by PID 33 on a by  (UID 1000, GID 0)",
				"ERROR: failure during forget",
			},
			"unable to create lock in backend: repository is already locked exclusively by PID 33 on a by (UID 1000, GID 0)",
		},
		{
			"a burst of logr, of which the last says least (k8up-io/k8up#456)",
			[]string{
				klog + `3.880991       1 logger.go:107] wrestic/restic "msg"="unable to create lock in backend: repository is already locked exclusively by PID 104 on check-jr2vm" "error"="error during command"`,
				klog + `3.881020       1 logger.go:107] wrestic/restic "msg"="lock was created at 2026-01-01 00:00:01 (1h ago)" "error"="error during command"`,
				klog + `3.881028       1 logger.go:107] wrestic/restic "msg"="storage ID 23024633" "error"="error during command"`,
				klog + "3.881034       1 logger.go:107] wrestic/restic \"msg\"=\"the `unlock` command can be used to remove stale locks\" \"error\"=\"error during command\"",
				klog + `3.881122       1 main.go:122] wrestic "msg"="failed to list snapshots" "error"="EOF"`,
			},
			"unable to create lock in backend: repository is already locked exclusively by PID 104 on check-jr2vm",
		},
		{
			"a command that another one runs (nginx/kubernetes-ingress#30)",
			[]string{
				klog + `1.817785       1 nginx.go:201] Command nginx stderr: "nginx: [emerg] 13#13: open() \"/var/log/nginx/error.log\" failed (13: Permission denied)\n"`,
				"F0101 01:00:01.817898       1 nginx.go:202] Command nginx finished with error: exit status 1",
			},
			`Command nginx stderr: "nginx: [emerg] 13#13: open() \"/var/log/nginx/error.log\" failed (13: Permission denied)\n"`,
		},
		{
			"a burst of which no line has words for a fault: the first (nextcloud-snap/nextcloud-snap#2405)",
			[]string{
				"2023-04-29T23:02:40.686811Z 1 [System] [MY-013576] [InnoDB] InnoDB initialization has started.",
				"2023-04-29T23:02:40.786909Z 1 [ERROR] [MY-012962] [InnoDB] The redo log file ib_redo1975 size 2088960 is not a multiple of innodb_page_size",
				"2023-04-29T23:02:40.786966Z 1 [ERROR] [MY-012930] [InnoDB] Plugin initialization aborted with error Generic error.",
				"2023-04-29T23:02:40.787672Z 1 [ERROR] [MY-010334] [Server] Failed to initialize DD Storage Engine",
				"2023-04-29T23:02:40.787810Z 0 [ERROR] [MY-010020] [Server] Data Dictionary initialization failed.",
				"2023-04-29T23:02:40.787849Z 0 [ERROR] [MY-010119] [Server] Aborting",
			},
			"The redo log file ib_redo1975 size 2088960 is not a multiple of innodb_page_size",
		},
		{
			"the first of a burst, before an error that is a number (mariadb-operator/mariadb-operator#1023)",
			[]string{
				"2026-11-29 15:16:48 0 [ERROR] WSREP: It may not be safe to bootstrap the cluster from this node.",
				"2026-11-29 15:16:48 0 [ERROR] WSREP: wsrep::connect(gcomm://) failed: 7",
				"2026-11-29 15:16:48 0 [ERROR] Aborting",
			},
			"WSREP: It may not be safe to bootstrap the cluster from this node.",
		},
		{
			"what could not be reached, before a trace of Python (ray-project/ray#33842)",
			[]string{
				"[2026-11-29 15:46:43,101 C 37 37] (gcs_server) redis_context.cc:478:  Check failed: status.ok() Expected to connect to Redis: RedisError: Could not establish connection to Redis redis:1234 (context.err = 1).",
				"Traceback (most recent call last):",
				`  File "/home/ray/anaconda3/bin/ray", line 8, in <module>`,
				"    sys.exit(main())",
				"RuntimeError: Failed to start GCS.",
			},
			"Check failed: status.ok() Expected to connect to Redis: RedisError: Could not establish connection to Redis redis:1234 (context.err = 1).",
		},
		{
			"what usually is the reason is none (kubeflow/mpi-operator#424)",
			[]string{
				"root@benchmarks-worker-1: Permission denied (publickey,password).",
				"--------------------------------------------------------------------------",
				"ORTE was unable to reliably start one or more daemons.",
				"This usually is caused by:",
				"",
				"* not finding the required libraries and/or binaries on",
				"  one or more nodes. Please check your PATH and LD_LIBRARY_PATH",
				"",
				"*  compilation of the orted with dynamic libraries when static are required",
				"  (e.g., on Cray).",
				"--------------------------------------------------------------------------",
			},
			"root@benchmarks-worker-1: Permission denied (publickey,password).",
		},
		{
			"what works again is not the reason",
			[]string{
				"could not connect to redis:6379: connection refused (retrying)",
				"connected to redis:6379",
				"fatal: failed to load plugin",
			},
			"fatal: failed to load plugin",
		},
		{
			"a package of Alpine and its mirror (alpinelinux/docker-alpine#59)",
			[]string{
				"fetch http://dl-cdn.alpinelinux.org/alpine/v3.9/main/x86_64/APKINDEX.tar.gz",
				"ERROR: http://dl-cdn.alpinelinux.org/alpine/v3.9/main: temporary error (try again later)",
				"WARNING: Ignoring APKINDEX.b89edf6e.tar.gz: No such file or directory",
				"ERROR: unsatisfiable constraints:", "  git (missing):", "    required by: world[git]",
			},
			"ERROR: http://dl-cdn.alpinelinux.org/alpine/v3.9/main: temporary error (try again later)",
		},
		{
			"what was attempted, with its object (grafana/loki#14448)",
			[]string{`level=error caller=log.go:230 msg="error running loki" err="mkdir : no such file or directory\nerror initialising module: compactor\nmain.main\n\t/src/main.go:110"`},
			"error running loki: mkdir : no such file or directory",
		},
		{
			"the innermost cause of a stack trace (strimzi/strimzi-kafka-operator#7484)",
			[]string{
				"2022-10-14 22:52:00,580 ERROR [KafkaServer id=2] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer) [main]",
				"org.apache.kafka.common.errors.KafkaStorageException: Error while writing to checkpoint file /data/a",
				"Caused by: java.io.IOException: No space left on device",
				"        at java.base/java.io.FileOutputStream.writeBytes(Native Method)",
				"2022-10-14 22:52:00,582 INFO [KafkaServer id=2] shutting down (kafka.server.KafkaServer) [main]",
			},
			"Caused by: java.io.IOException: No space left on device",
		},
		{
			"a fatal line that says why, before a stack trace",
			[]string{"FATAL the schema is too old", "java.lang.IllegalStateException: closed"},
			"FATAL the schema is too old",
		},
		{
			"the output of a command, which is logged as a warning (cilium/cilium#4254)",
			[]string{
				`level=warning msg="+ ip -6 route add table 2005 fe80::1/128 dev cilium_host"`,
				`level=warning msg="RTNETLINK answers: File exists"`,
				`level=error msg="Error while initializing daemon" error="exit status 2"`,
				`level=fatal msg="Error while creating daemon" error="exit status 2"`,
			},
			"RTNETLINK answers: File exists",
		},
		{
			"what Erlang reports behind an error (rabbitmq/cluster-operator#1356)",
			[]string{
				"ERROR: epmd error for host hello-0.hello-nodes.default: timeout (timed out)", "",
				"2023-05-18 08:45:17.857046+00:00 [error] <0.132.0>     errorContext: start_error",
				"2023-05-18 08:45:17.857046+00:00 [error] <0.132.0>                {restart_type,transient},",
			},
			"ERROR: epmd error for host hello-0.hello-nodes.default: timeout (timed out)",
		},
		{
			"a configuration that contains errors (fluent/fluent-bit#10782)",
			[]string{
				"[2025/08/26 09:33:49] [error] [config] error in fluent-bit.conf:1: undefined value - check config is in valid classic format",
				"[2025/08/26 09:33:49] [error] configuration file contains errors, aborting.",
			},
			"[error] [config] error in fluent-bit.conf:1: undefined value - check config is in valid classic format",
		},
		{
			"what Git says of a directory that it could not clone (harvard-itsecurity/docker-misp#60)",
			[]string{
				"fatal: unable to access 'https://github.com/MISP/MISP.git/': Could not resolve host: github.com",
				"fatal: not a git repository (or any of the parent directories): .git",
				"fatal: not in a git directory",
			},
			"fatal: unable to access 'https://github.com/MISP/MISP.git/': Could not resolve host: github.com",
		},
		{
			"a fatal line that only sums up",
			[]string{"ERROR listen tcp :80: bind: permission denied", "FATAL failed to start server"},
			"ERROR listen tcp :80: bind: permission denied",
		},
		{
			"what is wrong with a configuration",
			[]string{"Error: unknown flag: --nope", "Usage: app [flags]", "error: failed to run command"},
			"Error: unknown flag: --nope",
		},
		{
			"a package that is missing because no list of packages could be read",
			[]string{
				"W: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  Temporary failure resolving 'deb.debian.org'",
				"E: Unable to locate package curl",
			},
			"W: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  Temporary failure resolving 'deb.debian.org'",
		},
		{
			"a cause that is given behind a fatal line",
			[]string{"FATAL failed to initialize the pool", "java.net.BindException: Address already in use"},
			"java.net.BindException: Address already in use",
		},
	} {
		want := strings.Join(strings.Fields(c.want), " ")
		if got := Decisive(c.lines); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.about, got, want)
		}
	}
}

// The last line stays the reason where it says something itself, or where what stands before it does not
// explain it.
func TestALineThatSaysSomethingStaysTheReason(t *testing.T) {
	for _, lines := range [][]string{
		{"ERROR dial tcp 10.0.0.5:4317: connection refused", "FATAL the schema is too old"},
		{"ERROR open /etc/extra.conf: no such file or directory, using the default", "ERROR failed to start server"},
		{"WARNING open /etc/extra.conf: no such file or directory", "ERROR failed to start server"},
		{"WARN telemetry: dial tcp 10.0.0.5:4317: connection refused, continuing", "ERROR failed to start server"},
		{"WARN open /etc/extra.conf: permission denied", "ERROR failed to list the nodes"}, // no command's status
		{"INFO dial tcp 10.0.0.5:4317: connection refused", "ERROR failed to start server"},
		{"ERROR open /data: permission denied", "Error: Cannot find module '/app/index.js'"},
		{"ERROR open /data: permission denied", "ERROR failed to start server: listen tcp :80: bind: address already in use"},
		{"ERROR open /data: permission denied", "Error: unknown flag: --nope"},
		{"ERROR open /data: permission denied", "E: Unable to locate package curl"}, // nothing was unreachable
		{"2026-01-01T01:00:00Z ERROR open /data: permission denied", "2026-01-01T01:05:00Z ERROR failed to start server"},
		{"2026-01-01T01:00:00Z ERROR the cache is cold", "2026-01-01T01:00:09Z ERROR failed to start server"}, // no burst
		{"2026-01-01T01:00:00Z INFO the cache is cold", "2026-01-01T01:00:00Z ERROR failed to start server"},
		{"ERROR open /data: permission denied", "a", "b", "c", "d", "e", "f", "ERROR failed to start server"},
	} {
		last := lines[len(lines)-1]
		if got := Decisive(lines); !strings.HasSuffix(last, got) || got == "" {
			t.Errorf("%q: got %s", lines, got)
		}
	}
}

// Advice, and the fields of an error, are no reasons.
func TestAdviceIsNoReason(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{ // npm/npm#12090
			[]string{"npm ERR! syscall getaddrinfo", "npm ERR! getaddrinfo EAI_AGAIN registry.npmjs.org:80", "npm ERR! If you need help, you may report this error at:", "npm ERR!     /app/npm-debug.log"},
			"npm ERR! getaddrinfo EAI_AGAIN registry.npmjs.org:80",
		},
		{ // keycloak/keycloak#29306
			[]string{"ERROR: Failed to obtain JDBC connection", "ERROR: Acquisition timeout while waiting for new connection", "ERROR For more details run the same command passing the '--verbose' option."},
			"ERROR: Acquisition timeout while waiting for new connection",
		},
		{ // eclipse-tractusx/tractus-x-umbrella#273
			[]string{"Severity: FATAL", "MessageText: password authentication failed for user \"issuer\"", "Line: 326", "Routine: auth_failed"},
			"MessageText: password authentication failed for user \"issuer\"",
		},
		{ // apache/superset#29492
			[]string{"OperationalError: could not translate host name \"db\" to address: Name or service not known", "", "(Background on this error at: https://sqlalche.me/e/14/e3q8)"},
			"OperationalError: could not translate host name \"db\" to address: Name or service not known",
		},
		{ // a stack trace in JSON, over many lines (elastic/helm-charts#137)
			[]string{`"Caused by: java.nio.file.AccessDeniedException: /data/nodes",`, `"at sun.nio.fs.UnixException.translate(UnixException.java:90) ~[?:?]",`, `"... 6 more"] }`},
			`"Caused by: java.nio.file.AccessDeniedException: /data/nodes",`,
		},
		{ // advice within a line
			[]string{`{"level":"ERROR","message":"the limit [65530] is too low; for more information see [https://example.org]"}`},
			"the limit [65530] is too low; for more information see [https://example.org]",
		},
		{[]string{"listening", "FATAL: a.yaml: status: missing"}, "FATAL: a.yaml: status: missing"},
	} {
		if got := Decisive(c.lines); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.lines, got, c.want)
		}
	}
}

// What a logger puts around a message is left out, and its error is put behind it.
func TestALoggersFrameIsLeftOut(t *testing.T) {
	for line, want := range map[string]string{
		`E0101 01:00:00.123456       1 controller.go:316] "Reconciler error" err="failed to create machine: not found" controller="machine"`: "Reconciler error: failed to create machine: not found",
		`2026-01-01T01:00:00Z	ERROR	setup	problem running manager	{"error": "failed to wait for caches to sync"}`:                            "ERROR setup problem running manager: failed to wait for caches to sync",
		`level=error ts=2026-01-01T01:00:00Z caller=main.go:624 err="error loading config: no such key"`:                                     "error loading config: no such key",
		"2026-01-01T01:00:00.262Z\tfatal\tVictoriaMetrics/app/vmalert/main.go:170\tcannot parse configuration file":                          "cannot parse configuration file",
		// Neither a sentence in quotes nor a word before an equals sign is a frame.
		`"a.yaml" cannot be read: no such file`:       `"a.yaml" cannot be read: no such file`,
		`cannot parse err="x" in a.yaml`:              `cannot parse err="x" in a.yaml`,
		`invalid value {"replicas": 3} for the field`: `invalid value {"replicas": 3} for the field`,
	} {
		if got := Decisive([]string{line}); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

// A line is kept whole: what is wrong stands at the end of a wrapped error (VictoriaMetrics/helm-charts#2531).
func TestALongLineIsKeptWhole(t *testing.T) {
	line := "cannot parse configuration: " + strings.Repeat("in group g: ", 60) + `unexpected token "-"`
	if got := Decisive([]string{line}); got != line {
		t.Errorf("got %s", got)
	}
	if got := Decisive([]string{strings.Repeat("error: ", 1000)}); len(got) > MostOfLine {
		t.Errorf("a line of %d bytes", len(got))
	}
}
