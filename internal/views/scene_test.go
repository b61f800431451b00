package views

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/filter"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/outline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// scene is a state written down by hand: what a screen is drawn from when a
// test wants a situation that would be long to reach, or that no model would
// ever be in.
type scene struct {
	opt       model.Options
	now       time.Time
	w, h      int
	verdict   known.Verdict
	doneIn    time.Duration
	done      bool
	counts    world.Counts
	generated world.Counts
	assumed   int
	known     int
	conn      world.Connection
	synced    bool
	spaces    []string
	slowest   object.ID
	slowTook  time.Duration
	causes    []explain.Cause
	notices   []feed.Notice
	rows      []rows.Row
	top       int
	selected  int
	resources map[object.ID]known.Resource
	paths     map[object.ID][]object.ID
	pane      model.Pane
	size      layout.Size
	scroll    int
	wrap      bool
	proofs    bool
	serving   map[object.ID]string
	focus     model.Focus
	conds     []known.Condition
	events    []panes.EventRow
	refused   []string
	warnings  bool
	logs      logs.View
	detail    panes.DetailView
	history   []world.Transition
	dates     []timeline.Date
	moment    *timeline.Moment
	compared  *timeline.Comparison
	form      timeline.Form
	whole     bool
	mode      model.Mode
	input     textinput.Model
	filter    string
	filterErr error
	search    panes.Search
	help      int
	palette   model.Palette
	paused    bool
	missed    int
	following bool
	notifying bool
	scoped    rows.Scope
	grouping  rows.Grouping
	sorting   rows.Sorting
	reversed  bool
	flash     string
	playback  *feed.Playback
}

// of is what a screen reads of a scene, a model, or parts that a test has put together.
func of(x any) State {
	switch x := x.(type) {
	case *scene:
		return State{&x.opt, x, x, x, x, x, x}
	case *model.Model:
		return Of(x)
	}
	return x.(State)
}

func (s *scene) Playback() *feed.Playback                 { return s.playback }
func (s *scene) Now() time.Time                           { return s.now }
func (s *scene) Elapsed() time.Duration                   { return s.now.Sub(s.opt.Now) }
func (s *scene) Size() (int, int)                         { return s.w, s.h }
func (s *scene) Verdict() known.Verdict                   { return s.verdict }
func (s *scene) Done() (bool, time.Duration)              { return s.done, s.doneIn }
func (s *scene) Counts() world.Counts                     { return s.counts }
func (s *scene) Assumed() int                             { return s.assumed }
func (s *scene) GeneratedCounts() world.Counts            { return s.generated }
func (s *scene) Known() int                               { return s.known }
func (s *scene) Connection() world.Connection             { return s.conn }
func (s *scene) Synced() bool                             { return s.synced }
func (s *scene) Namespaces() []string                     { return s.spaces }
func (s *scene) Slowest() (object.ID, time.Duration)      { return s.slowest, s.slowTook }
func (s *scene) Causes() []explain.Cause                  { return s.causes }
func (s *scene) MoreCauses() int                          { return 0 }
func (s *scene) ConditionsOf(object.ID) []known.Condition { return s.conds }
func (s *scene) Headline() ([]explain.Cause, int)         { return world.MergeTitles(s.causes) }
func (s *scene) CausesOf(object.ID) []explain.Cause       { return s.causes }
func (s *scene) Notices() []feed.Notice                   { return s.notices }
func (s *scene) RowCount() int                            { return len(s.rows) }
func (s *scene) Top() int                                 { return s.top }
func (s *scene) Pane() model.Pane                         { return s.pane }
func (s *scene) PaneSize() layout.Size                    { return s.size }
func (s *scene) Focus() model.Focus                       { return s.focus }
func (s *scene) Serving(id object.ID) string              { return s.serving[id] }
func (s *scene) Muted() int                               { return 0 }

func (s *scene) Guards(object.ID) []*object.Object { return nil }

func (s *scene) Revisions(object.ID) (all []*object.Object, newest *object.Object) {
	return nil, nil
}

