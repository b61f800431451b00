// Command peers follows the objects of the benchmark with the kstatus watcher
// or poller of github.com/fluxcd/cli-utils, in their best configuration, or with
// plain client-go, and prints a line when something is worth timing:
//
//	first                  the first status has come
//	all                    every object has been seen Current
//	status KIND NAME WORD  an object's status, after "all"
//
// The benchmark runs it as a process of its own and measures it from outside,
// as it does the program. It is a module of its own, so that the peers bring
// their own dependencies and ours stay out of their way.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/event"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/cli-utils/pkg/kstatus/watcher"
	"github.com/fluxcd/cli-utils/pkg/object"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	kubeconfig = flag.String("kubeconfig", "", "whom to come as")
	server     = flag.String("server", "", "where the API server is, instead of what the kubeconfig says")
	namespace  = flag.String("namespace", "bench", "where the objects are")
	sets       = flag.Int("deployments", 50, "how many Deployments, each with a Service and a ConfigMap")
	mode       = flag.String("mode", "watcher", "watcher, poller or reflectors")
	workers    = flag.Int("workers", 8, "StatusComputeWorkers of the watcher")
	interval   = flag.Duration("interval", 2*time.Second, "of the poller")
)

func main() {
	flag.Parse()
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	if *server != "" {
		config.Host = *server
	}
	config.QPS = -1
	if *mode == "reflectors" {
		return reflectors(ctx, config, *namespace, os.Stdout)
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds))
	var ids object.ObjMetadataSet
	for i := range *sets {
		name := fmt.Sprintf("app-%04d", i)
		for _, kind := range []schema.GroupKind{
			{Group: "apps", Kind: "Deployment"},
			{Kind: "Service"},
			{Kind: "ConfigMap"},
		} {
			ids = append(ids, object.ObjMetadata{Namespace: *namespace, Name: name, GroupKind: kind})
		}
	}
	var events <-chan event.Event
	switch *mode {
	case "watcher":
		dyn, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		w := watcher.NewDefaultStatusWatcher(dyn, mapper)
		w.StatusComputeWorkers = *workers
		events = w.Watch(ctx, ids, watcher.Options{RESTScopeStrategy: watcher.RESTScopeNamespace})
	case "poller":
		reader, err := client.New(config, client.Options{Mapper: mapper})
		if err != nil {
			return err
		}
		events = polling.NewStatusPoller(reader, mapper, polling.Options{}).Poll(ctx,
			ids, polling.PollOptions{PollInterval: *interval})
	default:
		return fmt.Errorf("unknown mode %q", *mode)
	}
	return report(events, len(ids))
}

func report(events <-chan event.Event, wanted int) error {
	out := bufio.NewWriter(os.Stdout)
	current := map[object.ObjMetadata]bool{}
	first, all := false, false
	for e := range events {
		if e.Type == event.ErrorEvent {
			return e.Error
		}
		if e.Type != event.ResourceUpdateEvent {
			continue
		}
		// The poller reports everything as Unknown before its first round.
		if e.Resource.Status == status.UnknownStatus {
			continue
		}
		if !first {
			first = true
			fmt.Fprintln(out, "first")
		}
		if all {
			fmt.Fprintln(out, "status", e.Resource.Identifier.GroupKind.Kind,
				e.Resource.Identifier.Name, e.Resource.Status)
		} else if e.Resource.Status == status.CurrentStatus {
			if current[e.Resource.Identifier] = true; len(current) == wanted {
				all = true
				fmt.Fprintln(out, "all")
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}
