package dump

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// bodyOf writes an object's fields but its apiVersion and kind, and finds the newest date of what
// its controllers did. Left out are the payload of a Secret, and the names of the fields that each
// writer of an object wrote, as far as no rule reads them.
func bodyOf(gvk schema.GroupVersionKind, fields map[string]json.RawMessage, now string) (body []byte, newest string) {
	secret := gvk.Group == "" && gvk.Kind == "Secret"
	b := bytes.NewBuffer(make([]byte, 0, 2<<10))
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		v := fields[key]
		switch {
		case key == "apiVersion" || key == "kind":
			continue
		case secret && (key == "data" || key == "stringData" || key == "keys"):
			continue
		case key == "metadata":
			if secret {
				v = secretMetadata(v)
			}
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(key)
		b.Write(name)
		b.WriteByte(':')
		if err := json.Compact(b, v); err != nil {
			b.WriteString("null")
		}
	}
	if secret {
		fmt.Fprintf(b, `,"keys":%s`, keysOf(fields["data"], fields["stringData"]))
	}
	b.WriteByte('}')
	body = slices.Clip(b.Bytes())
	return body, newestDate(body, now)
}

// keysOf are the names of a Secret's values.
func keysOf(values ...json.RawMessage) json.RawMessage {
	keys := map[string]json.RawMessage{}
	for _, v := range values {
		_ = json.Unmarshal(v, &keys)
	}
	if len(keys) == 0 {
		return json.RawMessage("[]")
	}
	out, _ := json.Marshal(slices.Sorted(maps.Keys(keys)))
	return out
}

// secretMetadata is a Secret's metadata without the annotations that may have its
// values.
func secretMetadata(raw json.RawMessage) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return json.RawMessage(`null`)
	}
	var a map[string]json.RawMessage
	_ = json.Unmarshal(m["annotations"], &a)
	delete(a, lastApplied)
	delete(a, "openshift.io/token-secret.value")
	if delete(m, "annotations"); len(a) > 0 {
		m["annotations"], _ = json.Marshal(a)
	}
	out, err := json.Marshal(m)
	if err != nil {
		return json.RawMessage(`null`)
	}
	return out
}

// dated are the fields whose date is when something happened. Others may lie in the
// future (the end of a certificate).
var dated = map[string]bool{
	"creationTimestamp": true, "time": true, "lastTransitionTime": true,
	"lastHeartbeatTime": true, "lastProbeTime": true,
	"lastUpdateTime": true, "timeAdded": true, "lastTimestamp": true, "firstTimestamp": true, "eventTime": true,
	"lastObservedTime": true, "renewTime": true,
	"startedAt": true, "finishedAt": true, "startTime": true, "completionTime": true,
	"lastScheduleTime": true, "reconciledAt": true,
}

// newestDate is the latest of these dates in a JSON text that is not after now.
func newestDate(body []byte, now string) (newest string) {
	const form = `":"2006-01-02T15:04:05`
	for at := 0; ; {
		i := bytes.Index(body[at:], []byte(`":"2`))
		if i < 0 || at+i+len(form) > len(body) {
			return newest
		}
		i += at
		at = i + 3
		date := body[i+3 : i+len(form)]
		if date[10] != 'T' || date[4] != '-' || date[13] != ':' ||
			bytes.Compare(date, []byte(newest)[:min(len(newest), len(date))]) <= 0 {
			continue
		}
		key := body[bytes.LastIndexByte(body[:i], '"')+1 : i]
		if dated[string(key)] && bytes.Compare(date, []byte(now)[:len(date)]) <= 0 {
			newest = string(date) + "Z"
		}
	}
}

// present is the kind in the API group where it is now. Servers before 1.22 print those of
// extensions/v1beta1 in that group, which they share with the present one.
func present(gvk schema.GroupVersionKind) schema.GroupVersionKind {
	if gvk.Group != "extensions" {
		return gvk
	}
	switch gvk.Kind {
	case "Ingress", "NetworkPolicy":
		gvk.Group = "networking.k8s.io"
	case "Deployment", "ReplicaSet", "DaemonSet":
		gvk.Group = "apps"
	case "PodSecurityPolicy":
		gvk.Group = "policy"
	}
	return gvk
}

// coreEvent makes an event of the core group of one of events.k8s.io, which is the
// same object by other names.
func coreEvent(fields map[string]json.RawMessage) schema.GroupVersionKind {
	for from, to := range map[string]string{
		"regarding": "involvedObject", "note": "message", "deprecatedCount": "count",
		"deprecatedFirstTimestamp": "firstTimestamp",
		"deprecatedLastTimestamp":  "lastTimestamp", "deprecatedSource": "source",
		"reportingController": "reportingComponent",
	} {
		if v, ok := fields[from]; ok {
			fields[to] = v
			delete(fields, from)
		}
	}
	return schema.GroupVersionKind{Version: "v1", Kind: "Event"}
}
