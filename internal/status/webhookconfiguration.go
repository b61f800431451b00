package status

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// webhookConfiguration: what a webhook is to admit is refused while its Service does
// not exist.
func webhookConfiguration(j *judge) Assessment {
	hooks := j.o.List("webhooks")
	a := j.by("exists", "webhooks").current(count(len(hooks), "webhook") + " configured")
	for i, hook := range hooks {
		at := func(path ...string) string { s, _ := object.At(hook, path...).(string); return s }
		id := object.ID{
			Kind: "Service", Namespace: at("clientConfig", "service", "namespace"),
			Name: at("clientConfig", "service", "name"),
		}
		if id.Name == "" || j.w.Lookup == nil {
			continue
		}
		who := "the service " + id.Namespace + "/" + id.Name + " behind "
		switch o := j.w.Lookup(id); {
		case o != nil && !o.Deleted.IsZero():
			a.Note = who + "it is being deleted"
		case o != nil || j.w.Absent == nil || !j.w.Absent(id):
		case at("failurePolicy") == "Ignore":
			a.Note = who + "it does not exist: nobody is asked, and everything is admitted"
		default:
			return j.by("service", fmt.Sprintf("webhooks[%d].clientConfig.service", i)).
				fault("ServiceNotFound", who+at("name")+" does not exist: what it is to admit is refused")
		}
	}
	return a
}
