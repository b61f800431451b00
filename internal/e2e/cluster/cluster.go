// Package cluster runs a real Kubernetes control plane on loopback for tests:
// etcd, kube-apiserver, kube-controller-manager and kube-scheduler, with kwok
// playing the nodes. Nothing but Go is needed; the programs are compiled from
// their modules once and cached (see [Build]).
//
// [Start] takes a few seconds and returns when the API answers and a node is
// ready. The caller owns the Cluster and calls [Cluster.Stop]; should its
// process die first, the kernel ends the programs with it, and the next Start
// removes the folder that was left. Pods become ready as soon as they are
// scheduled, unless the annotation [FaultAnnotation] asks for a failure.
//
// RBAC and the ServiceAccount admission are on, as in a cluster of the world:
// a new namespace takes a moment until its default account exists, which
// [Cluster.CreateNamespace] waits for.
package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// Options choose how a cluster starts. The zero value is right for tests.
type Options struct {
	// Progress receives the progress of the build. Nil discards it.
	Progress io.Writer
	// Nodes is the number of simulated nodes, 4 by default.
	Nodes int
	// WithoutControllers leaves out the controller manager, the scheduler and
	// kwok: nothing moves but what the caller writes.
	WithoutControllers bool
	// Data is a folder that [Cluster.Save] wrote: the cluster begins with its
	// objects. Empty begins with none.
	Data string
}

// Cluster is a running control plane. Its methods may be called from several
// goroutines, those that stop and start the API server from one at a time.
type Cluster struct {
	dir   string
	bins  Binaries
	port  int
	etcd  int
	ready *http.Client

	etcdArgs []string

	unlock func()

	mu        sync.Mutex
	processes map[string]*process

	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

//go:embed audit-policy.yaml
var auditPolicy []byte

// Start builds what is missing and starts a cluster.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	bins, err := Build(ctx, opts.Progress)
	if err != nil {
		return nil, err
	}
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	// Another program may take a port between finding and binding it: try once
	// more.
	for attempt := 1; ; attempt++ {
		c, err := start(ctx, cache, bins, opts)
		if err == nil || attempt == 3 || !strings.Contains(err.Error(), "address already in use") {
			return c, err
		}
	}
}

func start(ctx context.Context, cache string, bins Binaries, opts Options) (_ *Cluster, err error) {
	patience := 5 * time.Minute
	if opts.Data != "" {
		patience = 10 * time.Minute // 50,000 Pods are read before it is ready
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	dir, unlock, err := runDir(cache)
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, bins: bins, unlock: unlock, processes: map[string]*process{}}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	ports, err := FreePorts(3)
	if err != nil {
		return nil, err
	}
	c.port, c.etcd = ports[0], ports[1]
	if err := writeCredentials(dir, c.port); err != nil {
		return nil, err
	}
	stages, err := renderStages()
	if err != nil {
		return nil, fmt.Errorf("write the stages: %w", err)
	}
	for name, text := range map[string][]byte{"audit-policy.yaml": auditPolicy, "stages.yaml": stages} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	if err := c.connect(); err != nil {
		return nil, err
	}
	if opts.Data != "" {
		if err := os.CopyFS(c.path("etcd"), os.DirFS(opts.Data)); err != nil {
			return nil, fmt.Errorf("bring the saved objects: %w", err)
		}
	}
	client, peer := fmt.Sprintf("http://127.0.0.1:%d", c.etcd), fmt.Sprintf("http://127.0.0.1:%d", ports[2])
	c.etcdArgs = []string{
		"--name=e2e", "--data-dir=" + c.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=e2e=" + peer,
		"--quota-backend-bytes=6000000000",
	}
	if err := c.StartEtcd(); err != nil {
		return nil, err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return nil, err
	}
	if err := c.grantStandingRights(ctx); err != nil {
		return nil, fmt.Errorf("grant rights: %w", err)
	}
	if opts.WithoutControllers {
		return c, nil
	}
	if err := c.startControllers(ctx, max(opts.Nodes, 4)); err != nil {
		return nil, err
	}
	return c, nil
}