func (s *scene) NextSteps(causes []explain.Cause, about object.ID) (steps []known.NextStep) {
	for i := range causes {
		for _, step := range causes[i].StepsFor(about) {
			steps = append(steps, known.NextStep{Step: step, Cause: i})
		}
	}
	return steps
}
func (s *scene) Detail() panes.DetailView { return s.detail }
func (s *scene) Mode() model.Mode         { return s.mode }
func (s *scene) Input() textinput.Model   { return s.input }
func (s *scene) SearchText() panes.Search { return s.search }

// Help is the help's lines, from its first in sight on.
func (s *scene) Help() ([]markup.Line, int) {
	r := s.Layout().Help
	lines := model.HelpLines(&panes.Page{W: max(r.W-4, 0), ASCII: s.opt.ASCII}, s.Keys(), s.pane, s.input.Value())
	return lines, min(max(s.help, 0), max(len(lines)-max(r.H-2, 0), 0))
}

// Layout is where the parts of the screen are.
func (s *scene) Layout() layout.Layout {
	return layout.Place(layout.Screen{
		W: s.w, H: s.h, Pane: s.size, Replay: s.playback != nil, Typing: s.mode == model.Filtering || s.mode == model.Searching,
		Columns: s.opt.Columns, LongestSpace: s.longestSpace(),
		Restarted: slices.ContainsFunc(s.rows, func(r rows.Row) bool { return r.Restarts > 0 }),
	})
}

// longestSpace is the length of the longest of several namespaces.
func (s *scene) longestSpace() (longest int) {
	for _, space := range s.spaces {
		longest = max(longest, len(space))
	}
	return longest * max(min(len(s.spaces)-1, 1), 0)
}

// page is what the open pane writes on.
func (s *scene) page() *panes.Page {
	key, _ := s.Selected()
	l := s.Layout()
	return &panes.Page{
		W: l.Pane.W, Tight: l.Pane.H < 9, Facts: s, Selected: key.ID, Began: s.opt.Now, Zone: s.opt.Zone,
		Focused: s.focus == model.FocusPane, Wrap: s.wrap, Replay: s.playback != nil, ShortKinds: l.ShortKinds, ASCII: s.opt.ASCII,
	}
}

// written is the open pane's text.
func (s *scene) written() panes.Content {
	p := s.page()
	switch s.pane {
	case model.PaneConditions:
		return p.Conditions(s.conds)
	case model.PaneEvents:
		return p.Events(panes.EventsView{Rows: s.events, Refused: s.refused, WarningsOnly: s.warnings})
	case model.PaneLogs:
		return p.Logs(s.logs, nil)
	case model.PaneYAML:
		return p.YAML(s.detail)
	case model.PaneTimeline:
		return p.Timeline(timeline.View{
			Timeline: timeline.Timeline{Form: s.form, Whole: s.whole}, Entries: s.history, Dates: s.dates, Moment: s.moment, Comparison: s.compared,
		})
	}
	return p.Why(s.proofs, panes.Usage{})
}

func (s *scene) Content() (panes.Content, int) {
	r := s.Layout().Pane
	if r.Empty() {
		return panes.Content{}, 0
	}
	c := s.written().Fit(r.H)
	return c, c.Top(s.scroll, r.H-len(c.Head), s.search, s.Match())
}

func (s *scene) Match() panes.Match {
	if s.search.Text == "" || s.Layout().Pane.Empty() {
		return panes.Match{}
	}
	return s.written().Match(s.search)
}
func (s *scene) Palette() model.Palette { return s.palette }

// typing is a line in which text has been typed, with the cursor behind it.
func typing(text string) textinput.Model {
	in := textinput.New()
	in.SetValue(text)
	return in
}

func (s *scene) Keys() []model.Binding {
	return slices.DeleteFunc(slices.Clone(model.Bindings), func(b model.Binding) bool {
		return b.Context == model.InReplay && s.playback == nil || b.Action == model.Pause && s.playback != nil
	})
}

func (s *scene) Bound(a model.Action) (b model.Binding, ok bool) {
	keys := s.Keys()
	i := slices.IndexFunc(keys, func(b model.Binding) bool { return b.Action == a && b.Enabled() })
	if i < 0 {
		return b, false
	}
	b = keys[i]
	b.SetHelp(b.Keys()[0], b.Help().Desc)
	return b, true
}

