package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// table collects the measurements of each minute and of the whole run.
type table struct {
	rounds []*round
}

type round struct {
	at                 time.Time
	done, refused      int64
	revision           int64
	cpu                []time.Duration // of each dashboard
	busy, rested       time.Duration
	differences, fault int
	objects            int64     // Pods and ReplicaSets that there are at its end
	usage              []usage   // at its end
	spent              []float64 // of each dashboard: CPU, % of a core
}

func (t *table) begin(ctx context.Context, s *soak) *round {
	r := &round{at: time.Now(), done: s.fleet.done.Load(), refused: s.fleet.refused.Load(), fault: s.faults.total()}
	r.revision, _ = s.cluster.Revision(ctx)
	for _, d := range s.dashboards {
		r.cpu = append(r.cpu, d.usage().cpu)
	}
	return r
}

func (r *round) busyUntil(now time.Time) { r.busy = now.Sub(r.at) }

// end measures at rest, and prints the minute.
func (t *table) end(ctx context.Context, s *soak, r *round) {
	revision, _ := s.cluster.Revision(ctx)
	r.done, r.refused, r.revision = s.fleet.done.Load()-r.done, s.fleet.refused.Load()-r.refused, revision-r.revision
	r.fault = s.faults.total() - r.fault
	if len(t.rounds)%10 == 0 {
		fmt.Printf("%8s %5s %8s %9s %7s %6s %7s %5s %7s   %s\n", "time", "busy",
			"changes", "revisions", "refused", "faults", "at rest", "diff", "objects",
			"of each dashboard: RSS/its own/live heap MB, goroutines, files, watches, CPU %, frames judged")
	}
	r.objects = s.fleet.population(ctx)
	fmt.Printf("%8s %4.0fs %8d %9d %7d %6d %6.1fs %5d %7d  ", time.Since(s.began).Round(time.Second),
		r.busy.Seconds(), r.done, r.revision, r.refused, r.fault, r.rested.Seconds(), r.differences, r.objects)
	for i, d := range s.dashboards {
		u := d.usage()
		u.waits = d.way.chaos.Watches()
		r.usage = append(r.usage, u)
		spent := (u.cpu - r.cpu[i]).Seconds() / time.Since(r.at).Seconds() * 100
		r.spent = append(r.spent, spent)
		fmt.Printf(" | %s %.0f/%.1f/%.1f %d %d %d %.1f %d", d.name, u.rss,
			u.own, u.live, u.goroutines, u.files, u.waits, spent, d.judged.Load())
	}
	fmt.Println()
	t.rounds = append(t.rounds, r)
}

// Bounded buffers fill in the first minutes; the last show whether something
// grows.
const (
	warm = 10 * time.Minute
	last = 30 * time.Minute
)

// slope is that of a straight line through points, per minute, and how far it may
// be off (its standard error).
func slope(at []time.Time, values []float64) (perMinute, off float64) {
	n := float64(len(values))
	if n < 3 {
		return 0, math.Inf(1)
	}
	var mx, my, sxx, sxy, rest float64
	x := func(i int) float64 { return at[i].Sub(at[0]).Minutes() }
	for i, v := range values {
		mx, my = mx+x(i)/n, my+v/n
	}
	for i, v := range values {
		sxx += (x(i) - mx) * (x(i) - mx)
		sxy += (x(i) - mx) * (v - my)
	}
	perMinute = sxy / sxx
	for i, v := range values {
		d := v - my - perMinute*(x(i)-mx)
		rest += d * d
	}
	return perMinute, math.Sqrt(rest / (n - 2) / sxx)
}

// summary prints the run, and checks the limits of growth.
func (t *table) summary(s *soak) {
	var changes, revisions, refused int64
	var differences int
	var rested time.Duration
	for _, r := range t.rounds {
		changes += r.done
		revisions += r.revision
		refused += r.refused
		differences += r.differences
		rested = max(rested, r.rested)
	}
	fmt.Printf("\n%s, %d rounds, %d changes (%d refused), %d revisions, %d differences, at rest after %s at most\n",
		time.Since(s.began).Round(time.Second),
		len(t.rounds), changes, refused, revisions, differences, rested.Round(100*time.Millisecond))
	s.faults.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(s.faults.count)) {
		fmt.Printf("  %4d × %s\n", s.faults.count[name], name)
	}
	s.faults.mu.Unlock()
	if n := len(t.rounds); n > 0 {
		fmt.Printf("%d Pods and ReplicaSets at first, %d at last\n", t.rounds[0].objects, t.rounds[n-1].objects)
	}
	began := s.began.Add(warm)
	if end := time.Now().Add(-last); end.After(began) {
		began = end
	}
	for i, d := range s.dashboards {
		cpu := d.usage().cpu.Seconds()
		fmt.Printf("%s: %d frames, %d looks at what was known to be broken, %.0f s of CPU (%.2f for 1,000 revisions)\n",
			d.name, d.frames.Load(), d.judged.Load(), cpu, cpu/math.Max(1, float64(revisions))*1000)
		for _, m := range []struct {
			name  string
			limit float64 // of growth in a minute
			of    func(*round) float64
		}{
			{"RSS (MB)", math.Inf(1), func(r *round) float64 { return r.usage[i].rss }},
			{"of it its own (MB)", 0.1, func(r *round) float64 { return r.usage[i].own }},
			{"live heap (MB)", 0.1, func(r *round) float64 { return r.usage[i].live }},
			{"goroutines", 0.1, func(r *round) float64 { return float64(r.usage[i].goroutines) }},
			{"open files", 0.1, func(r *round) float64 { return float64(r.usage[i].files) }},
			{"watches on its way", 0.1, func(r *round) float64 { return float64(r.usage[i].waits) }},
			{"CPU (% of a core)", 0.1, func(r *round) float64 { return r.spent[i] }},
		} {
			var at []time.Time
			var values []float64
			for _, r := range t.rounds {
				if r.at.After(began) {
					at, values = append(at, r.at), append(values, m.of(r))
				}
			}
			by, off := slope(at, values)
			if len(t.rounds) == 0 {
				continue
			}
			fmt.Printf("  %-26s %8.1f at first, %8.1f at last", m.name, m.of(t.rounds[0]),
				m.of(t.rounds[len(t.rounds)-1]))
			if len(values) >= 3 {
				fmt.Printf(", %+.3f ± %.3f a minute since %s", by, off, began.Sub(s.began).Round(time.Minute))
			}
			fmt.Println()
			// In a quarter of an hour a slope below the limit is not
			// significant.
			if len(values) >= 10 && by-2*off > m.limit {
				s.findings.add("", "%s: %s grows by %.3f ± %.3f a minute", d.name, m.name, by, off)
			}
		}
	}
}
