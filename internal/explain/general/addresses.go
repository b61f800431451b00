package general

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// Addresses proves with which web address of its spec a custom object fails: a controller that
// cannot use a server says seldom which. Of an address that is none it says so.
func Addresses(in *inspect.Inspector) {
	f := mainFinding(in)
	if f == nil || f.Code.Family != "custom" && f.Code != codes.WarningEvent || f.Class == codes.Waits ||
		in.Object.Tree == nil {
		return
	}
	list := addresses(in.Object.Tree["spec"], "spec", nil)
	for _, a := range list {
		if !valid(a.value) {
			f.Also("%s is no valid address: %s", a.path, a.value)
			f.Prove(a.path, a.value)
			return
		}
	}
	if message.Weight(f.Title()) >= message.SaysWhy && !aboutServer(f.Title()) {
		return // it says what is wrong, and that is not a server
	}
	if len(list) == 1 && f.Code != codes.NoController && !strings.Contains(f.Title()+f.Detail, list[0].value) {
		f.Prove(list[0].path, list[0].value)
	}
}

// aboutServer reports whether a title is about reaching or using a server.
func aboutServer(title string) bool {
	return message.FailureOf(title) == message.Unreachable ||
		wording.HasAny(strings.ToLower(title), "client", "connect", "server", "url", "address", "host", "endpoint")
}

type address struct{ path, value string }

// addresses appends the web addresses below a field, in the order of the fields. One with a path, a query or a user
// is left out: they may let one in.
func addresses(v any, path string, out []address) []address {
	switch v := v.(type) {
	case string:
		if onlyHost().MatchString(v) {
			out = append(out, address{path, v})
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = addresses(v[key], path+"."+key, out)
		}
	case []any:
		for i, x := range v {
			out = addresses(x, path+"["+strconv.Itoa(i)+"]", out)
		}
	}
	return out
}

var onlyHost = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[^/?#@]+/?$`) })

// valid reports whether an address can be parsed and names a host. A list, a sentence and one with a template in it
// are somebody else's to judge.
func valid(text string) bool {
	if strings.ContainsAny(text, "{}$<>*%, \t") {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && (strings.HasPrefix(u.Host, "[") || strings.Count(u.Host, ":") <= 1)
}
