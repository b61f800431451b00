package archtest

import (
	"os/exec"
	"strings"
	"testing"
)

// TestTheDemoIsBuiltWithoutTheCluster: "make demo" on a fresh clone has a minute
// for the first frame, which compiling Kubernetes' libraries alone would take.
func TestTheDemoIsBuiltWithoutTheCluster(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "nocluster", "./cmd/kstatus-tui")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 50 {
		t.Fatalf("it is made of %d packages: the test looks in the wrong place", len(packages))
	}
	heavy := []string{
		"k8s.io/", "sigs.k8s.io/kustomize/", "cel.dev/", "google.golang.org/protobuf/", "net/http", "crypto/tls",
		module + "/internal/watch", module + "/internal/watch/kube", module + "/internal/watch/plan", module + "/internal/watch/find", module + "/internal/inventory", module + "/internal/rules",
	}
	for _, p := range packages {
		switch p {
		case "k8s.io/apimachinery/pkg/util/duration", // a page of arithmetic
			"k8s.io/cli-runtime/pkg/genericiooptions": // three streams
			continue
		}
		for _, no := range heavy {
			if p == strings.TrimSuffix(no, "/") || strings.HasPrefix(p, strings.TrimSuffix(no, "/")+"/") {
				t.Errorf("the program that make demo builds (-tags nocluster) is made of %s", p)
			}
		}
	}
}
