package logline

import (
	"testing"
	"time"
)

// Lines as controllers write them, and what is kept of each: "" if it is no complaint.
func TestComplaintsAreErrorsAndWarningsWithoutTheirFrame(t *testing.T) {
	for _, x := range []struct{ line, says string }{
		{`{"level":"error","ts":1767229000.1,"msg":"Reconciler error","controllerKind":"Db","error":"quota exceeded"}`, "quota exceeded"},
		{`{"severity":"ERROR","message":"cannot create bucket","err":"AccessDenied"}`, "cannot create bucket: AccessDenied"},
		{`{"level":50,"msg":"sync failed: no such host"}`, "sync failed: no such host"},
		{`{"level":30,"msg":"error budget refreshed: not found"}`, ""},
		{"2026-01-01T00:58:26.583Z\tERROR\tcontrollers.Db\tunable to update instance\t{\"db\": \"/x\", \"error\": \"it is invalid\"}", "unable to update instance: it is invalid"},
		{"error\tcontroller-runtime.controller\tReconciler error\t{\"request\": \"a/b\", \"error\": \"boom\"}", "boom"},
		{`E0101 00:58:51.283078       1 controller.go:157] "re-queuing item due to error processing" err="denied" key="a/b"`, "denied"},
		{`E0101 00:58:51.283078       1 controller.go:157] error syncing 'a/b': secret "c" not found`, `error syncing 'a/b': secret "c" not found`},
		{`I0101 00:58:51.283078       1 controller.go:157] "Failed to find it, creating" err="not found"`, ""},
		{`time="2026-01-01T00:00:00Z" level=error msg="cannot delete backup" error="no such location" backup=b namespace=velero`, "cannot delete backup: no such location"},
		{`time="2026-01-01T00:00:00Z" level=info msg="cannot happen any more: error=nil"`, ""},
		{"2026-01-01 00:57:44 ERROR AbstractAssemblyOperator:244 - Reconciliation #0(watch) Kafka(a/kafka): listener is invalid", "listener is invalid"},
		{"2026-01-01 00:57:44 ERROR AbstractAssemblyOperator:244 - Reconciliation #0(watch) Kafka(a/kafka): Failed to reconcile", ""},
		{"[2026-01-01 00:58:56,193] kopf.objects         [ERROR   ] [a/w] Handler 'f' failed temporarily: no leader", "Handler 'f' failed temporarily: no leader"},
		{"[2026-01-01 00:58:56,193] kopf.objects         [INFO    ] [a/w] Handler 'f' cannot find anything invalid", ""},
		{"cannot provision a/b: quota exceeded", "cannot provision a/b: quota exceeded"},
		{"reconciling a/b", ""},
		{`{"level":"error","msg":"Reconciler error","error":"the object has been modified; please apply your changes to the latest version and try again"}`, ""},
	} {
		says := ""
		if list := Complaints([]Line{{Text: x.line}}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)); len(list) > 0 && !list[0].Success {
			says = list[0].Says
		}
		if says != x.says {
			t.Errorf("%s\n got %q\nwant %q", x.line, says, x.says)
		}
	}
}

