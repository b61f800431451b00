// Package workloads finds what the controllers of workloads report, and Pods that are not
// admitted.
package workloads

import "github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"

// Detectors are the detectors of this family, by the kinds that they inspect.
var Detectors = []inspect.Detector{
	{Kinds: []string{"apps/Deployment"}, Find: deployment},
	{Kinds: []string{"apps/Deployment"}, Find: deadlock},
	{Kinds: []string{"apps/StatefulSet"}, Current: true, Find: statefulSet},
	{Kinds: []string{"apps/DaemonSet"}, Current: true, Find: daemonSet},
	{Kinds: []string{"apps/Deployment", "apps/StatefulSet"}, Current: true, Find: contested},
	{Kinds: []string{"batch/Job"}, Find: job},
	{Kinds: []string{"batch/CronJob"}, Current: true, Find: cronJob},
	{Kinds: []string{
		"apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet", "batch/Job", "ReplicationController",
	}, Find: denials},
	{Kinds: []string{"apps/Deployment", "apps/StatefulSet", "apps/DaemonSet"}, Find: selectsAll},
	{Kinds: []string{"autoscaling/HorizontalPodAutoscaler"}, Current: true, Find: autoscaler},
	{Kinds: []string{"policy/PodDisruptionBudget"}, Current: true, Find: disruptionBudget},
}
