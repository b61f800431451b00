package general

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// patience is how long something may wait before somebody has to act, by code.
// What is not listed waits because somebody wants it so (Suspended, Paused,
// Partitioned), or has a limit of its own.
var patience = map[*codes.Code]time.Duration{
	// A Deployment's default progressDeadlineSeconds, which health checks of
	// deployments wait for (kubernetes v1.36, pkg/apis/apps/v1/defaults.go).
	codes.ApplicationUnhealthy: 10 * time.Minute,
	codes.ApplicationSyncing:   10 * time.Minute,
	// its progress-deadline is 600 s (knative serving v1.19, config-deployment)
	codes.KnativeNotReady: 10 * time.Minute,
	// Flux's controllers wait for five minutes unless their spec says otherwise
	// (helm-controller v1.3, kustomize-controller v1.6: spec.timeout).
	codes.HelmReleaseFailed:   10 * time.Minute,
	codes.KustomizationFailed: 10 * time.Minute,
	codes.SourceNotReady:      10 * time.Minute,
	// An ACME order that is not done after minutes waits for somebody's DNS or
	// Ingress (Let's Encrypt answers a challenge within seconds).
	codes.CertificateNotReady: 10 * time.Minute,
	// registrationTTL (sigs.k8s.io/karpenter v1.8, lifecycle/liveness.go)
	codes.NodeClaimNotReady: 15 * time.Minute,
	// nodeStartupTimeout is 10 minutes (cluster-api v1.11, MachineHealthCheck)
	codes.ClusterAPINotReady:    20 * time.Minute,
	codes.IngressAddressPending: 5 * time.Minute, // the patience of its status
	// The attach-detach controller detaches a volume by force after six minutes
	// (kubernetes v1.36, pkg/controller/volume/attachdetach): a Pod that uses the
	// claim for longer is not on its way out.
	codes.ClaimInUse: 10 * time.Minute,
	// Clouds take up to an hour for databases and clusters.
	codes.CrossplaneNotReady: time.Hour,
	codes.Reconciling:        time.Hour,
	codes.ConditionFalse:     time.Hour,
	codes.RunFailed:          time.Hour, // default-timeout-minutes (tekton pipeline v1.3)
}

// kindPatience is the same for kinds whose code says too little.
var kindPatience = map[string]time.Duration{
	// Helm waits for five minutes (helm v3.18, --timeout): a release that is
	// pending for twice as long is a lock that nobody holds any more.
	"helm.sh/Release": 10 * time.Minute,
}

// groupPatience is the same for what the kinds of a group wait for in the words of
// a condition that is Unknown.
var groupPatience = map[string]time.Duration{
	"karpenter.sh":        patience[codes.NodeClaimNotReady],
	"cluster.x-k8s.io":    patience[codes.ClusterAPINotReady],
	"serving.knative.dev": patience[codes.KnativeNotReady],
	"cert-manager.io":     patience[codes.CertificateNotReady],
}

