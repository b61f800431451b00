package inventory

// word is a form of names: the characters that one may have, and how many. (As
// regular expressions these four took a millisecond of every start to build.)
type word struct {
	first, inner, last letters
	most               int // bytes; 0 for any number
}

type letters [256]bool

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit = "0123456789"
)

func of(characters string) (l letters) {
	for i := range len(characters) {
		l[characters[i]] = true
	}
	return l
}

var (
	kindWord  = word{of(lower + upper), of(lower + upper + digit + ".-"), of(lower + upper + digit + ".-"), 253}
	groupWord = word{of(lower + digit), of(lower + digit + ".-"), of(lower + digit), 253}
	spaceWord = word{of(lower + digit), of(lower + digit + "-"), of(lower + digit), 63}
	// typeWord is a resource as kubectl takes it: deploy, deployments.apps,
	// deployment.v1.apps, Certificate.cert-manager.io.
	typeWord = word{of(lower + upper + digit), of(lower + upper + digit + ".-"), of(lower + upper + digit), 0}
	// resource is one as kubectl prints it.
	resource = word{of(lower + digit), of(lower + digit + ".-"), of(lower + digit + ".-"), 0}
)

// fits says whether s has the form.
func (w *word) fits(s string) bool {
	end := len(s) - 1
	if end < 0 || w.most > 0 && len(s) > w.most || !w.first[s[0]] || end > 0 && !w.last[s[end]] {
		return false
	}
	for i := 1; i < end; i++ {
		if !w.inner[s[i]] {
			return false
		}
	}
	return true
}
