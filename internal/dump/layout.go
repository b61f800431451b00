package dump

import (
	"path"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// place is what the path of a file says about its content, in the layouts of the
// tools that write dumps:
//
//	oc adm must-gather, inspect (openshift/oc pkg/cli/admin/inspect):
//	  namespaces/NS/GROUP/PLURAL.yaml                  all of a kind in a namespace
//	  namespaces/NS/GROUP/PLURAL/NAME.yaml             one object
//	  namespaces/NS/pods/POD/POD.yaml                  a Pod that is in core/pods.yaml, too
//	  namespaces/NS/pods/POD/CONTAINER/CONTAINER/logs/current.log, previous.log
//	  cluster-scoped-resources/GROUP/PLURAL.yaml       all of config.openshift.io's kinds
//	  cluster-scoped-resources/GROUP/PLURAL/NAME.yaml  one object
//	A folder of single objects proves nothing of others: inspect resolves "nodes" and
//	"node/a" to objects alike (Flatten in RunContext, inspect.go), writes what an
//	operator's status.relatedObjects names there, too (resource.go), and must-gather's
//	--timeout may end it between two files.
//	support bundle (replicatedhq/troubleshoot pkg/collect/cluster_resources.go, logs.go):
//	  cluster-resources/TYPE/NS.json                   a list, in old versions a bare array
//	  cluster-resources/TYPE.json                      the same of cluster-scoped kinds
//	  cluster-resources/custom-resources/PLURAL.GROUP/NS.yaml, PLURAL.GROUP.yaml
//	  cluster-resources/pods/logs/NS/POD/CONTAINER.log, CONTAINER-previous.log
//	kubectl cluster-info dump (kubectl pkg/cmd/clusterinfo/clusterinfo_dump.go):
//	  NS/pods.json, NS/replication-controllers.json …  all of a kind in a namespace
//	  NS/POD/logs.txt                                  the logs of its containers
//	by hand, the same:
//	  NS/PLURAL[.GROUP].yaml, NS/POD/CONTAINER.log
//	  cluster/PLURAL[.GROUP].yaml                      built-in cluster-scoped kinds
type place struct {
	ignore bool
	// log is set for a file that is a log.
	log *logKey
	// whole says that a list there has everything of its kind in namespace, or in
	// the cluster where that is "".
	whole     bool
	namespace string
	kind      schema.GroupVersionKind // of items that do not name theirs; empty if unknown
	plural    string                  // of the list's kind; "" if unknown
	// again is set for an object that the list of its kind in the namespace has, too.
	again kindIn
}

// logKey names a log. The namespace is empty where the path does not tell it.
type logKey struct {
	namespace, pod, container string
	previous                  bool
}

var (
	inspectLog = regexp.MustCompile(
		`(?:^|/)namespaces/([^/]+)/pods/([^/]+)/([^/]+)/(?:[^/]+/)?logs/(current|previous)\.log$`)
	inspectPod  = regexp.MustCompile(`(?:^|/)namespaces/([^/]+)/pods/([^/]+)/([^/]+)$`)
	inspectList = regexp.MustCompile(`(?:^|/)namespaces/([^/]+)/([^/]+)/([^/]+)$`)
	clusterList = regexp.MustCompile(`(?:^|/)cluster-scoped-resources/([^/]+)/([^/]+)$`)
	bundleLog   = regexp.MustCompile(`(?:^|/)pods/logs/([^/]+)/([^/]+)/([^/]+)$`)
	bundleKind  = regexp.MustCompile(`(?:^|/)cluster-resources/custom-resources/([^/]+?)(?:/([^/]+))?$`)
	bundleList  = regexp.MustCompile(`(?:^|/)cluster-resources/([^/]+?)(?:/([^/]+))?$`)
	anyLog      = regexp.MustCompile(`(?:(?:^|/)([^/]+)/)?([^/]+)/([^/]+)$`)
	anyList     = regexp.MustCompile(`(?:^|/)([^/]+)/([^/]+)$`)
)

// bundleTypes are the folders of a support bundle that are no plural of a kind.
var bundleTypes = map[string]string{
	"ingress": "ingresses", "network-policy": "networkpolicies",
	"resource-quota": "resourcequotas", "pvs": "persistentvolumes",
	"pvcs": "persistentvolumeclaims",
}

// notObjects are files that the tools write about a cluster, and that hold none of
// its objects.
var notObjects = regexp.MustCompile(
	`-errors\.json$|(?:^|/)(?:auth-cani-list|image-pull-secrets|audit_logs|host_service_logs|monitoring|etcd_info|insights-data)/|` +
		`(?:^|/)cluster-resources/(?:groups|resources)\.json$`)

// placeOf reads a path.
func placeOf(p string) place {
	stem, ext := strings.TrimSuffix(p, path.Ext(p)), path.Ext(p)
	switch ext {
	case ".log":
		return place{ignore: true, log: logOf(p, stem)}
	case ".json", ".yaml", ".yml", ".jsonl", ".txt", "":
		if notObjects.MatchString(p) {
			return place{ignore: true}
		}
	default:
		return place{ignore: true}
	}
	if m := inspectPod.FindStringSubmatch(stem); m != nil && m[2] == m[3] {
		return place{again: kindIn{schema.GroupKind{Kind: "Pod"}, m[1]}}
	}
	if m := inspectList.FindStringSubmatch(stem); m != nil && m[2] != "pods" {
		return place{whole: true, namespace: m[1], plural: m[3], kind: builtin(m[3], groupOf(m[2]))}
	}
	if m := clusterList.FindStringSubmatch(stem); m != nil {
		return place{whole: true, plural: m[2], kind: builtin(m[2], groupOf(m[1]))}
	}
	if m := bundleKind.FindStringSubmatch(stem); m != nil {
		plural, group, _ := strings.Cut(m[1], ".")
		return place{whole: true, namespace: m[2], plural: plural, kind: schema.GroupVersionKind{Group: group}}
	}
	if m := bundleList.FindStringSubmatch(stem); m != nil {
		plural := typeOf(m[1])
		return place{whole: true, namespace: m[2], plural: plural, kind: builtin(plural, "")}
	}
	if m := anyList.FindStringSubmatch(stem); m != nil {
		name, group, _ := strings.Cut(m[2], ".")
		plural := typeOf(name)
		if kind := builtin(plural, group); kind.Kind != "" || group != "" {
			namespace := m[1]
			if namespace == "cluster" && kind.Kind != "" && !resolve.BuiltinNames[plural].Namespaced {
				namespace = ""
			}
			return place{whole: true, namespace: namespace, plural: plural, kind: kind}
		}
	}
	return place{}
}

// typeOf is the plural that a file or folder of a dump means.
func typeOf(word string) string {
	if plural := bundleTypes[word]; plural != "" {
		return plural
	}
	return strings.ReplaceAll(word, "-", "")
}

func groupOf(folder string) string {
	if folder == "core" {
		return ""
	}
	return folder
}

// builtin is the kind of a built-in plural; with a group only of that.
func builtin(plural, group string) schema.GroupVersionKind {
	r, ok := resolve.BuiltinNames[plural]
	if !ok || r.Plural != plural || group != "" && r.Group != group {
		return schema.GroupVersionKind{Group: group}
	}
	return r.ObjectKind()
}

// logOf is the log that a file holds, or nil.
func logOf(p, stem string) *logKey {
	if m := inspectLog.FindStringSubmatch(p); m != nil {
		return &logKey{m[1], m[2], m[3], m[4] == "previous"}
	}
	if strings.HasSuffix(stem, "-logs-errors") || strings.Contains(p, "/logs/") && !bundleLog.MatchString(stem) {
		return nil
	}
	m := bundleLog.FindStringSubmatch(stem)
	if m == nil {
		m = anyLog.FindStringSubmatch(stem)
	}
	if m == nil {
		return nil
	}
	container, previous := strings.CutSuffix(m[3], "-previous")
	return &logKey{m[1], m[2], container, previous}
}