// startControllers starts everything that makes objects move, and waits until
// the first node is ready.
func (c *Cluster) startControllers(ctx context.Context, nodes int) error {
	config := "--kubeconfig=" + c.Kubeconfig(controllers)
	quick := []string{config, "--leader-elect=false", "--secure-port=0", "--kube-api-qps=2000", "--kube-api-burst=4000"}
	kcm := append([]string{
		"--service-account-private-key-file=" + c.path("accounts.key"), "--root-ca-file=" + c.path("ca.crt"),
		"--use-service-account-credentials=false", "--concurrent-deployment-syncs=10",
		"--concurrent-replicaset-syncs=10",
	}, quick...)
	if err := c.run("kube-controller-manager", c.bins.ControllerManager, kcm...); err != nil {
		return err
	}
	if err := c.run("kube-scheduler", c.bins.Scheduler, quick...); err != nil {
		return err
	}
	args := []string{
		config, "--manage-all-nodes=true", "--node-lease-duration-seconds=40",
		"--config=" + c.path("stages.yaml"),
	}
	for _, stage := range c.bins.Stages {
		args = append(args, "--config="+stage)
	}
	if err := c.run("kwok", c.bins.Kwok, args...); err != nil {
		return err
	}
	for i := range nodes {
		if err := c.createNode(ctx, fmt.Sprintf("node-%d", i+1)); err != nil {
			return err
		}
	}
	if err := c.waitForNode(ctx, "node-1"); err != nil {
		return c.explain("wait for the first node", err)
	}
	return nil
}

// Stop ends every program and removes everything the cluster wrote. It may be
// called twice.
func (c *Cluster) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unlock == nil {
		return
	}
	// they need not save anything, because it is removed
	for _, p := range c.processes {
		_ = p.signal(syscall.SIGKILL)
	}
	for _, p := range c.processes {
		<-p.done
	}
	os.RemoveAll(c.dir)
	c.unlock()
	c.unlock = nil
}

// Save ends the API server and etcd in good order and copies what etcd holds to
// a new folder, for [Options.Data]. The cluster can only be stopped then.
func (c *Cluster) Save(dir string) error {
	c.StopAPIServer()
	c.process("etcd").stop(30 * time.Second)
	partial := dir + ".partial" // a copy that was cut short is no data
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := os.CopyFS(partial, os.DirFS(c.path("etcd"))); err != nil {
		return err
	}
	return os.Rename(partial, dir)
}

// Dir is the folder of the running cluster: logs, kubeconfigs, the audit log.
func (c *Cluster) Dir() string { return c.dir }

// Kubeconfig is the path of u's kubeconfig.
func (c *Cluster) Kubeconfig(u User) string { return c.path(string(u) + ".kubeconfig") }

// Config is a client configuration for u, without client-side throttling.
func (c *Cluster) Config(u User) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig(u))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	return config, nil
}

// Client acts as the admin.
func (c *Cluster) Client() dynamic.Interface { return c.client }

// Etcd is the URL of the API server's etcd, which requires no credentials.
func (c *Cluster) Etcd() string { return fmt.Sprintf("http://127.0.0.1:%d", c.etcd) }

// StartEtcd starts etcd on what it holds. It is running already after [Start].
func (c *Cluster) StartEtcd() error { return c.run("etcd", c.bins.Etcd, c.etcdArgs...) }

// StopEtcd kills etcd. What it has acknowledged is there when it starts again.
func (c *Cluster) StopEtcd() { c.process("etcd").stop(0) }

// FreezeEtcd stops etcd's process: requests of the API server wait.
func (c *Cluster) FreezeEtcd() error { return c.process("etcd").signal(syscall.SIGSTOP) }

// ThawEtcd lets a frozen etcd go on.
func (c *Cluster) ThawEtcd() error { return c.process("etcd").signal(syscall.SIGCONT) }

// Address is the host and port of the API server.
func (c *Cluster) Address() string { return fmt.Sprintf("127.0.0.1:%d", c.port) }

