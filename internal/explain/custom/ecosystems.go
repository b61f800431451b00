package custom

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// ecosystem says how the kinds of a project's groups report problems.
type ecosystem struct {
	groups []string // a group, or ".suffix" for all groups with that suffix
	kinds  []string // none means every kind of the groups
	code   *codes.Code
	// first lists conditions whose False precedes the others', the closest to
	// the cause first.
	first []string
	// waits and retries are reasons that are normal, or that the controller
	// retries by itself; all others need action.
	waits, retries []string
	// unfinished lists conditions that the controller sets to False during every
	// rollout. They are never the cause.
	unfinished []string
}

var ecosystems = []ecosystem{
	{
		groups: []string{"source.toolkit.fluxcd.io"}, code: codes.SourceNotReady,
		first:   []string{"FetchFailed", "Ready"},
		waits:   []string{"Progressing", "NewGeneration"},
		retries: []string{"GitOperationFailed", "OCIPullFailed", "ProgressingWithRetry"},
	},
	{
		groups: []string{"kustomize.toolkit.fluxcd.io"}, code: codes.KustomizationFailed,
		first:   []string{"Ready", "Healthy"},
		waits:   []string{"Progressing", "Reconciling"},
		retries: []string{"ProgressingWithRetry", "ArtifactFailed", "DependencyNotReady", "HealthCheckCanceled"},
	},
	{
		groups: []string{"helm.toolkit.fluxcd.io"}, code: codes.HelmReleaseFailed,
		first:   []string{"Released", "TestSuccess", "Ready"},
		waits:   []string{"Progressing"},
		retries: []string{"ProgressingWithRetry", "DependencyNotReady", "SourceNotReady", "ArtifactFailed"},
	},
	{
		groups: []string{"cert-manager.io"}, kinds: []string{"Issuer", "ClusterIssuer"},
		code: codes.IssuerNotReady, first: []string{"Ready"},
	},
	{
		groups: []string{"cert-manager.io", "acme.cert-manager.io"},
		code:   codes.CertificateNotReady, first: []string{"InvalidRequest", "Denied", "Ready"},
		waits: []string{"Pending", "Issuing", "Renewing", "DoesNotExist", "Requested"},
	},
	{
		groups: []string{"pkg.crossplane.io"}, code: codes.PackageUnhealthy,
		first: []string{"DependencyResolutionFailed", "RevisionHealthy", "RuntimeHealthy", "Installed", "Healthy"},
		waits: []string{"UnpackingPackage"},
	},
	{
		groups: []string{".crossplane.io", ".upbound.io"}, code: codes.CrossplaneNotReady,
		first: []string{"Synced", "LastAsyncOperation", "Responsive", "Ready"},
		waits: []string{"Creating", "Deleting"}, retries: []string{"Unavailable", "WatchCircuitOpen"},
	},
	{
		groups: []string{".cluster.x-k8s.io", "cluster.x-k8s.io"}, code: codes.ClusterAPINotReady,
		first: []string{
			"InfrastructureReady", "BootstrapConfigReady", "BootstrapReady", "ControlPlaneAvailable",
			"ControlPlaneReady", "NodeHealthy", "Available", "Ready",
		},
		waits: []string{
			"WaitingForInfrastructure", "WaitingForBootstrapData", "WaitingForNodeRef",
			"WaitingForControlPlane", "Provisioning", "DrainingNode", "WaitingForPreDrainHook",
			"WaitingForVolumeDetach", "ScalingUp", "RollingOut",
		},
	},
	{
		groups: []string{".knative.dev"}, code: codes.KnativeNotReady,
		first: []string{"ContainerHealthy", "ResourcesAvailable", "ConfigurationsReady", "RoutesReady", "Ready"},
		waits: []string{"Deploying", "Uninitialized", "Unknown"},
	},
	{
		groups: []string{"tekton.dev"}, code: codes.RunFailed, first: []string{"Succeeded"},
		waits: []string{"Running", "Started", "Pending", "ResolvingTaskRef", "ResolvingPipelineRef"},
	},
	{
		groups: []string{"karpenter.sh", ".karpenter.sh", ".karpenter.k8s.aws", "karpenter.k8s.aws"},
		code:   codes.NodeClaimNotReady,
		first:  []string{"Launched", "Registered", "Initialized", "NodeClassReady", "ValidationSucceeded", "Ready"},
		waits: []string{
			"NodeNotFound", "NodeNotReady", "StartupTaintsExist", "ResourceNotRegistered",
			"AwaitingReconciliation",
		}, retries: []string{"LaunchFailed", "InsufficientCapacityError"},
	},
	{
		groups: []string{"kro.run", ".kro.run"}, code: codes.KroNotReady,
		first: []string{
			"GraphAccepted", "KindReady", "ControllerReady", "GraphResolved", "InstanceManaged",
			"ResourcesReady", "Ready",
		},
	},
	{
		groups: []string{"external-secrets.io"}, kinds: []string{"SecretStore", "ClusterSecretStore"},
		code: codes.SecretStoreNotReady, first: []string{"Ready"},
	},
	{groups: []string{"external-secrets.io"}, code: codes.ExternalSecretFailed, first: []string{"Ready"}},
	{
		groups: []string{"argoproj.io"}, kinds: []string{"Rollout"},
		code: codes.RolloutDegraded, first: []string{"InvalidSpec", "Progressing", "Available"},
		waits: []string{"ReplicaSetUpdated", "NewReplicaSetCreated", "RolloutPaused"},
		// argo-rollouts utils/conditions/conditions.go, v1.10.1
		unfinished: []string{"Healthy", "Completed"},
	},
}

func ecosystemOf(id object.ID) *ecosystem {
	for i := range ecosystems {
		e := &ecosystems[i]
		for _, g := range e.groups {
			if (g == id.Group || g[0] == '.' && strings.HasSuffix(id.Group, g)) &&
				(len(e.kinds) == 0 || slices.Contains(e.kinds, id.Kind)) {
				return e
			}
		}
	}
	return nil
}
