package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// patience is how long it may take until everything is at rest: undated faults
// have a grace period of 30 s, a source that polls watches again within a minute,
// and the control plane's own controllers recover from an outage within half a
// minute.
const patience = 4 * time.Minute

type (
	document struct {
		Resources []object
	}
	object struct {
		Kind, Name, UID, Status, Reason string
		Generation                      int64
		Children                        []object
	}
)

// compare waits until every dashboard agrees with a reading that begins now,
// and with a plain list. It returns how long that took, and the number of
// remaining differences.
func (s *soak) compare(ctx context.Context, minute int) (took time.Duration, differences int) {
	began := time.Now()
	for ctx.Err() == nil && !slices.ContainsFunc(s.dashboards, (*dashboard).ended) {
		var last []string
		for _, d := range s.dashboards {
			found, err := s.differences(ctx, d)
			if err != nil {
				last = append(last, err.Error())
			}
			for _, line := range found {
				last = append(last, d.name+": "+line)
			}
		}
		if len(last) == 0 {
			return time.Since(began), 0
		}
		if time.Since(began) > patience {
			s.findings.add(strings.Join(last, "\n"),
				"minute %d: at rest for %s, and %d differences; the first: %s", minute, patience, len(last), last[0])
			for _, d := range s.dashboards {
				s.findings.happened("the screen of %s:\n%s", d.name, d.term.Screen())
			}
			return time.Since(began), len(last)
		}
		s.findings.happened("not at rest yet: %d differences\n\t%s",
			len(last), strings.Join(last[:min(len(last), 8)], "\n\t"))
		time.Sleep(2 * time.Second)
	}
	return time.Since(began), 0
}

// differences are the differences between what a dashboard has followed and a
// new reading.
func (s *soak) differences(ctx context.Context, d *dashboard) ([]string, error) {
	if screen := d.term.Screen(); !live(screen) {
		return nil, fmt.Errorf("%s is not live: %s … %s", d.name, screen.Lines[0], screen.Lines[len(screen.Lines)-2])
	}
	followed, err := d.report()
	if err != nil {
		return nil, err
	}
	atOnce, err := s.read(ctx, d)
	if err != nil {
		return nil, err
	}
	var out []string
	a, b := outline(atOnce), outline(followed)
	known := map[string]bool{}
	for _, line := range b {
		known[line] = true
	}
	for _, line := range a {
		if !known[line] {
			out = append(out, "read at once, not followed: "+line)
		}
		delete(known, line)
	}
	for line := range known {
		out = append(out, "followed, not read at once: "+line)
	}
	missing, err := s.unlisted(ctx, followed)
	return append(out, missing...), err
}

// read runs the program anew, without watches and without a proxy.
func (s *soak) read(ctx context.Context, d *dashboard) (doc document, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, *bin,
		append([]string{"status", "-o", "json", "--poll=1s", "--timeout=1m"}, d.args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(s, cluster.Namespaced), &stdout, &stderr
	err = cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok || stdout.Len() == 0 {
		return doc, fmt.Errorf("status: %w: %s", err, stderr.String())
	}
	if strings.Contains(stderr.String(), "not everything has answered") {
		return doc, fmt.Errorf("status: %s", strings.TrimSpace(stderr.String()))
	}
	return doc, json.Unmarshal(stdout.Bytes(), &doc)
}

// unlisted are the Pods and their owners that a plain list contains and a
// document does not; for a dashboard of the sentinels only theirs.
func (s *soak) unlisted(ctx context.Context, doc document) (out []string, err error) {
	seen := map[string]bool{}
	var note func([]object)
	note = func(all []object) {
		for _, o := range all {
			seen[o.UID] = true
			note(o.Children)
		}
	}
	note(doc.Resources)
	everything := len(doc.Resources) > sentinelCount
	listed := map[types.UID]bool{}
	// Owners first: an object without its owner waits for the garbage collector
	// and belongs to no dashboard.
	for _, r := range []struct{ group, plural string }{
		{"apps", "deployments"},
		{"apps", "statefulsets"},
		{"apps", "replicasets"},
		{"", "pods"},
	} {
		list, err := s.fleet.on(resource(r.group, "v1", r.plural)).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for _, o := range list.Items {
			owner := metav1.GetControllerOfNoCopy(&o)
			if o.GetDeletionTimestamp() != nil || owner != nil && !listed[owner.UID] {
				continue
			}
			listed[o.GetUID()] = true
			if ours := everything || strings.HasPrefix(o.GetName(), "sentinel-"); ours && !seen[string(o.GetUID())] {
				out = append(out, fmt.Sprintf("listed, not followed: %s %s", r.plural, o.GetName()))
			}
		}
	}
	return out, nil
}

// outline is a document in lines: what there is, and how it is.
func outline(d document) []string {
	var out []string
	var visit func(o object, under string)
	visit = func(o object, under string) {
		is := o.Status
		if o.Reason == "NoStatus" {
			is = o.Reason // a first look has just begun to wait; a dashboard may have given up waiting
		}
		if is == "Unknown" {
			is += " (" + o.Reason + ")" // a finding is no use without it
		}
		name := under + "/" + o.Kind + "/" + o.Name
		out = append(out, fmt.Sprintf("%s %s %s generation %d", name, o.UID, is, o.Generation))
		for _, c := range o.Children {
			visit(c, name)
		}
	}
	for _, o := range d.Resources {
		visit(o, "")
	}
	slices.Sort(out)
	return out
}
