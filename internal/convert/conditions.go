package convert

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// maxConditions bounds the conditions of one object.
const maxConditions = 512

// condition adds a condition; says is the original text, not cleaned.
func (c *converter) condition(says object.Statement, since time.Time) {
	if len(c.o.Conditions) >= maxConditions {
		return
	}
	if since.Unix() == 0 { // the default of a schema (Gateway API)
		since = time.Time{}
	}
	says.Type, says.Status, says.Reason, says.Message = c.word(says.Type), c.word(says.Status),
		c.word(says.Reason), c.text(says.Message)
	says.Severity = c.word(says.Severity)
	c.o.Conditions = append(c.o.Conditions, object.Condition{Statement: says.Shared(), LastTransitionTime: since})
	c.touched(since)
	c.hasStatus = true
}

// plainCondition adds a condition that has only these fields.
func plainCondition[T ~string](
	c *converter, typ T, status corev1.ConditionStatus, reason, message string, since metav1.Time,
) {
	c.condition(object.Statement{
		Type: string(typ), Status: string(status), Reason: reason,
		Message: message,
	}, when(&since))
}

func (c *converter) metaCondition(x *metav1.Condition) {
	c.condition(object.Statement{
		Type: x.Type, Status: string(x.Status), Reason: x.Reason,
		Message: x.Message, ObservedGeneration: optional(x.ObservedGeneration),
	}, when(&x.LastTransitionTime))
}

// annotatedConditions parses them; invalid ones are skipped, and so are those
// that kstatus judges by, because kstatus does not read this annotation.
func annotatedConditions(text string) []object.Condition {
	var all []metav1.Condition
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	c := converter{o: &object.Object{}}
	for i := range all {
		switch all[i].Type {
		case "Ready", "Stalled", "Reconciling":
		default:
			c.metaCondition(&all[i])
		}
	}
	return c.o.Conditions
}