func (s *scene) Paused() (bool, int) { return s.paused, s.missed }
func (s *scene) Following() bool     { return s.following }
func (s *scene) Notifying() bool     { return s.notifying }
func (s *scene) Settings() rows.Settings {
	return rows.Settings{
		Group: cmp.Or(s.grouping, rows.GroupNone), Sort: cmp.Or(s.sorting, rows.SortProblems), Reversed: s.reversed,
		Scope: s.scoped, Filter: filter.Filter{Text: s.filter, Err: s.filterErr},
	}
}
func (s *scene) Flash() string                 { return s.flash }
func (s *scene) Path(id object.ID) []object.ID { return s.paths[id] }

func (s *scene) InSight(n int) iter.Seq[rows.Row] {
	out := slices.Clone(window(s.rows, s.top, n))
	for i := range out {
		out[i].Selected = s.top+i == s.selected
	}
	return slices.Values(out)
}

func (s *scene) Selected() (rows.Key, int) {
	if s.selected < 0 || s.selected >= len(s.rows) {
		return rows.Key{}, -1
	}
	return s.rows[s.selected].Key, s.selected
}

func (s *scene) Resource(id object.ID) (known.Resource, bool) {
	r, ok := s.resources[id]
	return r, ok
}

func (s *scene) Footer() []model.Binding {
	own := map[model.Pane]model.Context{
		model.PaneLogs: model.OwnKeys(model.PaneLogs), model.PaneEvents: model.OwnKeys(model.PaneEvents), model.PaneTimeline: model.OwnKeys(model.PaneTimeline), model.PaneYAML: model.OwnKeys(model.PaneYAML),
	}
	contexts := []model.Context{model.InTree, model.Global}
	if s.focus == model.FocusPane {
		contexts = []model.Context{model.InPane, model.Global}
		if c, ok := own[s.pane]; ok {
			contexts = slices.Insert(contexts, 0, c)
		}
	}
	shown := []model.Action{
		model.NextProblem, panes.Previous, panes.NextCont, panes.AllPods, panes.Warnings, panes.FoldBlock, panes.MarkMoment, panes.WholeSet,
		model.ShowWhy, model.ShowLogs, model.Toggle, model.Open, model.Filter, model.Follow, model.Pause, model.Commands, model.Help, model.Quit,
	}
	var out []model.Binding
	for _, a := range shown {
		for _, c := range contexts {
			i := slices.IndexFunc(model.Bindings, func(b model.Binding) bool { return b.Action == a && b.Context == c })
			if i < 0 {
				continue
			}
			b := model.Bindings[i]
			words, _, _ := strings.Cut(b.Help().Desc, ",")
			words, _, _ = strings.Cut(words, " (")
			if a == model.Quit && s.focus == model.FocusPane {
				words = "close"
			}
			b.SetHelp(b.Help().Key, words)
			out = append(out, b)
			break
		}
	}
	return out
}

func window[T any](list []T, from, n int) []T {
	from = min(max(from, 0), len(list))
	return list[from:min(from+max(n, 0), len(list))]
}

var sceneStart = time.Date(2026, 3, 14, 13, 59, 50, 0, time.UTC)

func id(kindName string) object.ID {
	kind, name, _ := strings.Cut(kindName, "/")
	return object.ID{Kind: kind, Namespace: "shop", Name: name}
}

// row makes a row: the depth is the number of leading dots.
func row(spec string, st status.Status, reason string, ago time.Duration, now time.Time) rows.Row {
	name := strings.TrimLeft(spec, ".")
	r := rows.Row{Depth: len(spec) - len(name), Name: name, Status: st, Reason: reason, Matched: true}
	r.Key = rows.Key{ID: id(name)}
	r.Generated = r.Depth > 0
	if ago > 0 {
		r.Since = now.Add(-ago)
	}
	return r
}

