package message

import (
	"fmt"
	"strings"
	"testing"
)

func (o Object) String() string {
	kind := o.Kind
	if o.Resource != "" {
		kind = "(" + o.Resource + ")"
	}
	switch {
	case o.AnyGroup:
		kind += ".?"
	case o.Group != "":
		kind += "." + o.Group
	}
	s := strings.Trim(kind+" "+o.Namespace+"/"+o.Name, "/")
	if o.Namespace == "" {
		s = kind + " " + o.Name
	}
	if o.Missing {
		s += " missing"
	}
	return s
}

func TestTheObjectsInAMessageAreFound(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`timeout waiting for: [Deployment/apps/web status: 'InProgress']`, "Deployment.apps apps/web"},
		{`health check failed: Deployment/shop/web, Job/migrate`, "Deployment.apps shop/web; Job.batch migrate"},
		{`waiting for completion of hook batch/Job/db-migrate`, "Job.batch db-migrate"},
		{`waiting for healthy state of apps/Deployment/shop/web`, "Deployment.apps shop/web"},
		{`deployment.apps/web failed to roll out`, "Deployment.apps web"},
		{`backup can't be created because BackupStorageLocation default is in Unavailable status.`, "BackupStorageLocation.? default"},
		{`the BackupStorageLocation default is unavailable`, ""},
		{`the Deployment which is in progress`, ""},
		{`secrets "extra-scrapes" not found`, "Secret extra-scrapes missing"},
		{`Internal error occurred: failed calling webhook "v.x.io": service "kyverno-svc" not found`, "Service kyverno-svc missing"},
		{`widgets.lab.io "w1" not found`, "(widgets).lab.io w1 missing"},
		{`clusterissuer.cert-manager.io "letsencrypt" not found`, "ClusterIssuer.cert-manager.io letsencrypt missing"},
		{`shard 0: statefulset inc-34/prometheus-main not found`, "StatefulSet.apps inc-34/prometheus-main missing"},
		{`Pods resource events-0 in namespace shop is not ready`, "Pod shop/events-0"},
		{`error while creating ConfigMap "app" in namespace "shop"`, "ConfigMap shop/app"},
		{`CephCluster "x/y" will not be deleted until all dependents are removed: CephBlockPool: [replicapool]`, "CephCluster.? x/y; CephBlockPool.? replicapool"},
		{`CephBlockPool: [a b], CephFilesystem: [c]`, "CephBlockPool.? a; CephBlockPool.? b; CephFilesystem.? c"},
		{`pods by selector app=gateway are controlled by multiple HPAs: [shop/a shop/b]`, "HorizontalPodAutoscaler.autoscaling shop/a; HorizontalPodAutoscaler.autoscaling shop/b"},
		{`waiting for Widget/other (I/O, TCP/443)`, "Widget.? other"},
		{`web.deployment.apps is not ready`, "Deployment.apps web"},
		{`Bucket.v1beta1.s3.aws.upbound.io "logs" is invalid`, "Bucket.s3.aws.upbound.io logs"},
		{`persistentvolumeclaim "data" not found`, "PersistentVolumeClaim data missing"},
		{`Secret default/db-creds does not exist`, "Secret default/db-creds missing"},
		{`the ServiceAccount builder does not exist`, "ServiceAccount builder missing"},
		{`resource not ready, name: web, kind: Deployment, status: InProgress⏎context deadline exceeded`, "Deployment.apps web"},
		{`targeted catalogsource openshift-marketplace/community-operators unhealthy`, "(catalogsources).? openshift-marketplace/community-operators"},
		{`the policy shop/web and its gateway edge/web differ`, "(policies).? shop/web; Gateway.gateway.networking.k8s.io edge/web"},
		{`Deployment is not ready: skywalking/skywalking-oap. 0 out of 1 expected pods are ready`, "Deployment.apps skywalking/skywalking-oap"},
		{`PersistentVolumeClaim is not bound: shop/data`, "PersistentVolumeClaim shop/data"},
		{`Service does not have load balancer ingress IP address: shop/web`, "Service shop/web"},
		// These name nothing.
		{`the Deployment is not ready: 0/1 replicas`, ""},
		{`Issuing certificate as Secret does not exist`, ""},
		{`the Secret could not be found`, ""},
		{`image library/nginx, from http/2 and i/o timeout`, ""},
		{`failed to read file etc/config of repository acme/web`, ""},
		{`container name: web, kind of image: x`, ""},
		{`Pod is not ready`, ""},
		{`kustomization path not found: ./nope`, ""},
		{`secret key not found`, ""},
		{`Secret "key" not found`, "Secret key missing"},
		{`secret token not found`, "Secret token missing"},
		{`no node matches the pod's selector`, ""},
		{`Back-off pulling image "registry.local/app:1"`, ""},
		{`Post "https://svc.ns.svc:443/validate?timeout=3s": dial tcp 10.0.0.1:443: connect: connection refused`, ""},
		{`Service account token expired`, ""},
		{`job failed; retrying`, ""},
		{`NodeClaim drifted`, ""},
		{`status.domainStatus[].status is FailedNotVisible (api.example.com: FailedNotVisible)`, ""},
		{`TriggerError: Triggers defined in ScaledObject are not working correctly`, ""},
		{`1/2 pods ready`, ""},
	} {
		var got []string
		for _, o := range Objects(c.text) {
			got = append(got, o.String())
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}

// Whatever a message holds: what it names are possible objects, each once, few, and found in it.
func FuzzObjects(f *testing.F) {
	for _, s := range []string{
		`secrets "x" not found`, `Deployment/a/b`, `batch/Job/x`, `CephBlockPool: [a b]`, `Pods resource x-0 in namespace y`, "a.deployment.apps",
		`Kind.v1.g.io "x"`, "in namespace", `service "`, "HPAs: [", "é/ü \xff/x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list := Objects(text)
		if len(list) > 10 {
			t.Fatalf("%d objects", len(list))
		}
		seen := map[string]bool{}
		for _, o := range list {
			key := fmt.Sprint(o.Kind, o.Resource, o.Group, o.AnyGroup, o.Namespace, "/", o.Name)
			if seen[key] || !IsName(o.Name) || o.Kind == "" == (o.Resource == "") || o.Namespace != "" && !isLabel(o.Namespace) {
				t.Errorf("%+v", o)
			}
			seen[key] = true
			if !strings.Contains(text, o.Name) || !strings.Contains(text, o.Namespace) {
				t.Errorf("%+v is not in %q", o, text)
			}
		}
	})
}
