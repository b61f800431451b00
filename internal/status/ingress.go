package status

import (
	"slices"
	"strconv"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// ingressPatience is how long an Ingress may be without an address before its
// controller counts as one that never reports any.
const ingressPatience = 5 * time.Minute

func ingress(j *judge) Assessment {
	if a, broken := j.brokenBackend(); broken {
		return a
	}
	j.by("address", "status.loadBalancer.ingress")
	if address, answered := kinds.IngressAddress(j.o); answered {
		if a, missing := missingCertificate(j); missing {
			return a
		}
		return byBackendHealth(j, j.by("address", "status.loadBalancer.ingress").current(reachedAt(address)))
	}
	a := j.progress("NoAddress", "Waiting for an address")
	if j.expects(&a, "it becomes Current even without an address") {
		return a
	}
	why := "its controller may be one that never reports any, or none serves its class"
	if _, legacy := j.o.Annotation("kubernetes.io/ingress.class"); !legacy &&
		j.o.Str("spec", "ingressClassName") == "" {
		// The API server sets the default class, if there is one
		// (plugin/pkg/admission/network/defaultingressclass).
		why = "it names no class, and only a controller that takes those without one serves it"
	}
	silent := j.by("no-address", "status.loadBalancer.ingress").current("No address is reported").
		noted("no address after %v: %s", ingressPatience, why)
	return j.lapsed(a, silent)
}

// brokenBackend is the fault of an Ingress that sends requests to a Service, or to a port
// of one, that does not exist.
func (j *judge) brokenBackend() (Assessment, bool) {
	if j.w.Lookup == nil || j.w.Absent == nil {
		return Assessment{}, false
	}
	for _, b := range kinds.IngressBackends(j.o) {
		id := object.ID{Kind: "Service", Namespace: j.o.Namespace, Name: b.Service}
		service := j.w.Lookup(id)
		switch {
		case service == nil && j.w.Absent(id):
			return j.by("backend", b.Path).fault("BackendMissing", "its backend "+id.String()+" does not exist"), true
		case service != nil && service.Service != nil &&
			service.Service.Type != "ExternalName" && !kinds.HasPort(service.Service, b.Port):
			return j.by("backend", b.Path).fault("BackendMissing",
				"its backend "+id.String()+" has no port "+b.Port), true
		}
	}
	j.holds(false, "backend", "a backend does not exist", "spec.rules")
	return Assessment{}, false
}

// byBackendHealth is the assessment of an Ingress that has an address, by what its load balancer
// reports of its backends: it is no use while one of them has no healthy endpoint. What is not
// known of the backends of a new one is waited for.
func byBackendHealth(j *judge, a Assessment) Assessment {
	const annotation = "metadata.annotations[" + object.BackendHealth + "]"
	h := kinds.BackendHealthOf(j.o)
	if j.holds(len(h.Unhealthy) > 0, "backendHealth", "its load balancer finds a backend unhealthy", annotation) {
		return j.fault("BackendUnhealthy", a.Message+
			"; its load balancer finds no healthy endpoint of backend "+h.Unhealthy[0])
	}
	if len(h.Unknown) == 0 {
		return a
	}
	note := "its load balancer has not checked an endpoint of backend " + h.Unknown[0]
	if h.Known == 0 {
		waits := j.by("backendHealth", annotation).progress("BackendUnknown", a.Message+"; "+note+" yet")
		if j.expects(&waits, "it becomes Current even without the health of its backends") && !waits.Recheck.IsZero() {
			return waits
		}
	}
	return a.noted("%s", note)
}

// secretMissing reports whether cert-manager says that a Certificate's Secret does not exist
// (cert-manager v1.18, internal/controller/certificates/policies/constants.go): those who may
// not read Secrets know it from there.
func secretMissing(certificate *object.Object) bool {
	if certificate == nil {
		return false
	}
	i := conditionIndex(certificate, "Ready")
	return i >= 0 && isFalse(&certificate.Conditions[i]) && certificate.Conditions[i].Reason == "DoesNotExist"
}

// missingCertificate is the assessment of an Ingress without a Secret that is to be made for
// it: its annotations ask cert-manager for that, or a Certificate of the Secret's name does.
// Then it is no further than its Certificate. Any other missing Secret proves nothing: some
// controllers have a default certificate, and some read no Secrets.
func missingCertificate(j *judge) (Assessment, bool) {
	if j.w.Lookup == nil || j.w.Absent == nil {
		return Assessment{}, false
	}
	asked := edges.Parts(j.o)
	for i, entry := range j.o.List("spec", "tls") {
		name, _ := object.At(entry, "secretName").(string)
		secret := object.ID{Kind: "Secret", Namespace: j.o.Namespace, Name: name}
		if name == "" || j.w.Lookup(secret) != nil {
			continue
		}
		id := object.ID{Group: "cert-manager.io", Kind: "Certificate", Namespace: j.o.Namespace, Name: name}
		certificate := j.w.Lookup(id)
		if certificate != nil && certificate.Str("spec", "secretName") != name {
			certificate = nil
		}
		if !j.w.Absent(secret) && !secretMissing(certificate) {
			continue
		}
		if certificate == nil && !slices.Contains(asked, id) {
			continue
		}
		a := j.by("certificate", "spec.tls["+strconv.Itoa(i)+"].secretName").progress("CertificateMissing",
			"its TLS "+secret.String()+" does not exist yet")
		if certificate == nil || j.w.Judged == nil {
			return a, true
		}
		judged, known := j.w.Judged(id)
		if !known || judged.Status == Current {
			return a, true
		}
		c := Child{Object: certificate, Assessment: judged}
		if b, hit := j.inherit("certificate", "its certificate fails", &c, a.Message); hit {
			b.Paths = a.Paths
			return b, true
		}
		a.Message, a.Child, a.Recheck = a.Message+"; "+c.culprit(), id, judged.Recheck
		return a, true
	}
	j.holds(false, "certificate", "a certificate that is to be made for it is missing", "spec.tls")
	return Assessment{}, false
}

// expects waits for a controller that may never report anything, and says what
// happens after that; false once the time is over: see lapsed. Without a date it waits
// forever.
func (j *judge) expects(a *Assessment, then string) bool {
	if j.w.Offline || j.o.Created.IsZero() {
		return true
	}
	a.Recheck = j.o.Created.Add(ingressPatience + j.w.Ahead)
	a.Deadline, a.DeadlineWhat = a.Recheck, then
	return j.now.Before(a.Recheck)
}
