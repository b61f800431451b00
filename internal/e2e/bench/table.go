package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"text/tabwriter"
)

// median takes the median of every measure by itself.
func median(samples []Result) Result {
	r := samples[0]
	of := reflect.ValueOf(&r).Elem()
	for i := range of.NumField() {
		switch of.Field(i).Kind() {
		case reflect.Float64:
			var values []float64
			for _, s := range samples {
				values = append(values, reflect.ValueOf(s).Field(i).Float())
			}
			slices.Sort(values)
			of.Field(i).SetFloat(values[len(values)/2])
		case reflect.Int:
			var values []int64
			for _, s := range samples {
				values = append(values, reflect.ValueOf(s).Field(i).Int())
			}
			slices.Sort(values)
			of.Field(i).SetInt(values[len(values)/2])
		}
	}
	return r
}

// rows are the lines of the table. optional marks a measurement that some tools
// do not have.
var rows = []struct {
	name     string
	of       func(Result) float64
	format   string
	optional bool
}{
	{"first row, ms", func(r Result) float64 { return r.FirstRow }, "%.0f", false},
	{"everything, ms", func(r Result) float64 { return r.Everything }, "%.0f", false},
	{"CPU until then, ms", func(r Result) float64 { return r.CPUToEverything }, "%.0f", false},
	{"the API server's meanwhile, ms", func(r Result) float64 { return r.ServerCPU }, "%.0f", false},
	{"of the cores others', %", func(r Result) float64 { return r.Stolen }, "%.0f", false},
	{"peak memory until then, MB", func(r Result) float64 { return r.FirstPeak }, "%.0f", false},
	{"peak memory, MB", func(r Result) float64 { return r.Peak }, "%.0f", false},
	{"steady memory, MB", func(r Result) float64 { return r.Steady }, "%.0f", false},
	{"idle CPU, % of a core", func(r Result) float64 { return r.IdleCPU }, "%.2f", false},
	{"event → shown p50, ms", func(r Result) float64 { return r.EventP50 }, "%.1f", true},
	{"event → shown p99, ms", func(r Result) float64 { return r.EventP99 }, "%.1f", true},
	{"events never shown", func(r Result) float64 { return float64(r.EventsMissed) }, "%.0f", false},
	{"key → frame p50, ms", func(r Result) float64 { return r.KeyP50 }, "%.1f", true},
	{"key → frame p99, ms", func(r Result) float64 { return r.KeyP99 }, "%.1f", true},
	{"requests at the start", func(r Result) float64 { return float64(r.Requests) }, "%.0f", false},
	{"of these LISTs of children", func(r Result) float64 { return float64(r.ListsOfChildren) }, "%.0f", false},
	{"requests a minute, idle", func(r Result) float64 { return r.RequestsIdle }, "%.0f", false},
	{"received at the start, MB", func(r Result) float64 { return r.ReceivedToAll }, "%.2f", false},
	{"received per event, KB", func(r Result) float64 { return r.ReceivedPerEvent }, "%.1f", false},
	{"CPU of the rollout, ms", func(r Result) float64 { return r.RolloutCPU }, "%.0f", true},
	{"requests in it", func(r Result) float64 { return float64(r.RolloutRequests) }, "%.0f", false},
	{"of these LISTs of children", func(r Result) float64 { return float64(r.RolloutLists) }, "%.0f", false},
	{"received in it, MB", func(r Result) float64 { return r.RolloutReceived }, "%.2f", true},
}

// printTable writes a column per tool; the peers' columns include the ratio to
// the program's figure.
func printTable(w io.Writer, results []Result) {
	if len(results) == 0 {
		return
	}
	ours := results[0]
	fmt.Fprintf(w, "\n%d Pods of %d bytes under %d Deployments, each with a Service and a ConfigMap; medians of %d runs; the rollout replaces %d Pods\n\n",
		ours.Pods, ours.PodBytes, ours.Deployments, *runs, ours.RolloutPods)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\t")
	for _, r := range results {
		fmt.Fprintf(t, "%s\t", r.Tool)
	}
	fmt.Fprintln(t)
	for _, row := range rows {
		fmt.Fprintf(t, "%s\t", row.name)
		for i, r := range results {
			value := row.of(r)
			if row.optional && value == 0 {
				fmt.Fprint(t, "–\t")
				continue
			}
			text := fmt.Sprintf(row.format, value)
			if base := row.of(ours); i > 0 && base > 0 && value > 0 {
				text += fmt.Sprintf(" (×%.1f)", value/base)
			}
			fmt.Fprintf(t, "%s\t", text)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}