func TestAComplaintIsAboutWhatItNames(t *testing.T) {
	db := Named{Group: "lab.io", Kind: "EventStore", Plural: "eventstores", Namespace: "shop", Name: "orders"}
	cluster := Named{Group: "lab.io", Kind: "EventStore", Plural: "eventstores", Name: "orders"}
	for _, x := range []struct {
		line  string
		named Named
		about bool
	}{
		{`{"level":"error","msg":"x","error":"y","namespace":"shop","name":"orders"}`, db, true},
		{`{"level":"error","msg":"x","error":"y","namespace":"shop","eventStore":"orders"}`, db, true},
		{`{"level":"error","msg":"x","error":"y","EventStore":{"name":"orders","namespace":"shop"}}`, db, true},
		{`{"level":"error","msg":"x","error":"y","controllerKind":"EventStore","Request.Namespace":"shop","Request.Name":"orders"}`, db, true},
		{`{"level":"error","msg":"x","error":"y","request":"shop/orders"}`, db, true},
		{`E0101 00:58:51.283078       1 c.go:1] "x" err="y" eventStore="shop/orders"`, db, true},
		{`E0101 00:58:51.283078       1 c.go:1] failed to create event store "orders": y`, db, true},
		{`E0101 00:58:51.283078       1 c.go:1] eventstores.lab.io "orders" is forbidden: y`, db, true},
		{`E0101 00:58:51.283078       1 c.go:1] error syncing 'shop/orders': y`, db, true},
		{`2026-01-01 00:57:44 ERROR C:1 - Reconciliation #1(timer) EventStore(shop/orders): it is invalid`, db, true},
		{`{"level":"error","msg":"x","error":"y","eventstore":"/orders"}`, cluster, true},

		{`{"level":"error","msg":"x","error":"y","namespace":"shop","name":"orders-2"}`, db, false},
		{`{"level":"error","msg":"x","error":"y","namespace":"shop","name":"my-orders"}`, db, false},
		{`{"level":"error","msg":"x","error":"y","namespace":"other","name":"orders"}`, db, false},
		{`{"level":"error","msg":"x","error":"y","controllerKind":"Queue","namespace":"shop","name":"orders"}`, db, false},
		{`{"level":"error","msg":"x","error":"y","namespace":"shop","queue":"orders"}`, db, false},
		{`{"level":"error","msg":"x","error":"y","queue":"shop/orders"}`, db, false},
		{`E0101 00:58:51.283078       1 c.go:1] failed to create event store "orders.v2": y`, db, false},
		{`E0101 00:58:51.283078       1 c.go:1] failed to create event store "orders" in namespace "other": y`, db, false},
		{`E0101 00:58:51.283078       1 c.go:1] error syncing 'shop/orders-2': y`, db, false},
		{`E0101 00:58:51.283078       1 c.go:1] error syncing 'my-shop/orders': y`, db, false},
		{`2026-01-01 00:57:44 ERROR C:1 - Reconciliation #1(timer) Queue(shop/orders): it is invalid`, db, false},
		{`E0101 00:58:51.283078       1 c.go:1] no orders are left: y not found`, db, false},
	} {
		list := Complaints([]Line{{Text: x.line}}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
		if len(list) != 1 {
			t.Errorf("%d complaints in %s", len(list), x.line)
			continue
		}
		if about := list[0].About(x.named); about != x.about {
			t.Errorf("about %v: %v, want %v\n%s", x.named, about, x.about, x.line)
		}
	}
}

func TestComplaintsAreDated(t *testing.T) {
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	want := time.Date(2026, 1, 1, 0, 58, 51, 0, time.UTC)
	for _, line := range []string{
		`E0101 00:58:51.283078       1 c.go:1] cannot do it`,
		`{"level":"error","ts":"2026-01-01T00:58:51Z","msg":"cannot do it"}`,
		`{"level":"error","ts":1767229131.2,"msg":"cannot do it"}`,
		`{"level":50,"time":1767229131234,"msg":"cannot do it"}`,
		"2026-01-01 00:58:51 ERROR C:1 - cannot do it",
		"2026-01-01T00:58:51.283Z\tERROR\tcannot do it",
	} {
		list := Complaints([]Line{{Text: line}}, now)
		if len(list) != 1 || !list[0].At.Truncate(time.Second).Equal(want) {
			t.Errorf("%s: %+v", line, list)
		}
	}
	list := Complaints([]Line{{Text: `E1231 23:00:00.000000       1 c.go:1] cannot do it`}}, now)
	if len(list) != 1 || list[0].At.Year() != 2025 {
		t.Errorf("a time of the last year: %+v", list)
	}
}