// StartAPIServer starts the API server on its port and returns when it is
// ready to serve. It is running already after [Start]. Further arguments stand
// behind the usual ones, and hold until the next start.
func (c *Cluster) StartAPIServer(ctx context.Context, more ...string) error {
	args := append([]string{
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", c.etcd),
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.port),
		"--tls-cert-file=" + c.path("server.crt"), "--tls-private-key-file=" + c.path("server.key"),
		"--client-ca-file=" + c.path("clients.crt"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.path("accounts.key"),
		"--service-account-signing-key-file=" + c.path("accounts.key"),
		"--token-auth-file=" + c.path("tokens.csv"), "--authorization-mode=Node,RBAC", "--anonymous-auth=true",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000",
		"--audit-policy-file=" + c.path("audit-policy.yaml"),
		"--audit-log-path=" + c.path("audit.log"), "--audit-log-maxsize=0",
		// The default is a minute of waiting for idle connections to go.
		"--shutdown-delay-duration=0s", "--shutdown-watch-termination-grace-period=0s",
	}, more...)
	if err := c.run("kube-apiserver", c.bins.APIServer, args...); err != nil {
		return err
	}
	return c.WaitReady(ctx)
}

// WaitReady returns when the API server says that it is ready.
func (c *Cluster) WaitReady(ctx context.Context) error {
	err := poll(ctx, func() (bool, error) {
		if p := c.process("kube-apiserver"); p.ended() {
			return false, fmt.Errorf("it ended:\n%s", p.lastWords())
		}
		return c.Ready(ctx), nil
	})
	if err != nil {
		return c.explain("wait for the API server", err)
	}
	return nil
}

// Ready says whether the API server answers that it is ready, within a second.
func (c *Cluster) Ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+c.Address()+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := c.ready.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// StopAPIServer ends the API server as a machine that fails does: at once.
func (c *Cluster) StopAPIServer() {
	c.process("kube-apiserver").stop(0)
	c.ready.CloseIdleConnections()
}

// FreezeAPIServer stops the API server's process: it accepts connections and
// does not answer.
func (c *Cluster) FreezeAPIServer() error { return c.process("kube-apiserver").signal(syscall.SIGSTOP) }

// ThawAPIServer lets a frozen API server go on.
func (c *Cluster) ThawAPIServer() error { return c.process("kube-apiserver").signal(syscall.SIGCONT) }

// Revive restarts controllers that have exited: a scheduler does when a clock
// jump corrupts its cache. It returns their names.
func (c *Cluster) Revive() (names []string, err error) {
	for _, name := range []string{"kube-controller-manager", "kube-scheduler", "kwok"} {
		p := c.process(name)
		if p == nil || !p.ended() {
			continue
		}
		names = append(names, name)
		if err := c.run(name, p.cmd.Path, p.cmd.Args[1:]...); err != nil {
			return names, err
		}
	}
	return names, nil
}

// PID is the process id of one of the cluster's programs ("kube-apiserver",
// "etcd", …), 0 when it does not run.
func (c *Cluster) PID(name string) int {
	if p := c.process(name); p != nil && !p.ended() {
		return p.cmd.Process.Pid
	}
	return 0
}

// Run starts another program beside the cluster's own, with its log among theirs,
// and ends it with them. It inherits the environment.
func (c *Cluster) Run(name, binary string, args ...string) error { return c.run(name, binary, args...) }

// Ended is an error that says how a program that Run started has ended by itself, with the
// last that it printed; nil while it runs.
func (c *Cluster) Ended(name string) error {
	p := c.process(name)
	if p == nil || !p.ended() {
		return nil
	}
	return fmt.Errorf("%s has ended (%s):\n%s", name, p.cmd.ProcessState, p.lastWords())
}

// End kills a program that Run started.
func (c *Cluster) End(name string) { c.process(name).stop(0) }

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

func (c *Cluster) process(name string) *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.processes[name]
}

func (c *Cluster) run(name, binary string, args ...string) error {
	p, err := spawn(c.dir, name, binary, args...)
	if p != nil {
		c.mu.Lock()
		c.processes[name] = p
		c.mu.Unlock()
	}
	return err
}

// explain adds to err what the programs that ended had to say.
func (c *Cluster) explain(doing string, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	errs := []error{fmt.Errorf("%s: %w", doing, err)}
	for _, p := range c.processes {
		if p.ended() {
			errs = append(errs, fmt.Errorf("%s ended:\n%s", p.name, p.lastWords()))
		}
	}
	return errors.Join(errs...)
}

// connect makes the clients. They need no server yet.
func (c *Cluster) connect() error {
	ca, err := os.ReadFile(c.path("ca.crt"))
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	c.ready = &http.Client{
		Timeout:   time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true},
	}
	config, err := c.Config(Admin)
	if err != nil {
		return err
	}
	if c.client, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	c.mapper, err = newMapper(config)
	return err
}
