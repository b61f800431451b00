package general

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
)

// Makers blames what should make a Secret that does not exist, wherever a finding proves its
// absence: a listener's certificate, the credentials that a custom resource names.
func Makers(in *inspect.Inspector) {
	for _, f := range in.Found {
		if f.Remark {
			continue
		}
		for i := range f.Evidence {
			e := &f.Evidence[i]
			if e.Type != inspect.AbsenceEvidence || e.Path != "" || e.Ref.Group != "" || e.Ref.Kind != "Secret" {
				continue
			}
			for _, id := range inspect.SecretMakers(in, e.Ref) {
				if id != in.Object.ID && !slices.Contains(f.Because, id) && !ancestor(in, id) {
					because(f, id)
				}
			}
		}
	}
}
