package status

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/docstest"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

var update = flag.Bool("update", false, "write docs/rules.md anew")

// TestEveryClauseOfTheRegistryDecidesACase judges the cases beside the rows:
// registry/groups/GROUP.cases has one a line, the wanted status and confidence (and
// "terminal", "paused", "note"), then the object.
func TestEveryClauseOfTheRegistryDecidesACase(t *testing.T) {
	decided := map[string]bool{}
	judged := map[*registry.Row]int{}
	for _, file := range registryCases(t) {
		judgeRegistryCases(t, file, decided, judged)
	}
	for _, r := range registry.Rows() {
		if judged[r] == 0 {
			t.Errorf("%s has no case", r.ID())
		}
		for i, cl := range r.Clauses {
			if cl.Outcome != registry.OutcomeConventions && !decided[fmt.Sprint(r.ID(), i)] {
				t.Errorf("%s: no case is decided by: %s %s", r.ID(), cl.Outcome, cl.Text)
			}
		}
		for _, kind := range r.Kinds {
			if c, ok := codedKinds[groupKind{r.Group, kind}]; ok && !decided[c.says] {
				t.Errorf("%s: no case is decided by the function: %s", r.ID(), c.says)
			}
		}
	}
}

// judgeRegistryCases judges the cases of one file, and notes which rows they are of
// and which clauses decided them.
func judgeRegistryCases(t *testing.T, file string, decided map[string]bool, judged map[*registry.Row]int) {
	t.Helper()
	readCases(t, file, func(line int, want []string, o *object.Object) {
		a := Assess(o, World{Offline: true}, caseTime)
		if a.Status != Status(want[0]) || a.Confidence != Confidence(want[1]) || a.Terminal != slices.Contains(want, "terminal") ||
			a.Paused != slices.Contains(want, "paused") || (a.Note != "") != slices.Contains(want, "note") {
			t.Errorf("%s:%d: %s %s is %s (%s, terminal %v, paused %v, note %q) by %s: %s; want %v",
				file, line, o.GroupKind(), o.Name, a.Status, a.Confidence, a.Terminal, a.Paused, a.Note, a.Rule, a.Message, want)
		}
		if a.Message == "" || a.Rule == "" {
			t.Errorf("%s:%d: message %q, rule %q", file, line, a.Message, a.Rule)
		}
		r := registry.For(o.Group, o.Kind)
		if r == nil {
			t.Errorf("%s:%d: no row for %s", file, line, o.GroupKind())
			return
		}
		judged[r]++
		for i, cl := range r.Clauses {
			if cl.Holds(o, &registry.Match{}) {
				decided[fmt.Sprint(r.ID(), i)] = true
				if cl.Outcome != registry.OutcomeNote {
					return
				}
			}
		}
		if c, ok := codedKinds[groupKind{o.Group, o.Kind}]; ok {
			if _, ok := c.judge(&judge{o: o}); ok {
				decided[c.says] = true
			}
		}
	})
}

func TestTheMessageOfAComparisonHasItsNumbers(t *testing.T) {
	for obj, want := range map[string]string{
		`{"apiVersion":"core.strimzi.io/v1","kind":"StrimziPodSet","metadata":{"name":"it"},"status":{"pods":3,"readyPods":2}}`:                    "status.readyPods (2) is less than status.pods (3)",
		`{"apiVersion":"postgresql.cnpg.io/v1","kind":"Pooler","metadata":{"name":"it"},"status":{"secrets":{"serverTLS":{"name":"x"}}}}`:          "status.instances (0) is less than spec.instances (1)",
		`{"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":"it"},"status":{"availableWorkerReplicas":1,"desiredWorkerReplicas":4}}`: "status.availableWorkerReplicas (1) is less than status.desiredWorkerReplicas (4)",
	} {
		o, err := convert.JSON([]byte(obj), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := Assess(o, World{Offline: true}, caseTime).Message; got != want {
			t.Errorf("%s\n got %q\nwant %q", obj, got, want)
		}
	}
}

// TestTheRulesAreWrittenDown compares docs/rules.md with what the code says;
// -update writes it.
func TestTheRulesAreWrittenDown(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "rules.md")
	want := rulesPage()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/rules.md is not what the rules are: run the tests of this package with -update")
	}
}

