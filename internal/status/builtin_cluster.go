package status

import (
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

func readAPIService(c *custom) signal {
	switch i := c.index("Available"); {
	case i < 0:
		return silent("available", "Condition Available is not reported yet", atConditions...)
	case isTrue(&c.o.Conditions[i]):
		return c.by(Current, i, "available")
	case c.o.Conditions[i].Reason == "ServiceNotFound", c.o.Conditions[i].Reason == "ServicePortError":
		return c.by(Failed, i, "available")
	default:
		return c.by(InProgress, i, "available")
	}
}

// readDefinition follows apiextensions-apiserver's controllers. Names that
// another definition has taken are not given back by waiting.
func readDefinition(c *custom) signal {
	if i := c.index("Terminating"); i >= 0 && isTrue(&c.o.Conditions[i]) {
		return c.by(InProgress, i, "terminating")
	}
	if i := c.index("NamesAccepted"); i >= 0 && isFalse(&c.o.Conditions[i]) {
		s := c.by(Failed, i, "names-accepted")
		s.heals, s.terminal = false, true
		return s
	}
	if i := c.index("NonStructuralSchema"); i >= 0 && isTrue(&c.o.Conditions[i]) {
		return c.by(Failed, i, "structural-schema")
	}
	switch i := c.index("Established"); {
	case i < 0:
		return underway("established", "Installing", "Waiting to be established", atConditions...)
	case isTrue(&c.o.Conditions[i]):
		s := c.by(Current, i, "established")
		if k := c.index("KubernetesAPIApprovalPolicyConformant"); k >= 0 && isFalse(&c.o.Conditions[k]) {
			s.note = "a *.k8s.io group without the approval that the API policy asks for"
		}
		if who, state := c.service(c.o.Map("spec", "conversion", "webhook", "clientConfig", "service")); state != "" {
			s.note = who + " behind its conversion webhook " + state
		}
		return s
	case c.o.Conditions[i].Reason == "Installing":
		return c.by(InProgress, i, "established")
	default:
		return c.by(Failed, i, "established")
	}
}

func readNamespace(c *custom) signal {
	switch phase := c.o.Str("status", "phase"); phase {
	case "Active":
		return good("phase", "Namespace is active", atPhase...)
	case "Terminating":
		return signal{status: Terminating, rule: "phase", message: "Namespace is being deleted", paths: []string{"status.phase"}}
	case "":
		return silent("phase", "The namespace has not been created yet", atPhase...)
	default:
		return signal{status: Unknown, rule: "phase", message: "status.phase is " + phase, paths: []string{"status.phase"}}
	}
}

func readNode(c *custom) signal {
	ready := c.index("Ready")
	if ready < 0 {
		return silent("ready", "The kubelet has not reported yet", atConditions...)
	}
	if !isTrue(&c.o.Conditions[ready]) {
		return c.by(Failed, ready, "ready")
	}
	for i := range c.o.Conditions {
		cond := &c.o.Conditions[i]
		if i == ready || !isTrue(cond) {
			continue
		}
		switch {
		case cond.Type == "NetworkUnavailable":
			return c.by(Failed, i, "network")
		case strings.HasSuffix(cond.Type, "Pressure"):
			return c.by(Failed, i, "pressure")
		}
	}
	s := c.by(Current, ready, "ready")
	if v, _ := c.o.Bool("spec", "unschedulable"); v {
		s.note = "cordoned: nothing new is scheduled here"
		return s
	}
	for i := range c.o.Conditions {
		// node-problem-detector's conditions
		cond := &c.o.Conditions[i]
		if sense, _ := conditionSense(cond.Type); isTrue(cond) && sense == registry.Fault {
			s.note = cond.Type + ": " + describe(cond)
			break
		}
	}
	return s
}

func readLease(c *custom) signal {
	holder := c.o.Str("spec", "holderIdentity")
	if holder == "" {
		return good("holder", "Nobody holds the lease", atHolderIdentity...)
	}
	s := good("holder", "Held by "+holder, atHolderIdentityRenewTime...)
	renewed, err := time.Parse(time.RFC3339, c.o.Str("spec", "renewTime"))
	seconds := c.o.Int("spec", "leaseDurationSeconds")
	if err == nil && seconds.Set && !c.w.Offline {
		if end := renewed.Add(time.Duration(seconds.V) * time.Second); c.w.now.After(end) {
			s.note = "expired: not renewed since " + renewed.UTC().Format(time.RFC3339)
		} else {
			s.recheck = end
		}
	}
	return s
}

func readFlowSchema(c *custom) signal {
	if i := c.index("Dangling"); i >= 0 && isTrue(&c.o.Conditions[i]) {
		return c.by(Failed, i, "dangling")
	}
	return good("dangling", "Flow schema is in force", atConditions...)
}

func readSigningRequest(c *custom) signal {
	for _, typ := range [...]string{"Denied", "Failed"} {
		if i := c.index(typ); i >= 0 && c.o.Conditions[i].Status != "False" {
			s := c.by(Failed, i, strings.ToLower(typ))
			s.heals, s.terminal = false, true
			return s
		}
	}
	if cert := c.o.Str("status", "certificate"); cert != "" {
		return good("certificate", "Certificate is issued", atCertificate...)
	}
	if i := c.index("Approved"); i >= 0 {
		return underway("certificate", "Approved", "Approved; waiting for the signer "+c.o.Str("spec", "signerName"), atCertificate...)
	}
	return underway("approval", "Pending", "Waiting for approval", atConditions...)
}