// badImage is a Deployment whose new revision cannot pull its image, among
// things that are well or on their way.
func badImage(w, h int) *scene {
	now := sceneStart.Add(5*time.Minute + 12*time.Second)
	m := func(min, sec int) time.Duration {
		return time.Duration(min)*time.Minute + time.Duration(sec)*time.Second
	}
	s := &scene{
		opt: model.Options{Now: sceneStart, Title: "shop-release", Context: "prod-eu1", Namespace: "shop"},
		now: now, w: w, h: h,
		verdict:   known.Verdict{Status: status.Failed, Stalled: true, Moved: now.Add(-m(2, 40))},
		counts:    world.Counts{status.Current: 17, status.Failed: 1, status.InProgress: 3, status.Terminating: 1},
		generated: world.Counts{status.Current: 37, status.Failed: 2, status.InProgress: 2},
		known:     63, synced: true, spaces: []string{"data", "ops", "shop"},
		conn: world.Connection{Link: world.LinkLive, Ready: 7, Sources: 7},
	}
	all := []rows.Row{
		row("Deployment/web", status.Failed, "ImagePullBackOff", m(2, 40), now),
		row(".ReplicaSet/web-6d4f9c8b7", status.Current, "", 12*24*time.Hour, now),
		row(".ReplicaSet/web-7c88bd5f4", status.InProgress, "ImagePullBackOff", m(5, 2), now),
		row("..Pod/web-7c88bd5f4-2xkqz", status.Failed, "ImagePullBackOff", m(4, 51), now),
		row("..Pod/web-7c88bd5f4-9qdlm", status.Failed, "ImagePullBackOff", m(4, 51), now),
		row("..Pod/web-7c88bd5f4-lm4tp", status.InProgress, "Unschedulable", m(4, 58), now),
		row("Job/migrate-42", status.InProgress, "", m(0, 48), now),
		row(".Pod/migrate-42-q7xk2", status.Current, "", m(0, 47), now),
		row("StatefulSet/cache", status.InProgress, "ReplicasOutdated", m(1, 10), now),
		row("Certificate/web-tls", status.InProgress, "Issuing", m(3, 5), now),
		row("PersistentVolumeClaim/tmp-upload", status.Terminating, "pvc-protection", m(5, 0), now),
		row("Service/web", status.Current, "", 41*24*time.Hour, now),
		row(".EndpointSlice/web-x8x2j", status.Current, "", m(5, 2), now),
		{Key: rows.Key{Kind: rows.More}, Name: "16 more Current", Status: status.Current, Fold: rows.Closed, Matched: true},
	}
	all[0].Fold, all[0].Carried = rows.Opened, 2
	all[1].Fold, all[1].Rollout = rows.Closed, "old rev 41"
	all[2].Fold, all[2].Rollout, all[2].Ready, all[2].Last, all[2].Carried = rows.Opened, "new rev 42", "0/3", true, 2
	for _, i := range []int{0, 2, 3, 4} {
		all[i].Cause = "image registry.local/web:2.4.1 not found"
	}
	msg := `Back-off pulling image "registry.local/web:2.4.1"`
	all[3].Message, all[4].Message = msg, msg
	all[5].Last, all[5].Stalled, all[5].Message = true, true, "0/9 nodes are available: 9 Insufficient cpu"
	all[6].Fold, all[6].Note, all[6].Message = rows.Opened, "1 active", "1 active, 0 failed"
	all[7].Last, all[7].Ready = true, "1/1"
	all[8].Fold, all[8].Ready, all[8].Updated, all[8].Message = rows.Closed, "3/3", "2/3 updated", "2 of 3 replicas updated"
	all[9].Fold, all[9].Message = rows.Closed, "Issuing certificate as Secret does not exist"
	all[11].Fold = rows.Opened
	all[12].Last, all[12].Ready = true, "3/6"
	all[0].Ready, all[3].Ready, all[4].Ready, all[5].Ready = "3/3", "0/1", "0/1", "0/1"
	for i := range all {
		if all[i].Depth == 0 && all[i].Key.Kind == rows.Object {
			all[i].Namespace = "shop"
		}
	}
	s.rows, s.selected = all, 4

	pod, rs, dep := all[4].Key.ID, all[2].Key.ID, all[0].Key.ID
	s.causes = []explain.Cause{{
		ID: "1", Code: "ImageNotFound", Title: "image registry.local/web:2.4.1 not found", Count: 2,
		Detail:    "Container web cannot pull its image: the registry answers manifest unknown (404).",
		Class:     "action",
		Certainty: "proven", Since: now.Add(-m(4, 51)), Subject: explain.Subject{ID: pod},
		Objects: []object.ID{all[3].Key.ID, pod},
		Blocks:  []object.ID{rs, dep},
		Evidence: []explain.Evidence{
			{Ref: pod, Path: "status.containerStatuses[web].state.waiting.reason", Value: "ImagePullBackOff"},
			{Ref: pod, Path: "event Failed ×9", Value: "rpc error: code = NotFound desc = manifest unknown"},
			{Ref: dep, Path: "status.conditions[Progressing]", Value: "False ProgressDeadlineExceeded"},
		},
		Next:    []string{"kubectl describe pod web-7c88bd5f4-9qdlm -n shop", "kubectl rollout undo deployment/web -n shop"},
		Changes: []explain.Step{{Command: "kubectl rollout undo deployment/web -n shop", Mutates: true, Does: "goes back to the previous revision"}},
		Changed: []explain.Change{{Path: "image web", Before: "registry.local/web:2.4.0", After: "registry.local/web:2.4.1"}},
	}}
	s.paths = map[object.ID][]object.ID{pod: {dep, rs, pod}}
	s.serving = map[object.ID]string{dep: "3 old Pods still serve"}
	s.resources = map[object.ID]known.Resource{}
	for _, r := range all {
		s.resources[r.Key.ID] = known.Resource{
			ID: r.Key.ID, Generated: r.Generated,
			Object:     &object.Object{ID: r.Key.ID, Generation: object.IntOf(42), Observed: object.IntOf(42)},
			Assessment: status.Assessment{Status: r.Status, Reason: r.Reason, Message: r.Message, Since: r.Since, Rule: "Pod.waiting", Confidence: status.Exact, Paths: []string{"status.containerStatuses"}},
		}
	}
	c := func(typ, st, reason, message string, ago time.Duration, p status.Polarity, good, top, deciding bool) known.Condition {
		return known.Condition{
			Condition: object.Condition{Statement: &object.Statement{Type: typ, Status: st, Reason: reason, Message: message}, LastTransitionTime: now.Add(-ago)},
			Polarity:  p, Good: good, Top: top, Deciding: deciding,
		}
	}
	s.conds = []known.Condition{
		c("Ready", "False", "ContainersNotReady", "containers with unready status: [web]", m(4, 51), status.NormalTrue, false, true, true),
		c("PodScheduled", "True", "", "", m(4, 58), status.NormalTrue, true, false, false),
		c("Stalled", "False", "", "", m(4, 58), status.AbnormalTrue, true, false, false),
		c("example.com/Odd", "Maybe", "Unclear", "", m(1, 0), status.UnknownPolarity, false, false, false),
	}
	ev := func(about object.ID, typ, reason, message string, times int, ago, forr time.Duration) panes.EventRow {
		return panes.EventRow{Event: object.Event{About: about, Type: typ, Reason: reason, Message: message, Last: now.Add(-ago), First: now.Add(-ago - forr)}, Times: times}
	}
	s.events = []panes.EventRow{
		ev(pod, "Warning", "Failed", `Failed to pull image "registry.local/web:2.4.1": rpc error: code = NotFound desc = manifest unknown`, 9, m(0, 12), m(4, 20)),
		ev(pod, "Normal", "BackOff", msg, 14, m(0, 25), m(4, 0)),
		ev(rs, "Normal", "SuccessfulCreate", "Created pod: web-7c88bd5f4-9qdlm", 1, m(4, 58), 0),
		ev(pod, "Normal", "Scheduled", "Successfully assigned shop/web-7c88bd5f4-9qdlm to node-3", 1, m(4, 58), 0),
	}
	tr := func(ago time.Duration, id object.ID, from, to status.Status, reason, message string) world.Transition {
		return world.Transition{At: now.Add(-ago), ID: id, From: from, To: to, Reason: reason, Message: message}
	}
	s.dates = []timeline.Date{
		{At: sceneStart.Add(-50 * time.Hour), ID: id("Deployment/web"), What: "created"},
		{At: sceneStart.Add(-5 * time.Minute), ID: id("Deployment/web"), What: "Available became True (MinimumReplicasAvailable)"},
	}
	s.history = []world.Transition{
		tr(m(5, 10), dep, "", status.Current, "", ""),
		tr(m(5, 2), dep, status.Current, status.InProgress, "NewReplicaSet", "generation 41 to 42"),
		tr(m(5, 2), rs, "", status.InProgress, "Created", "0/3"),
		tr(m(4, 58), pod, "", status.InProgress, "Pending", "assigned to node-3"),
		tr(m(4, 21), pod, status.InProgress, status.Failed, "ErrImagePull", "manifest unknown"),
		tr(m(2, 40), dep, status.InProgress, status.Failed, "ProgressDeadlineExceeded", `ReplicaSet "web-7c88bd5f4" has timed out progressing.`),
	}
	s.detail = panes.DetailView{ID: pod, At: now, Cursor: 4}
	for i, text := range strings.Split(podYAML, "\n") {
		s.detail.Shown = append(s.detail.Shown, outline.Line{Text: text, No: i})
	}
	s.logs = logs.View{Key: feed.LogKey{Pod: pod, Container: "web", Previous: true}, Streams: []logs.Stream{{Key: feed.LogKey{Pod: pod, Container: "web", Previous: true}}}, Containers: []string{"init", "web", "proxy"}, Follow: true}
	for i := range 60 {
		s.logLines(feed.LogLine{At: now.Add(-time.Duration(60-i) * time.Second), Text: "level=info msg=\"request served\" path=/cart status=200 took=" + markup.Age(time.Duration(i)*time.Second)})
	}
	return s
}

