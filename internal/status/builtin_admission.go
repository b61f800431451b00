package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func readQuota(c *custom) signal {
	hard, used := c.o.Map("status", "hard"), c.o.Map("status", "used")
	want := c.o.Map("spec", "hard")
	missing, found := "", false
	for k, v := range want { // the first by name, whatever the order of the map
		if hard[k] != v && (!found || k < missing) {
			missing, found = k, true
		}
	}
	if found {
		return underway("observed", "NotObserved", "The limit of "+missing+" is not in force yet", atLimits...)
	}
	s := good("observed", "Quota is in force", atUsage...)
	var full []string
	for k, v := range hard {
		limit, ok := parseAmount(v)
		have, ok2 := parseAmount(used[k])
		if ok && ok2 && limit > 0 && have >= limit {
			full = append(full, k)
		}
	}
	if len(full) > 0 {
		slices.Sort(full)
		s.note = "used up: " + strings.Join(full, ", ")
	}
	return s
}

func parseAmount(v any) (int64, bool) {
	switch v := v.(type) {
	case string:
		return object.ParseAmount(v)
	case int64:
		return object.ParseAmount(strconv.FormatInt(v, 10))
	}
	return 0, false
}

func readWebhooks(c *custom) signal {
	n := len(c.o.List("webhooks"))
	s := good("exists", strconv.Itoa(n)+" webhook"+plural(n, "s")+" configured", atWebhooks...)
	for i, el := range c.o.List("webhooks") {
		m, _ := el.(map[string]any)
		who, state := c.service(asMap(object.At(m, "clientConfig", "service")))
		switch {
		case state == "":
		case state != missing:
			s.note = who + " behind it " + state
		case m["failurePolicy"] == "Ignore":
			s.note = who + " behind it " + state + ": nobody is asked, and everything is admitted"
		default:
			name, _ := m["name"].(string)
			at := "webhooks[" + strconv.Itoa(i) + "].clientConfig.service"
			return fails("service", "ServiceNotFound", who+" behind "+name+" "+state+": what it is to admit is refused", at)
		}
	}
	return s
}

// missing is what is said of a service that is known not to exist.
const missing = "does not exist"

// service says who a reference to a Service means, and what is wrong with it;
// nothing where it is not known, or well.
func (c *custom) service(ref map[string]any) (who, state string) {
	name, _ := ref["name"].(string)
	ns, _ := ref["namespace"].(string)
	if name == "" || c.w.Lookup == nil {
		return "", ""
	}
	id := object.ID{Kind: "Service", Namespace: ns, Name: name}
	who = "the service " + ns + "/" + name
	switch o := c.w.Lookup(id); {
	case o == nil && c.w.Absent != nil && c.w.Absent(id):
		return who, missing
	case o != nil && !o.Deleted.IsZero():
		return who, "is being deleted"
	}
	return who, ""
}

// readAdmissionPolicy: the controller type-checks the expressions and writes
// what it finds; the policy is in force all the same.
func readAdmissionPolicy(c *custom) signal {
	warnings := c.o.List("status", "typeChecking", "expressionWarnings")
	s := good("type-checking", "Policy is in force", atTypeChecking...)
	if len(warnings) > 0 {
		m, _ := warnings[0].(map[string]any)
		field, _ := m["fieldRef"].(string)
		s.note = fmt.Sprintf("%d type-checking warning%s, the first at %s", len(warnings), plural(len(warnings), "s"), field)
	}
	return s
}
