// Package registry holds what is known of the status of some 500 custom kinds, and
// of Kubernetes's own that need no more than a row, and reads it: the files in
// groups, their parser, and the matcher that says which clause of a kind's row holds
// for an object. What an outcome means for the verdict (grace, retries, confidence)
// is internal/status's affair.
//
// # The files
//
// groups/DOMAIN.txt holds the rows of an API group, or of all the groups of a project
// that share a domain (groups/fluxcd.io.txt; groups/core.txt for the core group). The
// cases of these rows stand beside it in groups/DOMAIN.cases, one a line: the wanted
// status and confidence, then "terminal", "paused" and "note" where they hold, then
// the object as JSON. Tests of internal/status judge them, and require that each
// clause decides at least one.
//
// # The language
//
// A row describes one kind, or several of a group that report alike:
//
//	kind argoproj.io Rollout
//	source argo-rollouts v1.7 pkg/apis/rollouts/v1alpha1/types.go
//	failed @InvalidSpec=True
//	failed @Progressing=False(ProgressDeadlineExceeded|RolloutAborted)
//	paused .status.phase=Paused
//	progress .status.updatedReplicas<.spec.replicas?1 .status.replicas
//	current .status.phase=Healthy
//	silent !.status.conditions
//
// It begins with
//
//	kind GROUP KIND [KIND…]   KIND "*" is every kind of the group; GROUP
//	                          "*.example.org" is example.org and every group that
//	                          ends in .example.org; "-" is the core group
//	source …                  where its facts are from; required
//	read …                    the upstream text that the row was compared with
//
// and goes on with any of
//
//	root TYPE        the condition that sums the object up; while it is absent, the
//	                 object is not ready (an absent condition means Unknown)
//	sense TYPE=S …   what a condition type means: one of the names of a [Sense]
//	ignore TYPE …    condition types that do not count
//	data             objects of the kind carry no status: they are Current
//	lags             status.observedGeneration moves with success alone: a summary
//	                 that is False may be about a newer generation
//	foreign          status.observedGeneration is the generation of another object,
//	                 on which this one reports
//
// and with clauses. A clause is an [Outcome] and the tests that must all hold.
// The clauses are tried in their order, and the first that holds decides. A clause
// without a test always holds. After "| " stands what it says of an object that does
// not say it itself. A note says it of an object that a later clause calls current; of
// several the first counts. Where no clause holds, internal/status goes on: for the few
// kinds that the language cannot describe with a function (registry_coded.go), then
// with its conventions. It asks these too before it believes that an object is
// Current: a clear fault in another condition or field counts. Where such a
// condition is none for the kind, the row says so: "sense Warning=info".
//
// A row for a kind goes before one for its group ("*"), and that before one for
// a family of groups ("*.example.org"). A kind's own row inherits the senses of
// its group's row, and nothing else.
//
// # Tests
//
// Conditions, of status.conditions; those that describe an older generation are
// passed over:
//
//	@Ready                       there is one of this type
//	@Ready=False|Unknown         with one of these statuses
//	@Ready=False(Failed|Err*)    and one of these reasons
//	@Ready=False(!Pending)       and none of these reasons
//	@Ready=False(*)              whatever the reason. Without it, "failed @Ready=False" is under
//	                             way while its reason is (Progressing) and its message names no
//	                             error
//	@Ready!=True                 there is one, with another status
//	.status.parents[]@Accepted=False   one below this path
//
// Fields:
//
//	.status.error                  the field is there and says something: it is not
//	                               empty, zero or false
//	.status.phase=Running|Ready*   it has one of these values; "*" is also an empty list or object
//	.status.phase!=Running         it is set and has none of them
//	.status.seen!=.status.wanted   two fields, not in lists, differ
//	.status.ready<3                numbers; also >. An absent field on the left is 0
//	.status.ready<.spec.replicas?1 two fields, or metadata.generation; the number after "?" stands for an absent
//	                               field on the right. "[]" on both sides compares within
//	                               each element, "[]" on the right alone is the sum
//
// and labels and annotations, with = and != as for fields:
//
//	label:KEY=VALUE
//	annotation:KEY
//	annotation:KEY!=.status.seen   both are there, and differ
//
// In a path "[]" is any element of a list or field of an object: one that fits
// is enough. Types, values and reasons are compared without regard to case, and
// "*" in them stands for anything. "!" before a test denies it. A test that
// contains a blank stands in double quotes.
package registry