const podYAML = `status:
  phase: Pending
  conditions:
  - type: Ready
    status: "False"
    reason: ContainersNotReady
  containerStatuses:
  - name: web
    ready: false
    state:
      waiting:
        reason: ImagePullBackOff
        message: Back-off pulling image "registry.local/web:2.4.1"
apiVersion: v1
kind: Pod
metadata:
  name: web-7c88bd5f4-9qdlm
  namespace: shop
spec:
  containers:
  - name: web
    image: registry.local/web:2.4.1`

// healthy is a set that is done.
func healthy(w, h int) *scene {
	s := badImage(w, h)
	s.verdict = known.Verdict{Status: status.Current}
	s.done, s.doneIn = true, 6*time.Minute+12*time.Second
	s.counts = world.Counts{status.Current: 22}
	s.generated = world.Counts{status.Current: 41}
	s.causes = nil
	s.slowest, s.slowTook = id("StatefulSet/cache"), 5*time.Minute+58*time.Second
	for i := range s.rows {
		r := &s.rows[i]
		r.Status, r.Reason, r.Cause, r.Message, r.Carried, r.Stalled = status.Current, "", "", "", 0, false
		res := s.resources[r.Key.ID]
		res.Assessment.Status, res.Assessment.Reason, res.Assessment.Message = status.Current, "", ""
		s.resources[r.Key.ID] = res
	}
	for i, ready := range map[int]string{2: "3/3", 3: "1/1", 4: "1/1", 5: "1/1", 12: "3/3"} {
		s.rows[i].Ready = ready
	}
	s.rows[6].Note, s.rows[8].Updated, s.selected = "", "", 0
	web := s.resources[s.rows[0].Key.ID].Object
	web.Workload = &object.Workload{
		Replicas: object.IntOf(3), Updated: object.IntOf(3), Ready: object.IntOf(3), Available: object.IntOf(3), Revision: "42",
		Strategy: "RollingUpdate", MaxSurge: "25%", MaxUnavailable: "25%", Images: []object.Image{{Container: "web", Image: "registry.local/web:2.4.1"}},
	}
	return s
}