// retryPatience is how long something may be retried before somebody has to act. What is
// not listed needs somebody from the start, or heals when a limit or an outage is over
// (ImageRateLimited, RegistryUnreachable).
var retryPatience = map[*codes.Code]time.Duration{
	// The kubelet waits for volumes for 2 min 3 s and then begins anew; between two attempts
	// for one volume it waits for at most 2 min 2 s (kubernetes v1.36, pkg/kubelet/volumemanager
	// podAttachAndMountTimeout, pkg/util/goroutinemap/exponentialbackoff).
	codes.VolumeMountFailed: 10 * time.Minute,
	// A volume is detached by force from another node after six minutes (pkg/controller/
	// volume/attachdetach/reconciler, maxWaitForUnmountDuration), and attached within the
	// same back-off.
	codes.VolumeAttachFailed:      10 * time.Minute,
	codes.VolumeAttachedElsewhere: 10 * time.Minute,
	// The external provisioner doubles its pauses from 1 s to 5 min (external-provisioner
	// v5.3, --retry-interval-max), which takes it 8.5 minutes.
	codes.ProvisioningFailed: 15 * time.Minute,
	// The kubelet tries a sandbox again with every sync of the Pod, about each 15 s.
	codes.PodSandboxFailed: repeatedFor,
	codes.PodNetworkFailed: repeatedFor,
	// The kubelet waits two minutes for the runtime (--runtime-request-timeout). The runtime keeps
	// working after that.
	codes.NameReserved: 10 * time.Minute,
	// A rollout has a default of ten minutes for its Pods to become ready (kubernetes v1.36,
	// pkg/apis/apps/v1/defaults.go, progressDeadlineSeconds). What has no deadline needs somebody
	// as soon.
	codes.ReadinessProbeFailing: 10 * time.Minute,
	codes.ReadinessGateNotReady: 10 * time.Minute,
	// The kubelet doubles its pauses between two pulls from 10 s to 5 min (pkg/kubelet,
	// imageBackOffPeriod, MaxImageBackOff): that takes it five minutes, and two more attempts are
	// five minutes apart.
	codes.ImagePullFailed: 15 * time.Minute,
	// A node reports pressure for five minutes after the last sign of it (--eviction-
	// pressure-transition-period): what lasts for longer is not relieved by evictions.
	codes.NodePressure: 10 * time.Minute,
	// The controller of a cloud doubles its pauses from 5 s to 5 min (k8s.io/cloud-provider v0.36,
	// controllers/service: minRetryDelay, maxRetryDelay), which takes it ten minutes.
	codes.LoadBalancerFailed: 15 * time.Minute,
	// A challenge whose own check fails is checked again each ten seconds (cert-manager v1.18,
	// pkg/controller/acmechallenges, sync.go).
	codes.CertificateNotReady: patience[codes.CertificateNotReady],
	codes.Reconciling:         repeatedFor, // a condition that is Unknown and names an error
	codes.NotReady:            repeatedFor,
	// The Pods of a node that is not ready are evicted after five minutes (kubernetes v1.36,
	// plugin/pkg/admission/ defaulttolerationseconds): a reboot takes less.
	codes.NodeLost: 5 * time.Minute,
}

// Patience makes what has waited, or has been tried, for too long need action.
func Patience(in *inspect.Inspector) {
	for _, f := range in.Found {
		// The controller of a custom resource tries again when a server does not answer.
		if f.Code == codes.ConditionFalse && f.Class == codes.Action &&
			message.RemedyOf(f.Title()) == message.Recovery {
			if !f.Since.IsZero() && !in.Older(f.Since, repeatedFor) {
				f.Class = codes.Retries
			}
		}
		if f.Class == codes.Retries && !f.Remark {
			retried(in, f)
		}
		limit, limited := kindPatience[in.Object.GroupKind()]
		if !limited && f.Code == codes.Reconciling {
			limit, limited = groupPatience[in.Object.Group]
		}
		if !limited {
			limit, limited = patience[f.Code]
		}
		if !limited || f.Class != codes.Waits || f.Remark {
			continue
		}
		if in.Older(f.Since, limit) {
			f.Class, f.Overdue = codes.Action, true
			add(f, "for "+wording.Span(in.Now().Sub(f.Since)))
		}
	}
}

// retried makes what has been tried for too long need action, and what needs a permission, other
// credentials or trust in a certificate when others have had the time to give them.
func retried(in *inspect.Inspector, f *inspect.Finding) {
	limit, limited := retryPatience[f.Code]
	soonest := time.Duration(repeatedFor)
	if limited {
		soonest = min(soonest, limit)
	}
	since := f.Since
	if f.Code == codes.NotReady && in.Assessment.Deciding < 0 { // a field of a status has no date
		since = began(in, f)
	}
	if f.Until.After(in.Now()) || !in.Older(since, soonest) {
		return // to parse the message would take longer than all else, and change nothing yet
	}
	switch message.RemedyOf(f.Title() + " " + f.Detail) {
	case message.PassageOfTime:
		return
	case message.Permission:
		limit, limited = repeatedFor, true
	}
	if limited && in.Older(since, limit) {
		f.Class = codes.Action
	}
}