// outcomes is what the page says of the outcomes.
var outcomes = map[registry.Outcome]string{
	registry.OutcomeFailed:      "Failed, once it has lasted the grace",
	registry.OutcomeTerminal:    "Failed at once, and for good",
	registry.OutcomeProgress:    "InProgress",
	registry.OutcomePaused:      "InProgress, paused",
	registry.OutcomeIdle:        "Current; suspended, with nothing left to do",
	registry.OutcomeCurrent:     "Current",
	registry.OutcomeUnknown:     "Unknown",
	registry.OutcomeSilent:      "no status yet: InProgress, after a while Unknown",
	registry.OutcomeConventions: "left to the conventions",
	registry.OutcomeNote:        "a note, if it is Current",
}

// rulesPage is docs/rules.md.
func rulesPage() []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, rulesHead)
	fmt.Fprint(&b, rulesOfProof)
	fmt.Fprint(&b, "\n## Words\n\nA phase, a state or a reason is judged by its words; of several the strongest class counts, and a denial turns the next word around (`NotReady`). `Up` is good as the first word alone (`UpToDate`; not `StartUp`, `GaveUp`).\n\n")
	for _, c := range []struct {
		class wordClass
		name  string
	}{{wordBad, "Bad"}, {wordProgress, "Under way"}, {wordPaused, "Paused"}, {wordGood, "Good"}} {
		var list []string
		for w, class := range words {
			if class == c.class {
				list = append(list, w)
			}
		}
		slices.Sort(list)
		fmt.Fprintf(&b, "**%s:** %s.\n\n", c.name, strings.Join(list, ", "))
	}
	fmt.Fprint(&b, "## Polarity of condition types\n\nThe last telling word of a type decides. These names are exceptions:\n\n| type | polarity |\n|---|---|\n")
	for _, typ := range slices.Sorted(maps.Keys(conditionNames)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", typ, PolarityByName(typ))
	}
	fmt.Fprint(&b, "\n## Built-in kinds (exact)\n\n")
	var kinds []string
	for gk := range rules {
		kinds = append(kinds, object.ID{Group: gk[0], Kind: gk[1]}.GroupKind())
	}
	slices.Sort(kinds)
	for _, gk := range kinds {
		fmt.Fprintf(&b, "- `%s`\n", gk)
	}
	rows := registry.Rows()
	read := 0
	for _, r := range rows {
		if r.Read != "" {
			read++
		}
	}
	fmt.Fprintf(&b, "\n## Registry\n\n%d rows. A clause is an outcome and the tests that must all hold; the first that holds decides, then the conventions. What a row calls Current is not while the conventions see a clear fault in another condition or field of the status itself. If a word decided (`state: Accepted`), it is not while the status calls one of its parts failing (`subresourceStatuses`, `state: Rejected`), unless the word says that the whole has ended (`Succeeded`). What a row calls InProgress because of a False condition, whatever its reason, is Failed once that condition names an error and says what is wrong. What a row calls Failed because of a False condition, whatever its reason, is InProgress while the reason speaks of work under way and the message of no error; a row that means every reason writes `(*)`.\n\n"+
		"How sure a row is: %d are marked \"Read again\" and have been compared with the upstream text that is named, some of a group's `*` rows with that of one or a few of its kinds. "+
		"Nearly all others are of groups that occur among Argo CD's health checks, and are held by its labelled cases (make conformance). "+
		"A few stand on their project's documentation alone: it publishes no source, or their kinds with a status have rows of their own; where their words were not compared with upstream, the row says it. Every clause of every row has a case of our own.\n\n", len(rows), read)
	for _, r := range rows {
		fmt.Fprintf(&b, "### `%s`: %s\n\n%s\n\n", r.Group, strings.Join(r.Kinds, ", "), r.Source)
		if r.Read != "" {
			fmt.Fprintf(&b, "Read again: %s\n\n", r.Read)
		}
		if r.Data {
			fmt.Fprint(&b, "- carries no status: Current\n")
		}
		if r.Root != "" {
			fmt.Fprintf(&b, "- `%s` sums it up, and must be there\n", r.Root)
		}
		if r.Foreign {
			fmt.Fprint(&b, "- `status.observedGeneration` is the generation of another object\n")
		}
		for _, typ := range slices.Sorted(maps.Keys(r.Senses)) {
			fmt.Fprintf(&b, "- condition `%s`: %s\n", typ, r.Senses[typ])
		}
		for _, typ := range slices.Sorted(maps.Keys(r.Ignored)) {
			fmt.Fprintf(&b, "- condition `%s` does not count\n", typ)
		}
		for _, cl := range r.Clauses {
			if cl.Text == "" {
				fmt.Fprintf(&b, "- %s: otherwise\n", outcomes[cl.Outcome])
				continue
			}
			fmt.Fprintf(&b, "- %s: `%s`", outcomes[cl.Outcome], cl.Text)
			if cl.Says != "" {
				fmt.Fprintf(&b, " (%s)", cl.Says)
			}
			fmt.Fprintln(&b)
		}
		if c, ok := codedKinds[groupKind{r.Group, r.Kinds[0]}]; ok {
			fmt.Fprintf(&b, "- else %s\n", c.says)
		}
		fmt.Fprintln(&b)
	}
	b.WriteString("<!-- made by go test ./internal/status -run RulesAreWritten -update -->\n")
	return []byte(docstest.Wrap(b.String()))
}