// inProgress is a rollout on its way.
func inProgress(w, h int) *scene {
	s := healthy(w, h)
	s.done, s.doneIn, s.slowTook = false, 0, 0
	s.verdict = known.Verdict{Status: status.InProgress}
	s.counts = world.Counts{status.Current: 18, status.InProgress: 4}
	for i, said := range map[int][3]string{
		0: {"ReplicasOutdated", "2 of 3 replicas updated", "3/3"}, 2: {"PodsNotReady", "2 of 3 pods ready", "2/3"},
		5: {"ContainerCreating", "web: ContainerCreating", "0/1"}, 8: {"ReplicasOutdated", "2 of 3 replicas updated", "3/3"},
	} {
		r := &s.rows[i]
		r.Status, r.Reason, r.Message, r.Ready = status.InProgress, said[0], said[1], said[2]
		r.Since = s.now.Add(-23 * time.Second)
		res := s.resources[r.Key.ID]
		res.Assessment.Status, res.Assessment.Reason, res.Assessment.Message, res.Assessment.Since = r.Status, r.Reason, r.Message, r.Since
		s.resources[r.Key.ID] = res
	}
	s.rows[0].Updated, s.rows[8].Updated = "2/3 updated", "2/3 updated"
	return s
}

// waiting is the first second: nothing has answered yet.
func waiting(w, h int) *scene {
	s := &scene{
		opt: model.Options{Now: sceneStart, Sources: []string{"-f app.yaml"}, Context: "kind", Namespace: "shop"},
		now: sceneStart.Add(200 * time.Millisecond), w: w, h: h,
		verdict: known.Verdict{Status: status.Unknown}, counts: world.Counts{status.Unknown: 3},
		known: 3, conn: world.Connection{Link: world.LinkSyncing, Ready: 3, Sources: 7},
	}
	for _, n := range []string{"Deployment/web", "Service/web", "ConfigMap/web"} {
		r := row(n, status.Unknown, "", 0, s.now)
		r.Message = "waiting for first answer"
		s.rows = append(s.rows, r)
	}
	return s
}

