package feed

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// refusalWords matches the message of an authorizer, the same in every API
// server (kubernetes v1.36
// apiserver/pkg/endpoints/handlers/responsewriters/errors.go,
// forbiddenMessage).
var refusalWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`User ("(?:[^"\\]|\\.)*") cannot (\S+) resource "([^"]*)" in API group "([^"]*)"(?: in the namespace "([^"]*)"| at the cluster scope)(?:: *(.*))?`)
})

const byRBAC = " (RBAC)"

// NotSaved ends the message about what a saved cluster does not hold.
const NotSaved = "not in the saved cluster"

// Refusal shortens an API server's 403 to who may not do what to which resource
// where: "user dev cannot list events in shop (RBAC)". Other text is returned
// unchanged.
func Refusal(message string) string {
	m := refusalWords().FindStringSubmatch(message)
	if m == nil {
		return message
	}
	user, err := strconv.Unquote(m[1])
	if err != nil {
		user = strings.Trim(m[1], `"`)
	}
	where := "at the cluster scope"
	if m[5] != "" {
		where = "in " + m[5]
	}
	text := fmt.Sprintf("user %s cannot %s %s %s%s", object.Clean(user),
		m[2], strings.TrimSuffix(m[3]+"."+m[4], "."), where, byRBAC)
	if more := strings.TrimPrefix(m[6], "RBAC: "); more != "" {
		text += ": " + more
	}
	return text
}

// IsRefusal reports whether an error's text is about what may not, or cannot, be
// seen: a missing permission in the form of [Refusal], of an API server, or of an
// earlier recording, or something that was not saved.
func IsRefusal(text string) bool {
	return strings.Contains(text, byRBAC) || strings.Contains(text, "forbidden") || IsUnsaved(text)
}

// RefusalReason is the reason of an object that an error keeps from being seen.
func RefusalReason(text string) string {
	if IsUnsaved(text) {
		return "NotSaved"
	}
	return "Forbidden"
}

// IsUnsaved reports whether an error is about something that a saved cluster does not
// hold.
func IsUnsaved(text string) bool { return strings.HasSuffix(text, NotSaved) }
