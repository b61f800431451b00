package object

import "testing"

// What a field with a name and a key holds is only kept where it selects a key: it may be the key itself.
func TestAFieldThatSelectsAKeyOfASecretIsToldFromOneThatHoldsAKey(t *testing.T) {
	for _, c := range []struct {
		field string
		value map[string]any
		want  bool
	}{
		{"masterUserPassword", map[string]any{"name": "db", "key": "password"}, true},
		{"caCertificate", map[string]any{"name": "ca", "key": "ca.crt", "namespace": "a", "optional": true}, true},
		{"accessToken", map[string]any{"name": "t", "key": "ACCESS_TOKEN"}, true},
		{"tsig", map[string]any{"name": "ddns", "key": "secret"}, false},
		{"tsigSecret", map[string]any{"name": "ddns", "key": "c2VjcmV0LWtleS1tYXRlcmlhbA=="}, false},
		{"tsigSecret", map[string]any{"name": "ddns", "key": "AbCdEfGh"}, false},
		{"password", map[string]any{"name": "db", "key": "password", "value": "hunter2"}, false},
		{"password", map[string]any{"name": "db"}, false},
	} {
		if got := SelectsSecretKey(c.field, c.value); got != c.want {
			t.Errorf("%s %v: %v", c.field, c.value, got)
		}
	}
}
