// Package codes is the published list of causes (docs/causes.md): one
// descriptor for each, in the file of its family. A detector names a code by its
// variable, so that one that is not listed does not compile.
//
// To add one, write its descriptor. Nothing else about a code stands anywhere
// else: which other findings it hides, which changes of a revision may be the
// reason for it, and what it reads, are fields of the descriptor.
package codes

import (
	"slices"
	"strings"
)

// Class says who has to act (docs/causes.md).
type Class string

// The classes, in the order in which they deserve attention.
const (
	Terminal Class = "terminal" // it has failed, and cannot recover by itself
	Action   Class = "action"   // somebody has to act
	Retries  Class = "retries"  // it is tried again, and may succeed
	Waits    Class = "waits"    // it is intended, or it passes by itself
)

// Code describes one kind of cause.
type Code struct {
	Name    string // as in the JSON output
	Family  string // the package that finds it, or finds it most often
	Class   Class  // the usual one; a finding may override it
	Meaning string // in a sentence
	// Reads names what is read beside the object and its children: "events",
	// "nodes", …
	Reads string
	// Step is how far a Pod had come. A finding at one step hides those at later
	// steps: a finding about the whole Pod all of them, one about a container
	// those about the same container and about the whole Pod.
	Step Step
	// Hides are the codes that it explains when both are found on one object.
	Hides []*Code
	// Concerns are the parts of a Pod template whose change may be the reason.
	Concerns []Concern
	// Lacks is the kind of the object that does not exist, for a cause of that sort. When
	// the API server refuses a Pod because it names such an object, this is its cause.
	Lacks *Kind
}

// Kind is a kind of object.
type Kind struct {
	Group, Kind string
	Namespaced  bool
}

// Step is a step in the life of a Pod.
type Step int

// The steps, in order.
const (
	AnyTime Step = iota // hides nothing and is hidden by nothing
	AtNode              // the node is lost, refuses the Pod, or does not exist
	AtGate
	AtScheduling
	AtStorage
	AtSandbox // the node sets the Pod up
	AtConfig
	AtImage
	AtInit
	AtStart
	AtMemory
	AtCrash
	AtStartupProbe
	AtReadiness
	AtReadinessGate
)

// Concern is a part of a Pod template.
type Concern string

// The parts. Replicas stands for a change of the workload's number of replicas.
const (
	Account   Concern = "account"
	Command   Concern = "command"
	Devices   Concern = "devices"
	Env       Concern = "env"
	Image     Concern = "image"
	Labels    Concern = "labels"
	Lifecycle Concern = "lifecycle"
	Placement Concern = "placement"
	Ports     Concern = "ports"
	Priority  Concern = "priority"
	Probes    Concern = "probes"
	Pull      Concern = "pull"
	Replicas  Concern = "replicas"
	Resources Concern = "resources"
	Runtime   Concern = "runtime"
	Security  Concern = "security"
	Volumes   Concern = "volumes"
)

// String is the code's name.
func (c *Code) String() string { return c.Name }

var all []*Code

func register(c Code) *Code {
	all = append(all, &c)
	return &c
}

// All are all codes, by name.
func All() []*Code {
	return slices.SortedFunc(slices.Values(all), func(a, b *Code) int { return strings.Compare(a.Name, b.Name) })
}

// Lacking returns the code of the cause that no object of a kind has a name which a Pod
// uses, or nil.
func Lacking(kind string) *Code {
	if i := slices.IndexFunc(all, func(c *Code) bool { return c.Lacks != nil && c.Lacks.Kind == kind }); i >= 0 {
		return all[i]
	}
	return nil
}

// Named returns the code of a name, or nil.
func Named(name string) *Code {
	if i := slices.IndexFunc(all, func(c *Code) bool { return c.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}
