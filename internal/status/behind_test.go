package status

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestBehindPicksTheConditionWithTheReason(t *testing.T) {
	at := func(minutes int) time.Time {
		return time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC).Add(-time.Duration(minutes) * time.Minute)
	}
	cond := func(typ, message string, ago int) object.Condition {
		return object.Condition{Statement: &object.Statement{Type: typ, Status: "False", Message: message}, LastTransitionTime: at(ago)}
	}
	bad := func(c *object.Condition) bool { return c.Status == "False" }
	for _, c := range []struct {
		name string
		list []object.Condition
		want string
	}{
		{"one that names what is missing, of two summaries", []object.Condition{
			cond("Available", "shards are not available", 10), cond("Reconciled", `secrets "extra" not found`, 10),
		}, "Reconciled"},
		{"of two that say why the first stays", []object.Condition{
			cond("Reconciled", `secrets "extra" not found`, 10), cond("Available", "statefulset a/b not found", 10),
		}, "Reconciled"},
		{"the named one", []object.Condition{
			cond("Ready", "DatabaseNotReady", 10), cond("CacheReady", "cache-1 is full", 10), cond("DatabaseReady", "starting", 10),
		}, "DatabaseReady"},
		{"an error before what restates", []object.Condition{
			cond("Ready", "some components are not ready", 10), cond("StorageReady", "storage is not ready", 12), cond("NetworkReady", "network-1: connection refused", 10),
		}, "NetworkReady"},
		{"the one that has failed longest", []object.Condition{
			cond("Ready", "some components are not ready", 10), cond("NetworkReady", "the network is down", 10), cond("StorageReady", "storage is down", 12),
		}, "StorageReady"},
		{"not one that had failed while the summary was good", []object.Condition{
			cond("Ready", "some components are not ready", 10), cond("BackupReady", "no backup yet", 600), cond("StorageReady", "storage is down", 10),
		}, "StorageReady"},
		{"alone", []object.Condition{cond("Ready", "no", 10)}, "Ready"},
	} {
		o := &object.Object{Conditions: c.list}
		if got := o.Conditions[Behind(o, 0, bad)].Type; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
