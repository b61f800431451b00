package status

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func webhookConfiguration(j *judge) Assessment {
	hooks := j.o.List("webhooks")
	a := j.by("exists", "webhooks").current(count(len(hooks), "webhook") + " configured")
	for i, hook := range hooks {
		who, state := j.serviceBehind(asMap(object.At(hook, "clientConfig", "service")))
		switch {
		case state == "":
		case state != missing:
			a.Note = who + " behind it " + state
		case object.At(hook, "failurePolicy") == "Ignore":
			a.Note = who + " behind it " + state + ": nobody is asked, and everything is admitted"
		default:
			name, _ := object.At(hook, "name").(string)
			return j.by("service", fmt.Sprintf("webhooks[%d].clientConfig.service", i)).
				fault("ServiceNotFound", who+" behind "+name+" "+state+": what it is to admit is refused")
		}
	}
	return a
}

// missing is the state of a Service that is known not to exist.
const missing = "does not exist"

// serviceBehind names the Service of a reference, and its problem; "" if it is
// healthy or not known.
func (j *judge) serviceBehind(ref map[string]any) (who, state string) {
	name, _ := ref["name"].(string)
	ns, _ := ref["namespace"].(string)
	if name == "" || j.w.Lookup == nil {
		return "", ""
	}
	id := object.ID{Kind: "Service", Namespace: ns, Name: name}
	who = "the service " + ns + "/" + name
	switch o := j.w.Lookup(id); {
	case o == nil && j.w.Absent != nil && j.w.Absent(id):
		return who, missing
	case o != nil && !o.Deleted.IsZero():
		return who, "is being deleted"
	}
	return who, ""
}