// lost is a set whose server has gone away.
func lost(w, h int) *scene {
	s := inProgress(w, h)
	s.verdict.Lost = true
	s.conn = world.Connection{
		Link: world.LinkStale, LastData: s.now.Add(-14 * time.Second),
		Error: "cannot reach https://10.0.0.1:6443: connection refused",
		Hint:  "is the cluster running? check the server in /home/me/.kube/config, or try another --context",
		Retry: s.now.Add(3 * time.Second), Ready: 7, Sources: 7,
	}
	for i := range s.rows {
		s.rows[i].Stale = true
	}
	s.rows = append(s.rows, rows.Row{Key: rows.Key{Kind: rows.Gap, Gap: "replicasets"}, Name: "cannot list replicasets: forbidden, children hidden", Matched: true})
	return s
}

// replayed is badImage as a recording shows it, held in the middle.
func replayed(w, h int) *scene {
	s := badImage(w, h)
	at := func(sec int) time.Time { return sceneStart.Add(time.Duration(sec) * time.Second) }
	s.opt.Recording = "release.rec.gz"
	s.playback = &feed.Playback{
		Start: sceneStart, End: at(9 * 60), Speed: 4, Paused: true,
		Marks: []feed.Mark{
			{At: at(0), Verdict: status.Current},
			{At: at(20), Verdict: status.InProgress},
			{At: at(21), Cause: "1", Title: "image registry.local/web:2.4.1 not found"},
			{At: at(51), Verdict: status.Failed},
			{At: at(200), Cause: "2", Title: "no node fits"},
			{At: at(420), Verdict: status.InProgress},
			{At: at(470), Verdict: status.Current},
		},
	}
	return s
}

// logLines adds lines to the log, of its streams in turn.
func (s *scene) logLines(lines ...feed.LogLine) {
	for _, l := range lines {
		n := len(s.logs.Lines)
		s.logs.Lines = append(s.logs.Lines, logs.Line{LogLine: l, From: n % max(1, len(s.logs.Streams)), No: uint64(n + 1)})
	}
}
