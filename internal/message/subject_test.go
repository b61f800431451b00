package message

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const azureRule = "--------------------------------------------------------------------------------"

func TestAReasonKeepsItsSubject(t *testing.T) {
	for text, want := range map[string]string{
		// What the API server does not find, it names or not.
		`MountVolume.SetUp failed for volume "istio-token" : failed to fetch token: the server could not find the requested resource`: `failed to fetch token: the server could not find the requested resource`,
		`failed to list: the server could not find the requested resource (get widgets.lab.io w)`:                                     `the server could not find the requested resource (get widgets.lab.io w)`,
		// A quota's list divides no clauses.
		`pods "w" is forbidden: failed quota: q: must specify limits.cpu for: app,sidecar; limits.memory for: app`: `failed quota: q: must specify limits.cpu for: app,sidecar; limits.memory for: app`,
		`pods "w" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2`:               `exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2`,
		// A mount point in a file system that is read only.
		`error mounting "cgroup" to rootfs at "/sys/fs/cgroup": create mountpoint for /sys/fs/cgroup mount: mkdirat /run/rootfs/sys/fs: read-only file system`: `mkdirat /run/rootfs/sys/fs: read-only file system`,
	} {
		if got := Reason(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestATitleKeepsItsSubject(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{
			`create Pod db-0 in StatefulSet db failed error: Pod "db-0" is invalid: metadata.labels: Invalid value: "db-7dbc498786": must be no more than 63 bytes`,
			`metadata.labels "db-7dbc498786": must be no more than 63 bytes`,
		},
		{
			`Deployment.apps "web" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template.spec.containers[0].image: Required value]`,
			`spec.replicas -1: must be greater than or equal to 0`,
		},
		{
			"kustomize build failed: accumulating resources from 'nope.yaml': must build at directory: not a valid directory: evalsymlink failure on '/tmp/a/nope.yaml' : lstat /tmp/a/nope.yaml: no such file or directory",
			"nope.yaml: no such file or directory",
		},
		{
			`Revision "render-00001" failed with message: Unable to fetch image "gcr.io/p/render": failed to resolve image to digest: GET https://gcr.io/v2/p/render/manifests/latest: MANIFEST_UNKNOWN: Failed to fetch "latest".`,
			`GET https://gcr.io/v2/p/render/manifests/latest: MANIFEST_UNKNOWN: Failed to fetch "latest".`,
		},
		{
			`The certificate request has failed to complete and will be retried: Failed to wait for order resource "dl-1" to become ready: order is in "errored" state: Failed to create Order: 429 urn:ietf:params:acme:error:rateLimited: Error creating new order :: too many failed authorizations recently: see https://letsencrypt.org/docs/rate-limits/`,
			`too many failed authorizations recently`,
		},
		{ // a whole error in quotes (cisco-open/martian-bank-demo#50)
			`error killing pod: failed to "KillPodSandbox" for "a33e88fb-a2a9-4dbb-9996-466ca7ca5bd9" with KillPodSandboxError: "rpc error: code = Unknown desc = networkPlugin cni failed to teardown pod \"nginx_a\" network: error getting ClusterInformation: Get \"https://10.96.0.1:443/apis/x\": dial tcp 10.96.0.1:443: i/o timeout"`,
			`Get "https://10.96.0.1:443/apis/x": dial tcp 10.96.0.1:443: i/o timeout`,
		},
		{ // what the kind of an error adds nothing to (saveourtool/save-cloud#1986)
			`failed to pull and unpack image "ghcr.io/saveourtool/save-base:python-3.10": failed commit on ref "layer-sha256:a6daac42f0daee2fe11dd237f570a94067fd69ec": "layer-sha256:a6daac42" failed size validation: 6239744 != 17386982: failed precondition`,
			`"layer-sha256:a6daac42" failed size validation: 6239744 != 17386982`,
		},
		{ // what the kind of an error says first
			`failed to pull and unpack image "docker.io/library/none:1": failed to resolve reference "docker.io/library/none:1": docker.io/library/none:1: not found, and much more that makes the line too long to be kept: docker.io/library/none:1: not found`,
			`docker.io/library/none:1: not found`,
		},
		{ // the JSON of an answer (Azure/AKS#2160)
			`failed to ensure load balancer: Retriable: false, RetryAfter: 0s, HTTPStatusCode: 400, RawError: Retriable: false, RetryAfter: 0s, HTTPStatusCode: 400, RawError: {"error":{"code":"InvalidTagValueLength","message":"Tag value too large.  Maximum allowed length for tag value - '256' characters."}}`,
			`failed to ensure load balancer: InvalidTagValueLength: Tag value too large. Maximum allowed length for tag value - '256' characters.`,
		},
		{ // the same over several lines, with the ID of a resource
			"failed to resize disk(/subscriptions/0a/resourceGroups/rg/providers/Microsoft.Compute/disks/pvc-8) with error(Retriable: false, RetryAfter: 0s, HTTPStatusCode: 400, RawError: {\r\n  \"error\": {\r\n    \"code\": \"BadRequest\",\r\n    \"message\": \"Disk '/subscriptions/0a/resourceGroups/rg/providers/Microsoft.Compute/disks/pvc-8' with size 4096 GB can only be resized when it is detached.\"\r\n  }\r\n})",
			`failed to resize disk(disks/pvc-8) with error(BadRequest: Disk 'disks/pvc-8' with size 4096 GB can only be resized when it is detached.)`,
		},
		{ // JSON that says again what stands before it (kubernetes-sigs/sig-windows-tools#249)
			`Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "8e435625c074122ed0803a5bbd518d8943f6131683735af03a8cf985e4537cb1": hcnCreateNetwork failed in Win32: The parameter is incorrect. (0x57) {"Success":false,"Error":"The parameter is incorrect. ","ErrorCode":2147942487}`,
			`hcnCreateNetwork failed in Win32: The parameter is incorrect. (0x57)`,
		},
		{ // too little remains of the innermost clause: the end of the whole
			`unable to log in to auth method: unable to log in with app role auth: PUT https://vault.example.com/v1/auth/approle/login with the role that the store names, twice: 403: permission denied`,
			`unable to log in with app role auth: PUT https://vault.example.com/v1/auth/approle/login with the role that the store names, twice: 403: permission denied`,
		},
		{ // a list is no clause (kubernetes-sigs/aws-load-balancer-controller#3731)
			`a reconciliation of the network that has a long name failed in the end, and so: expect exactly one securityGroup tagged with kubernetes.io/cluster/prod for eni eni-0ac, got: [sg-1 sg-2] (clusterName: prod)`,
			`expect exactly one securityGroup tagged with kubernetes.io/cluster/prod for eni eni-0ac, got: [sg-1 sg-2] (clusterName: prod)`,
		},
		{ // clauses in no order (redhat-cop/cert-utils-operator#131)
			`constraints not satisfiable: @existing/cert-utils//cert-utils.v1.3.9 and community-operators/openshift-marketplace/alpha/cert-utils.v1.3.9 originate from package cert-utils, clusterserviceversion cert-utils.v1.3.9 exists and is not referenced by a subscription, subscription cert-utils requires community-operators/openshift-marketplace/alpha/cert-utils.v1.3.9, subscription cert-utils exists`,
			`clusterserviceversion cert-utils.v1.3.9 exists and is not referenced by a subscription`,
		},
		{ // JSON without a sentence stays
			`Failed to schedule pod, incompatible with nodepool "general", daemonset overhead={"cpu":"180m"}, no instance type satisfied the requirements of this pod, which is a long way to say that there is none`,
			`incompatible with nodepool "general": which is a long way to say that there is none`,
		},
		{ // what was attempted, with what (zalando/postgres-operator#1383)
			`could not sync cluster: could not sync statefulsets: could not recreate pods: could not recreate replica pod "default/acid-pg-dbcluster-2": pod label wait timeout, and no other`,
			`could not recreate replica pod "default/acid-pg-dbcluster-2": pod label wait timeout, and no other`,
		},
		{`Service "web" is invalid: spec.ports: Required value`, `spec.ports is required`},
		{`Pod "x" is invalid: spec: Forbidden: pod updates may not change fields`, `spec: forbidden: pod updates may not change fields`},
		{
			`Internal error occurred: failed calling webhook "validate.kyverno.svc-fail": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/validate?timeout=10s": service "kyverno-svc" not found`,
			`webhook validate.kyverno.svc-fail cannot be called: service "kyverno-svc" not found`,
		},
		{
			`admission webhook "validation.gatekeeper.sh" denied the request: [owner] label owner is required`,
			`webhook validation.gatekeeper.sh denied it: [owner] label owner is required`,
		},
		{
			`pods "web-7d5b-" is forbidden: exceeded quota: compute, requested: limits.memory=2Gi, used: limits.memory=7Gi, limited: limits.memory=8Gi and so on and on and on and on, for some time`,
			`exceeded quota: compute, requested: limits.memory=2Gi, used: limits.memory=7Gi, limited: limits.memory=8Gi and so on and on and on and on, for some time`,
		},
		{
			`Failed to schedule pod, incompatible with nodepool "general", daemonset overhead={"cpu":"180m","memory":"120Mi","pods":"5"}, incompatible requirements, label "workload" does not have known values (typo of "workload-class"?)`,
			`incompatible with nodepool "general": label "workload" does not have known values (typo of "workload-class"?)`,
		},
		{
			"io.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST⏎\tat io.fabric8.X.run(X.java:12)⏎\tat y.Z(Z.java:1)⏎Caused by: java.net.UnknownHostException: kafka.shop.svc⏎\tat java.net.A(A.java:3)",
			`io.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST, caused by java.net.UnknownHostException: kafka.shop.svc`,
		},
		{"Traceback (most recent call last): File \"a.py\", line 3, in <module> x() ValueError: no such zone", `ValueError: no such zone`},
		{ // a security context constraint of OpenShift
			`failed to create task run pod "dind-pod": pods "dind-pod" is forbidden: unable to validate against any security context constraint: [spec.containers[1].securityContext.privileged: Invalid value: true: Privileged containers are not allowed]. Maybe invalid TaskSpec`,
			`spec.containers[1].securityContext.privileged true: Privileged containers are not allowed`,
		},
		{ // a quota's list, and what Tekton guesses behind it (tektoncd/pipeline#3879)
			`failed to create task run pod "build-run": pods "build-run-pod" is forbidden: failed quota: compute-resources: must specify limits.cpu for: place-scripts,prepare; limits.memory for: place-scripts,prepare; requests.cpu for: place-scripts,prepare. Maybe missing or invalid Task a/build`,
			`failed quota: compute-resources: must specify limits.cpu for: place-scripts,prepare; limits.memory for: place-scripts,prepare; requests.cpu for: place-scripts,prepare`,
		},
		{ // the same of older versions, which name no containers
			`failed to create task run pod "build-run": pods "build-run-pod-with-a-name-that-is-long" is forbidden: failed quota: compute-resources: must specify limits.cpu,limits.memory,requests.cpu,requests.memory. Maybe invalid TaskSpec`,
			`failed quota: compute-resources: must specify limits.cpu,limits.memory,requests.cpu,requests.memory`,
		},
		{ // a short message is kept, without the guess
			`failed to create task run pod "build": pods "build-pod" is forbidden: failed quota: q: must specify limits.cpu. Maybe missing or invalid Task a/build`,
			`failed to create task run pod "build": pods "build-pod" is forbidden: failed quota: q: must specify limits.cpu`,
		},
		{"the Task cannot be read. Maybe its bundle is missing", "the Task cannot be read. Maybe its bundle is missing"},
		{ // one that names its providers
			`pods "csi-node-" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or serviceaccount, provider restricted-v2: .spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used, provider restricted-v2: .spec.securityContext.hostIPC: Invalid value: true: Host IPC is not allowed to be used, spec.volumes[0]: Invalid value: "hostPath": hostPath volumes are not allowed to be used]`,
			`spec.securityContext.hostNetwork true: Host network is not allowed to be used`,
		},
		{ // the request that Windows' compute service repeats
			"failed to start sandbox container for pod \"w\": Error response from daemon: CreateComputeSystem cf6b: The container operating system does not match the host operating system.\n(extra info: {\"SystemType\":\"Container\",\"Name\":\"cf6b\"})",
			`The container operating system does not match the host operating system.`,
		},
		{ // the operation and the operand of Go's errors
			`Failed build model due to RequestError: send request failed caused by: Post "https://elasticloadbalancing.sa-east1.amazonaws.com/": dial tcp: lookup elasticloadbalancing.sa-east1.amazonaws.com on 10.100.0.10:53: no such host`,
			`lookup elasticloadbalancing.sa-east1.amazonaws.com on 10.100.0.10:53: no such host`,
		},
		{
			`failing or missing response from https://10.0.0.33:443/apis/metrics.k8s.io/v1beta1: Get "https://10.0.0.33:443/apis/metrics.k8s.io/v1beta1": dial tcp 10.0.0.33:443: connect: no route to host`,
			`Get "https://10.0.0.33:443/apis/metrics.k8s.io/v1beta1": dial tcp 10.0.0.33:443: connect: no route to host`,
		},
		{
			`Failed to load target state: failed to generate manifest for source 1 of 1: Manifest generation error (cached): error getting helm repos: error reading helm chart from /tmp/x/Chart.yaml: open /tmp/x/charts/Chart.yaml: no such file or directory`,
			`Chart.yaml: no such file or directory`,
		},
		{
			`The client '0a1b' with object id '0a1b' has permission to perform action 'Microsoft.Compute/galleries/images/versions/read' on scope '/subscriptions/00aa/x'; however the current tenant '9bf8' is not authorized to access linked subscription '109a'.`,
			`The client '0a1b': the current tenant '9bf8' is not authorized to access linked subscription '109a'.`,
		},
		{ // the code of a cloud's error, without what is for its support
			"failed to provision volume with StorageClass \"ebs-sc\": rpc error: code = Internal desc = Could not create volume \"pvc-xyz\": could not create volume in EC2: UnauthorizedOperation: You are not authorized to perform this operation. status code: 403, request id: xyz",
			`UnauthorizedOperation: You are not authorized to perform this operation.`,
		},
		{
			`failed to provision volume with StorageClass "gp3": could not create volume in EC2: operation error EC2: CreateVolume, https response error StatusCode: 403, RequestID: 8d7a, api error UnauthorizedOperation: You are not authorized to perform this operation.`,
			`CreateVolume: UnauthorizedOperation: You are not authorized to perform this operation.`,
		},
		{ // the object of an API's error
			`Failed to apply spec change: handle volume expansion: persistentvolumeclaims "elasticsearch-data-es-0" is forbidden: only dynamically provisioned pvc can be resized and the storageclass must support resize`,
			`persistentvolumeclaims "elasticsearch-data-es-0" is forbidden: only dynamically provisioned pvc can be resized and the storageclass must support resize`,
		},
		{
			`Helm install failed for release a/certs with chart cert-manager@v1.18.0: Operation cannot be fulfilled on secrets "cert-manager-webhook-ca": the object has been modified; please apply your changes to the latest version and try again`,
			`Operation cannot be fulfilled on secrets "cert-manager-webhook-ca": the object has been modified`,
		},
		{ // Vault's API
			"unable to log in with app role auth: Error making API request.\n\nURL: PUT https://vault.example.com/v1/auth/approle/login\nCode: 403. Errors:\n\n* permission denied",
			`unable to log in with app role auth: PUT https://vault.example.com/v1/auth/approle/login: 403: permission denied`,
		},
		{ // AWS: the colons divide no clauses
			"Failed deploy model due to AccessDenied: User: arn:aws:sts::1:assumed-role/lbc/2 is not authorized to perform: elasticloadbalancing:AddTags on resource: arn:aws:elasticloadbalancing:x because no identity-based policy allows the elasticloadbalancing:AddTags action\n\tstatus code: 403, request id: cea0",
			`arn:aws:sts::1:assumed-role/lbc/2 is not authorized to perform: elasticloadbalancing:AddTags on resource: arn:aws:elasticloadbalancing:x`,
		},
		{ // a number is no reason
			`error syncing claim "d02f7196-4577-47fa-8910-72153658d012": failed to provision volume with StorageClass "do-block-storage": rpc error: code = ResourceExhausted desc = volume limit (10) has been reached. Current number of volumes: 10. Please contact support.`,
			`volume limit (10) has been reached. Current number of volumes: 10. Please contact support.`,
		},
		{ // what the scheduler adds
			"0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
			"0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector.",
		},
		{
			"virt-launcher: 0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}. preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
			"virt-launcher: 0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}.",
		},
		{ // Helm's ownership
			`Helm install failed for release a/wp with chart wordpress@1: Unable to continue with install: Secret "tenant1-secret" in namespace "a" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: key "meta.helm.sh/release-name" must equal "wp": current value is "other"`,
			`Secret "tenant1-secret" in namespace "a" exists and cannot be imported into the current release: key "meta.helm.sh/release-name" must equal "wp": current value is "other"`,
		},
		{ // of errors that are joined the first
			`Failed create pod sandbox: rpc error: code = Unknown desc = [failed to set up sandbox container "7caa" network for pod "sample": NetworkPlugin cni failed to set up pod "sample_a" network: error in invoke Delegate add - "macvlan": failed to find plugin "macvlan" in path [/opt/cni/bin], failed to clean up sandbox container "7caa": x]`,
			`failed to find plugin "macvlan" in path [/opt/cni/bin]`,
		},
		{ // an error of Azure's SDK whose sentence stands before it
			"SkuNotAvailable: Size Standard_D4 is not available in location 'westus3': PUT https://management.azure.com/subscriptions/0a/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm\n" + azureRule + "\nRESPONSE 409: 409 Conflict\nERROR CODE: SkuNotAvailable\n" + azureRule + "\n{\n  \"code\": \"SkuNotAvailable\",\n  \"message\": \"Size Standard_D4 is not available in location 'westus3'\"\n}\n" + azureRule + "\n",
			"SkuNotAvailable: Size Standard_D4 is not available in location 'westus3'",
		},
		{ // and one that is all there is
			"cannot create vault: PUT https://management.azure.com/x\n" + azureRule + "\nRESPONSE 403: 403 Forbidden\nERROR CODE: AuthorizationFailed\n" + azureRule + "\n{\"error\":{\"code\":\"AuthorizationFailed\",\"message\":\"The client 'c' does not have authorization\"}}\n" + azureRule,
			"cannot create vault: AuthorizationFailed: The client 'c' does not have authorization",
		},
		{ // or is cut off before it (Azure/azure-service-operator#5074)
			"Resource 'stdata' was disallowed by policy. Policy identifiers: 'Storage accounts should disable public network access'.: PUT https://management.azure.com/x\n" + azureRule + "\nRESPONSE 403: 403 Forbidden\nERROR CODE: RequestDisallowedByPolicy\n" + azureRule,
			"Resource 'stdata' was disallowed by policy. Policy identifiers: 'Storage accounts should disable public network access'.",
		},
		{ // or has no body
			"GET https://management.azure.com/x\n" + azureRule + "\nRESPONSE 503: 503 Service Unavailable\nERROR CODE: ServerTimeout\n" + azureRule + "\nResponse contained no body\n" + azureRule,
			"ServerTimeout",
		},
		{ // a log that Helm's controller has added
			"Helm upgrade failed for release a/web with chart web@0.2.0: timed out waiting for the condition\n\nLast Helm logs:\n\n2026-01-01T00:45:00Z DEBUG: preparing upgrade for web\n2026-01-01T00:45:01Z DEBUG: error updating the resource: x",
			"Helm upgrade failed for release a/web with chart web@0.2.0: timed out waiting for the condition",
		},
		{ // a diagnostic without details
			"Update call failed: error applying desired state: summary: Error creating Trigger: googleapi: Error 409: trigger (610, cicd) already exists, detail: ",
			"Update call failed: error applying desired state: summary: Error creating Trigger: googleapi: Error 409: trigger (610, cicd) already exists",
		},
		{ // Java's client for Kubernetes
			"Error during reconciliation: io.fabric8.kubernetes.client.KubernetesClientException: Operation: [get]  for kind: [Secret]  with name: [db-app]  in namespace: [kc]  failed.\n\tat io.fabric8.kubernetes.client.KubernetesClientException.launderThrowable(KubernetesClientException.java:159)\n\t... 26 more\nCaused by: io.fabric8.kubernetes.client.KubernetesClientException: Failure executing: GET at: https://172.30.0.1:443/api/v1/namespaces/kc/secrets/db-app. Message: secrets \"db-app\" not found. Received status: Status(apiVersion=v1, code=404, details=StatusDetails(causes=[], group=null, kind=secrets, name=db-app), kind=Status, message=secrets \"db-app\" not found, reason=NotFound, status=Failure, additionalProperties={}).\n\tat io.fabric8.kubernetes.client.dsl.internal.OperationSupport.requestFailure(OperationSupport.java:671)",
			`secrets "db-app" not found`,
		},
		{ // Ansible's
			`Failed to create object: b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Secret in version \\"v1\\" cannot be handled as a Secret: illegal base64 data at input byte 0","reason":"BadRequest","code":400}\n'`,
			`Failed to create object: BadRequest: Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0`,
		},
		{ // Kafka Connect's
			"connect Rest API request failed: Connector configuration is invalid and contains the following 1 error(s):\nInvalid value https://dev.example.com/ for configuration servicenow.url: Unable to connect to ServiceNow, 401 Unauthorized\nYou can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`",
			"servicenow.url https://dev.example.com/: Unable to connect to ServiceNow, 401 Unauthorized",
		},
		{ // a field of a merge
			"Failed to compare desired state to live state: failed to perform pre-diff normalization: error building typed value from live resource: errors: .status.terminatingReplicas: field not declared in schema",
			".status.terminatingReplicas: field not declared in schema",
		},
		{ // what was to be got over a connection that fails (knative/serving#15976)
			`Revision "hello-00001" failed with message: Unable to fetch image "gcr.io/knative-samples/helloworld-go:latest": failed to resolve image to digest: Get "https://gcr.io/v2/": context deadline exceeded.`,
			`Unable to fetch image "gcr.io/knative-samples/helloworld-go:latest": Get "https://gcr.io/v2/": context deadline exceeded.`,
		},
		{ // and who dials (kedacore/keda#6316)
			`error creating kafka client: kafka: client has run out of available brokers to talk to: read tcp 172.22.199.48:59274->100.66.23.62:9092: read: connection reset by peer`,
			`client has run out of available brokers to talk to: read tcp 172.22.199.48:59274->100.66.23.62:9092: read: connection reset by peer`,
		},
		{ // a conversion webhook (kubernetes/kubernetes#118357)
			`Failed to delete all resource types, 1 remaining: conversion webhook for stable.example.com/v2, Kind=Widget failed: Post "https://hook.a.svc:9443/crdconvert?timeout=30s": service "hook" not found`,
			`the conversion webhook of Widget (stable.example.com/v2) cannot be called: service "hook" not found`,
		},
		{ // an answer whose details say more (kubernetes-sigs/cloud-provider-azure#792)
			`failed to ensure load balancer: Retriable: false, RetryAfter: 0s, HTTPStatusCode: 412, RawError: {"error": {"code": "PreconditionFailed", "message": "Precondition failed.", "details": [{"code": "PreconditionFailedEtagMismatch", "message": "Etag provided in if-match header W/\"9a\" does not match etag W/\"1b\" of resource x in NRP data store."}]}}`,
			`Etag provided in if-match header W/"9a" does not match etag W/"1b" of resource x in NRP data store.`,
		},
		{ // an error in quotes
			`Node a is reporting: "failed to retrieve file ownership for file \"/etc/x\": no such user: wrong"`,
			`Node a is reporting: failed to retrieve file ownership for file "/etc/x": no such user: wrong`,
		},
		{`Back-off pulling image: "registry.example.com:5000/a"`, `Back-off pulling image: "registry.example.com:5000/a"`},
		{`rpc error: code = Aborted desc = volume pvc-1 is not ready for workloads`, `volume pvc-1 is not ready for workloads`},
		{`a short message`, `a short message`},
	} {
		if got := Short(c.text, 160); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// A title is one line of bounded length, and is not empty unless the message is.
func FuzzShort(f *testing.F) {
	for _, s := range []string{
		`X is invalid: a: Invalid value: "v": t`, `failed calling webhook "w": x: y`, `admission webhook "w" denied the request: t`, `exceeded quota: q`,
		`a, b {"c":"d,e"}, f; g`, "A: b at x.java:1 Caused by: c at y.java:2", "Traceback (most recent call last) E Error: x", "é: ü",
		"Last Helm logs: x", "a, detail:", `a: "b: \"c\""`, azureRule + " RESPONSE 400: a ERROR CODE: b " + azureRule + " {",
	} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most < 20 || most > 300 || !utf8.ValidString(text) {
			return
		}
		_, _ = Reason(text), Clause(text)
		got := Short(text, most)
		if len(got) > most+subjectExtra && len(got) > len(text) || strings.ContainsAny(got, "\n\r") || !utf8.ValidString(got) || got == "" && Fold(text) != "" {
			t.Errorf("%q is shortened to %q", text, got)
		}
		_ = Objects(got)
	})
}