// rulesOfProof says what proves a status and what does not.
const rulesOfProof = `
## Patience

Some controllers never report anything: an Ingress controller without a published address, a Gateway controller for one of several parents. The program waits for them, and then stops waiting.

- For 5 minutes after its creation, an Ingress without an address and a route without an answer from one of its parents are InProgress.
- After that they are Current with a note, because most likely nobody will ever report more.
- Patience is no proof. They stay InProgress if something that they refer to does not exist (a Service, a class, a certificate, a Gateway), or if a controller works on them and has still not reported an address: it set a finalizer, wrote the status, or recorded an event. They are Failed if their Warning events repeat.
- Before their events have been read they are InProgress, too. The program asks for these events, and goes on reading them while the object is Current.
- With ` + "`compute`" + ` there is no cluster to wait for. There they stay InProgress.

Other things pass by themselves within a known time, and are no fault until then:

- An HPA has no metrics while its target starts, and for 5 minutes after that.
- A Pod waits for a volume for 5 minutes while its claim is being provisioned.
- A Pod that fits on no node waits 15 minutes for a node that an autoscaler has ordered.

## Contradiction

The status of an object may contradict itself. The worse part counts if it is clear.

- ` + "`Ready=True`" + ` with the reason ` + "`ReconcileFailed`" + `: the reason explains the present status, so the object is not Current.
- ` + "`Ready=True`" + ` beside another condition that is clearly a fault (` + "`LoadBalancerPortsError=True`" + ` on a Service, ` + "`GPUFailure=True`" + ` on a Node): the object is Failed after its grace. This holds for custom kinds and for Kubernetes' own. A condition that the rule of the kind has already read does not count twice.
- ` + "`ProgressDeadlineExceeded`" + ` of a Deployment that names another ReplicaSet than the newest: this is the deadline of an older rollout, and does not count. Nor does it at zero replicas, or while the Deployment is paused.
- A load balancer's controller reports in an annotation that no endpoint of a backend is healthy (` + "`ingress.kubernetes.io/backends`" + `, Google's): an Ingress with an address is Failed after its grace, because requests for that backend are answered with 502. ` + "`Unknown`" + ` of all backends keeps a new Ingress InProgress for 5 minutes, and is a note afterwards.
- What a route's status says about parents that its spec does not name does not count.
- A type that occurs more than once (some controllers append to a history): the condition with the latest ` + "`lastTransitionTime`" + ` counts, and of equal ones the last.
- Counters look good, but events show that something is refused: a StatefulSet, DaemonSet, ReplicaSet or Job whose Pods are refused (` + "`FailedCreate`" + `), a Pod whose volume cannot be attached or mounted or whose node has no network for it, a Service whose load balancer is refused, a claim whose volume is refused. Such an event counts like a fault in the status, until the end is reported or until it has not been repeated for 20 minutes. It only counts while the object waits: it never lowers Current. Only events of a CronJob do: it is Failed if its controller cannot read its schedule or its time zone, or could not create the Job of a run, until a run or a change of its spec comes after the event.
`

