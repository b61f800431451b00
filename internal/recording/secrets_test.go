package recording

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// database is a custom resource that keeps its passwords itself, everywhere.
func database() *object.Object {
	o := &object.Object{ID: object.ID{Group: "example.com", Kind: "Database", Namespace: "shop", Name: "db"}, Version: "v1", UID: "u1"}
	o.Annotations = []object.Label{
		{Key: "example.com/admin-token", Value: "canary1"},
		{Key: "example.com/original", Value: `{"spec":{"password":"canary2"}}`},
		{Key: "example.com/secret-name", Value: "db-login"},
	}
	o.Tree = map[string]any{
		"spec": map[string]any{
			"adminPassword": "canary3", "pin": int64(1), "passwordSecretRef": map[string]any{"name": "db-login", "key": "word"},
			"users": []any{map[string]any{"name": "me", "credentials": map[string]any{"x": []any{"canary4"}}}},
		},
		"status": map[string]any{"phase": "Ready", "accessKey": "canary5", "token": int64(66666)},
	}
	return o
}

const databaseYAML = `status:
  phase: Ready
  accessKey: canary6
apiVersion: example.com/v1
kind: Database
metadata:
  annotations:
    example.com/original: '{"spec":{"password":"canary7"}}'
spec:
  values: |
    db:
      password: canary8
  manifests:
  - kind: Secret
    stringData:
      a: canary9
  env:
  - name: A
    value: environment
  passwordSecretRef:
    name: db-login
`

// recordDatabase records it as a batch, as what a chapter begins with, and opened.
func recordDatabase(t *testing.T, h Header) []byte {
	t.Helper()
	var out bytes.Buffer
	h.Started = t0
	w := NewWriter(nopCloser{&out}, h)
	source := w.Tap(&script{detail: databaseYAML}).(*tap)
	o := database()
	w.add(feed.Batch{Seq: 1, At: t0, Roots: []feed.Root{{ID: o.ID}}, Objects: []*object.Object{o}, Synced: true})
	changed := database()
	changed.Tree["status"].(map[string]any)["phase"] = "Failed"
	w.add(feed.Batch{Seq: 2, At: t0.Add(time.Second), Objects: []*object.Object{changed}, Synced: true})
	if _, err := source.Detail(t.Context(), o.ID); err != nil {
		t.Fatal(err)
	}
	w.changes = 1 << 20
	if !w.bookmark(2) {
		t.Fatal("no chapter begins")
	}
	gone := database()
	gone.Name = "gone"
	source.Remember(feed.Memory{
		At: t0.Add(time.Second), Seq: 2, State: feed.Batch{At: t0, Objects: []*object.Object{changed}, Roots: []feed.Root{{ID: o.ID}}, Synced: true},
		Objects: []feed.Remembered{{ID: o.ID}}, Deleted: []feed.Deleted{{Parent: o.ID, Object: gone}},
	})
	if err := w.Close(t0.Add(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if o.Tree["spec"].(map[string]any)["adminPassword"] != "canary3" || o.Annotations[0].Value != "canary1" {
		t.Error("the object itself was changed")
	}
	return out.Bytes()
}

func TestSecretFieldsOfACustomResourceAreNotRecorded(t *testing.T) {
	for name, data := range map[string][]byte{
		"recorded":             recordDatabase(t, Header{}),
		"redacted":             recordDatabase(t, Header{Redacted: true}),
		"copied":               copied(t, recordDatabase(t, Header{}), false),
		"copied from an older": copied(t, older(t), false),
		"copied and redacted":  copied(t, recordDatabase(t, Header{Secrets: true}), true),
	} {
		text := unzip(t, data)
		if i := strings.Index(text, "canary"); i >= 0 || strings.Contains(text, "66666") {
			t.Errorf("%s, a secret is left: %.200s", name, text[max(i-60, 0):])
		}
		if !strings.Contains(text, `***`) {
			t.Errorf("%s: nothing is masked", name)
		}
		if strings.Contains(name, "redacted") {
			continue
		}
		for _, kept := range []string{`"passwordSecretRef":{"key":"word","name":"db-login"}`, `{"key":"example.com/secret-name","value":"db-login"}`, `"pin":1`, `name: db-login`} {
			if !strings.Contains(text, kept) {
				t.Errorf("%s, %s is gone", name, kept)
			}
		}
		p := open(t, data)
		p.Speed = 0
		batches, _ := play(t, p)
		var last *object.Object
		for _, b := range batches {
			for _, o := range b.Objects {
				last = o
			}
		}
		if last == nil || last.Str("status", "phase") != "Failed" || last.Str("status", "accessKey") != mask.Placeholder {
			t.Errorf("%s, played back: %+v", name, last)
		}
	}
}

// older is a recording by a version that masked nothing.
func older(t *testing.T) []byte {
	data := recordDatabase(t, Header{Secrets: true})
	text := unzip(t, data)
	plain := strings.Replace(text, `"secrets":true,`, "", 1)
	if plain == text {
		plain = strings.Replace(text, `,"secrets":true`, "", 1)
	}
	if plain == text {
		t.Fatalf("the header does not say that secrets are in it: %.300s", text)
	}
	return []byte(plain)
}

func TestSecretsAreRecordedOnRequest(t *testing.T) {
	for name, data := range map[string][]byte{
		"recorded": recordDatabase(t, Header{Secrets: true}),
		"copied":   copied(t, recordDatabase(t, Header{Secrets: true}), false),
	} {
		text := unzip(t, data)
		for _, want := range []string{"canary1", "canary2", "canary3", "canary4", "canary5", "canary6", "canary7", "canary8", "canary9", "66666"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %s is not in it", name, want)
			}
		}
		if strings.Contains(text, "value: environment") {
			t.Errorf("%s, a value of an environment variable is in it", name)
		}
	}
}
