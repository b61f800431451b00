package kube

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
)

// client-go runs the program of a kubeconfig's user.exec without a context and
// holds all that it prints. So a program that hangs would outlive this one, and
// keep whoever reads its standard error waiting; one that prints without an end
// would fill the memory.

// programMemory is by how much the heap may grow while a request waits for its
// credentials. Other streams may deliver objects meanwhile.
var programMemory uint64 = 512 << 20

func heapSize() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// process is a process of this machine.
type process struct{ id, parent int }

// LeaveNoProgram is EndPrograms for a process that is about to exit: no other program
// is started any more. Requests wait in turn for the program of their credentials, and
// client-go starts it anew for the next one when it is killed.
func LeaveNoProgram() {
	startNoMore()
	EndPrograms()
}

// EndPrograms kills the programs that client-go has started for credentials and
// that still run, with everything that they have started: all children in this
// process' own group. What this program starts itself is in a group of its own.
// On Windows it does nothing.
func EndPrograms() {
	all := processes()
	var end func(id int)
	end = func(id int) {
		if p, err := os.FindProcess(id); err == nil {
			_ = p.Kill()
		}
		for _, p := range all {
			if p.parent == id {
				end(p.id)
			}
		}
	}
	for _, p := range all {
		if p.parent == os.Getpid() && inOwnGroup(p.id) {
			end(p.id)
		}
	}
}

// listed reads the output of ps -A -o pid=,ppid=.
func listed(text string) (all []process) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		id, _ := strconv.Atoi(f[0])
		parent, _ := strconv.Atoi(f[1])
		all = append(all, process{id, parent})
	}
	return all
}