const rulesHead = `# How an object is judged

Why does an object have the status that it has? These are the default rules (` + "`--rules full`" + `). With ` + "`--rules kstatus`" + ` every status is kstatus's to the letter. To see which rules decided about an object, give it to ` + "`compute --explain`" + `.

More about [Flux](#flux-at-a-glance), [a status about an older spec](#staleness), [kinds without a rule of their own](#conventions), [controllers that never report](#patience), [objects that contradict themselves](#contradiction), [words](#words), [types of conditions](#polarity-of-condition-types), [built-in kinds](#built-in-kinds-exact) and [custom kinds](#registry).

The first of these rules that applies decides:

1. Deletion: the object is Terminating.
2. Its status describes an older generation ([staleness](#staleness)).
3. Your own rules ([` + "`--health-rules`" + `](own-rules.md)).
4. Fields of the wrong shape: Unknown.
5. The rule of a built-in kind, the registry's row of a custom kind, or the conventions.

For all kinds, an object with ` + "`Stalled=True`" + ` is Failed at once and one with ` + "`Reconciling=True`" + ` is InProgress, as with kstatus. There are two exceptions. A row that names ` + "`Stalled`" + ` itself may give it a grace period. A fault that the kind's own rule finds stays a fault beside ` + "`Reconciling=True`" + `: the object is Failed after the grace period, where kstatus says InProgress for ever.

The confidence of a status says which rule it was: ` + "`exact`" + `, ` + "`user`" + `, ` + "`registry`" + `, ` + "`convention`" + `, or ` + "`assumed`" + ` if there was nothing to go by.

A fault that may heal by itself counts as Failed once it has lasted 30 s. Until then the object is InProgress, and the cause is shown at once. What cannot heal by itself is Failed at once, and terminal. A fault in a field is as old as the date beside that field (finishedAt, completionTime, lastTransitionTime). A fault without a date is as old as a condition that states the same. Otherwise it began no later than the object was last written, according to its managedFields. If these say nothing either, it begins with the first look at a live cluster, and has lasted long enough in a saved one and in the input of ` + "`compute`" + `. A crash loop began with the first crash that the Pod still shows.

A Job ends its own Pods: one with ` + "`restartPolicy: OnFailure`" + ` that crashes is InProgress while its Job may still end it. After more than six restarts, which is what most Jobs allow, the Pod is Failed, and its Job stays InProgress until its own limit. Of two conditions that say the opposite (Unschedulable and Scheduled, both True) the newer one counts.

## Flux at a glance

The next sections explain these answers.

| what Flux has written | status | ` + "`wait`" + ` |
|---|---|---|
| ` + "`Ready=False`" + ` for less than 30 s, at first or after a change | InProgress, with the cause | goes on |
| the same for 30 s | Failed | goes on, because Flux tries again; exit code 2 at the timeout |
| ` + "`Ready=Unknown`" + `, ` + "`Progressing`" + `, while the same revision is tried again | still Failed | goes on |
| ` + "`Ready=Unknown`" + `, ` + "`Progressing`" + `, with a new revision or a new generation | InProgress | goes on |
| ` + "`Stalled=True`" + ` (` + "`RetriesExceeded`" + `, ` + "`InvalidPath`" + `) | Failed and terminal | ends at once with exit code 2 |
| ` + "`Ready=False`" + `, ` + "`RollbackSucceeded`" + ` | Failed: the older release runs, not the one that you applied | goes on, unless ` + "`Stalled=True`" + ` |
| ` + "`DependencyNotReady`" + ` | InProgress; what it depends on has a status of its own | goes on |
| ` + "`ArtifactFailed`" + `, ` + "`SourceNotReady`" + `, and the source is not Current | as the source: InProgress or Failed | goes on |
| ` + "`ArtifactFailed`" + `, and the source is Current: its path does not exist | Failed after 30 s | goes on |
| ` + "`spec.suspend: true`" + ` after ` + "`Ready=True`" + ` | Current, with a note | ends with exit code 0 if the objects that it applied are Current |
| ` + "`spec.suspend: true`" + ` before anything was applied | InProgress and paused | goes on |
| nothing but ` + "`observedGeneration: -1`" + ` | InProgress for 30 s, then Unknown: is the controller running? | goes on |
| ` + "`Ready=True`" + `, and a requested reconciliation is not handled yet | Current, for the revision that is there | goes on until it is handled |

` + "`BuildFailed`" + `, ` + "`GitOperationFailed`" + ` and ` + "`InstallFailed`" + ` are reasons of ` + "`Ready=False`" + `. A reconciliation is requested by the annotation ` + "`reconcile.fluxcd.io/requestedAt`" + `, and is handled when ` + "`status.lastHandledReconcileAt`" + ` has the same value. Until then the revision to wait for is not known.

## Staleness

After every change of a spec the API server increases ` + "`metadata.generation`" + `. A status is stale while it describes an older generation: it is about an older spec, not about the one that you applied. Such an object is InProgress, whatever its status reports.

Controllers report which generation they have seen in two places, and these may differ. ` + "`status.observedGeneration`" + ` is one number for the whole status. Each condition may carry an ` + "`observedGeneration`" + ` of its own. Flux shows why one number is not enough. Its controllers update ` + "`status.observedGeneration`" + ` only when they succeed; before the first success it is -1. You change the path of a Kustomization, and the new path does not exist. The number stays at the last generation that worked:

    metadata: {generation: 6}
    status:
      observedGeneration: 5
      conditions:
      - {type: Ready, status: "False", reason: ArtifactFailed, observedGeneration: 6}

The controller has seen generation 6, and has failed. A tool that compares only the two numbers waits for ever. So each rule checks the generation of the field that it reads, in this order:

1. **A status that nobody wrote.** ` + "`status: {observedGeneration: -1}`" + ` and nothing else is a default that the API server fills in. It counts as no status: InProgress for 30 s, then Unknown, because no controller has reported.
2. **A declared pause.** No controller observes a suspended object, so there is nothing to wait for. ` + "`flux suspend`" + ` itself changes the spec and makes a new generation; a Kustomization that was ready before stays Current, with a note. Any other change that was not acted on is InProgress and paused.
3. **A condition that sums up** (` + "`Ready`" + `, ` + "`Stalled=True`" + `, or the one that the kind's row names) and carries the present generation decides, even if ` + "`status.observedGeneration`" + ` is older. So does one without a generation of its own in three cases: at generation 1, because there is nothing older; if it became False after the spec was last written (managedFields); and for kinds whose row in the registry says that the number is updated only after a success. So does another condition of the present generation that is clearly a fault: a Crossplane Provider whose new package cannot be unpacked (` + "`Installed=False`" + `) is not stale because ` + "`Healthy=True`" + ` is about its older package.
4. **` + "`status.observedGeneration`" + `**, or a field with a similar name, that is older than ` + "`metadata.generation`" + `: InProgress, ` + "`GenerationNotObserved`" + `. A greater number is no fault; an object that was restored from a backup starts again at 1.
5. **The summary's own ` + "`observedGeneration`" + `**, if that is older: InProgress. Other conditions of an older generation are ignored. If there is no summary, conditions deeper in the status, as those of a policy's ancestors, count: InProgress if all of them are older, and nothing else carries the present generation.
6. **No generation anywhere.** If the managedFields say that the spec was written after the status, no controller has reacted yet: InProgress for 30 s after the change. Then the status counts.

**A retry does not restart the 30 s.** Flux writes ` + "`Ready=Unknown`" + ` before each attempt, and ` + "`Ready=False`" + ` with a new date after it. The same reason for the same attempted revision is the same fault: its 30 s began with the first failure, and an object that was Failed stays Failed during the next attempt. Another revision, another generation or another reason is a new fault with 30 s of its own. If the program was started after the first failure, it takes the date of another condition with the same reason and message (` + "`FetchFailed`" + `), the date of the revision in the source (` + "`status.artifact.lastUpdateTime`" + `), or that of the first failed attempt in the Kustomization's ` + "`status.history`" + `. The history also tells a program that was started during an attempt that the one before failed.

**A custom object fails with its parts.** Many controllers do not report that the Pods that they created fail, and wait for ever: a Workflow stays Running, a RayJob Initializing. An object that is InProgress, or Unknown by its own word, becomes Failed once each of its parts that is not Current is Failed. Its parts are Pods, the workloads that create Pods, and other objects of the project whose own parts fail. A part that has ended does not count, because the controller tries again, or gives up and reports that. The object stays InProgress while one of its parts is, while it is paused, and while its last change has not been observed.

**A workload that has failed counts more than the status of its owner.** Many controllers never correct their status: a postgresql stays Running while its StatefulSet crashes. A custom object that is Current by its own status is Failed once a Deployment, a StatefulSet or a DaemonSet that it owns is Failed, or another object that it owns and whose own parts fail. If such a part is InProgress, the object stays Current, because a DaemonSet is InProgress for as long as a node is down.

This holds wherever the parts of a Current object are looked for: with ` + "`--all`" + `, in a saved cluster, and in the input of ` + "`compute`" + `. For an object that you name on a live cluster it would need eight more lists and the permissions for them. There it holds for a Dragonfly, a FluentBit and a Fluentd (fluent-operator), a KafkaProxy, a postgresql (Zalando), a RedisCluster (Opstree), a RedisFailover (Spotahome) and a WildFlyServer. All parts of these count: they are InProgress while a part is, and Failed with it.

**An object that was created for another one** counts if the status of the other one does not cover it: the Certificate that cert-manager creates for an annotated Ingress or Gateway, the HorizontalPodAutoscaler in a ScaledObject's ` + "`status.hpaName`" + `. Once it is Failed, so is the other one. It is read by its name, also while the other one is Current.

An Ingress whose TLS Secret does not exist is InProgress while the Certificate for it is being issued, or while cert-manager has not created one. If nothing is asked to create the missing Secret, an Ingress with an address stays Current, with a cause: its controller may have a default certificate, or read no Secrets.

**An object that waits for its source** has the status of the source: a Kustomization or a HelmRelease without an artifact is InProgress while the source is InProgress, and Failed when the source is Failed.

## Conventions

For a kind that has no rule of its own, everything that its status says is collected, and the worst counts. From worst to best: a fault, work under way, a pause, a word that is not known, success.

- ` + "`Stalled=True`" + `: its controller has given up; Failed at once, terminal. ` + "`Reconciling=True`" + `: under way; with ` + "`Ready=False`" + ` for a bad reason it is being retried.
- The condition that sums up: ` + "`Ready`, `Succeeded`, or the first of `Available`, `Healthy`, `Complete`, `Completed`, `Established`, `Programmed`, `Accepted`, `Synced`, `Deployed`, `Valid`, `Reconciled`, `Installed`" + `.
  True is good, unless its reason speaks of a failure or of work under way (` + "`Progressing`" + `, ` + "`ReconcileFailed`" + `): the reason explains the present status, so the controller contradicts itself. Then the worse counts, unless the message reports success. Unknown is under way. False is judged by its severity, reason and message, and the conditions that explain it are named. Where ` + "`spec.replicas`" + ` and ` + "`status.replicas`" + ` are 0, and the present generation is observed, a ` + "`Ready`" + ` or an ` + "`Available`" + ` that is False is no sign of a fault: nobody is to be ready. Its reason and its message must be empty or about replicas, nodes or machines, and no other condition may be False that is good when True. ` + "`Succeeded=False`" + ` is terminal.
- Other conditions, by the polarity that their names show. An activity that is True is a fault if its reason and its message say that it has failed so far (` + "`Pending=True`" + `, ` + "`Error`" + `); not if it mends something (` + "`Remediating`" + `), and not ` + "`Reconciling`" + `. One that is Unknown is a fault if its reason and its message name an error. A type that begins with Failed is a fault, unless it ends with what was done about it (` + "`FailedOver`" + `). A type whose polarity is unknown is shown, and counts only if nothing sums the object up, and its reason and its message name an error (` + "`Tokens=False`" + `, ` + "`TokenError`" + `). ` + "`Running`" + ` is under way while it is Unknown, or False for a reason that speaks of work. A status that is a word, none of True, False and Unknown, is judged like a phase (` + "`Install: Completed`" + `). A good one is a fault if its reason or its message names an error, and means nothing for an activity or a pause that it does not end (` + "`Upgrading: Active`" + `). No, Off and 0 are False for a type that is good when True. Conditions of an older generation are ignored.
- ` + "`failureReason`" + `, ` + "`failureMessage`" + ` are terminal; ` + "`error`" + `, ` + "`lastError`" + `, ` + "`errorMessage`" + ` and their like are faults unless the condition that sums up is True.
- A state in the shape of a container's, with the reason or the exit code below it (` + "`status.state.waiting.reason`, `status.containerState.terminated.exitCode`" + `).
- Words in ` + "`phase`, `state`, `health`, `status`, `currentState`, …" + ` and in fields whose names end so; a field of any name that holds one bad word and nothing else (` + "`robustness: faulted`" + `). A word of work under way is a fault if the ` + "`reason`" + ` and the ` + "`message`" + ` beside it say that it has failed so far.
- ` + "`ready`, `readyToUse`, `available`, `healthy`" + ` as booleans, and booleans named after a fault or an activity; counters of replicas against ` + "`spec.replicas`" + `, or those that the status itself wants; counters named after each other (` + "`members` and `readyMembers`, `expectedNodes` and `availableNodes`" + `); texts like ` + "`2/3`" + `.
- If nothing above is there: such words, booleans and errors up to three levels deeper (` + "`status.applicationState.state`" + `, ` + "`status.members[].health`" + `), but not in a history. Those that are not good also count beside conditions. If a condition sums the object up, only those count that the controller itself calls failing. Beside a word that sums up, the state of a single part counts (` + "`operationalStatus`" + ` and ` + "`provisioning.state`" + `).
- Hints, where nothing has summed the object up: outcomes (` + "`result`" + `, ` + "`lastReloadResult`" + `, ` + "`lastSync.success`" + `), lists of errors and of what is unready or pending, a bounded run with a start and no end, a count of what is expected and none of what is there, booleans named like conditions (` + "`created`" + `), at last a ` + "`reason`" + ` or a ` + "`message`" + `. Hints of success count only if there is nothing else. How often something has failed so far does not count.
- ` + "`replicas`" + ` alone, without a count of those that are ready, is Current and assumed.
- A condition that somebody should look at, beside a condition that sums up and is True (` + "`Warning`" + `, ` + "`Drifted`" + `, another that could sum up and is False) is a note.
- An object younger than 30 s whose conditions do not sum it up is InProgress: there may be more to come.
- A number for a state is Unknown: only its controller knows what it means. A word in a field that is named like a condition counts (` + "`status.compliant`" + `).
- Conditions of the elements of ` + "`parents`, `ancestors`, `listeners`, `ingress`" + ` and of other lists and objects up to three levels below status.
- ` + "`spec.paused`" + `, ` + "`spec.suspend`" + `: InProgress and paused if something is left to do, otherwise Current with a note.
- No status at all: Current, and assumed, where the kind's definition leaves no room for one (a schema without a status, or with one that has no fields: the API server prunes whatever is written there). Otherwise InProgress for 30 s, then Unknown, because no controller has reported. For a kind of Kubernetes' own without a rule this holds only if its status subresource is served (by discovery or the managedFields). After that time a kind named …Template is Current, and assumed: it describes other objects, and no controller has to report about it.
`
