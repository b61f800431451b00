package mask

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestKeysLookSecretByTheirWords(t *testing.T) {
	for list, want := range map[string]bool{
		`password adminPassword db-password DB_PASSWORD Passwd root_password2 rootpassword userPass DBPASS passphrase
		 token apiToken API_TOKEN token_prod accessTokens bearerToken authtoken tokenId example.com/token
		 secret clientSecret client-secret clientsecret secretData sharedSecret webhookSecrets
		 credentials creds awsCredentials credentialsJson apiKey APIKey api-key apikey x-api-keys accessKey secretAccessKey accessKeyID
		 secretKey privateKey private_key privateKeyPem signingKey encryptionKey client-key-data stringData connectionString htpasswd .dockerconfigjson`: true,
		`secretRef secretName secretNames tokenSecretRef passwordSecretKeyRef secretKeyRef secretKeySelector imagePullSecretName existingSecret imagePullSecret pullSecrets
		 passwordKey tokenKey secretNamespace secretStoreRef secretTemplate secretType tokenExpirationSeconds tokenTTL token-path tokenUrl
		 passwordPolicy passwordLastChangedTime tokenAudience cert-manager.io/private-key-secret-name privateKeyAlgorithm
		 name key keys value data user username author broken passenger keyboard monkey status compassion tokenizer secretariat`: false,
	} {
		for key := range strings.FieldsSeq(list) {
			if got := LooksSecret(key); got != want {
				t.Errorf("%s: %v, want %v", key, got, want)
			}
		}
	}
}

// masks wants v to become want; both are JSON.
func masks(t *testing.T, v, want string) {
	t.Helper()
	var a, b, before any
	if err := errors.Join(json.Unmarshal([]byte(v), &a), json.Unmarshal([]byte(v), &before), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatal(err)
	}
	got, changed := Value(a)
	if !reflect.DeepEqual(got, b) || changed != !reflect.DeepEqual(a, b) {
		text, _ := json.Marshal(got)
		t.Errorf("%s\n becomes %s\n want    %s (changed %v)", v, text, want, changed)
	}
	if !reflect.DeepEqual(a, before) {
		t.Errorf("%s was changed itself", v)
	}
	if _, again := Value(got); again {
		t.Errorf("%s changes once more", v)
	}
}

func TestValuesUnderKeysThatLookSecretAreMasked(t *testing.T) {
	masks(t, `{"password":"x","pin":"1"}`, `{"password":"***","pin":"1"}`)
	masks(t, `{"password":12345,"token":true,"secret":"","apiKey":null}`,
		`{"password":"***","token":true,"secret":"","apiKey":null}`)
	masks(t, `{"maxTokens":4096,"tokenExpirationSeconds":3600,"automountServiceAccountToken":true}`,
		`{"maxTokens":4096,"tokenExpirationSeconds":3600,"automountServiceAccountToken":true}`)
	masks(t, `{"passwords":["x",{"a":["y",7]}],"n":[{"token":"x"}]}`,
		`{"passwords":["***",{"a":["***","***"]}],"n":[{"token":"***"}]}`)
	masks(t, `{"credentials":{"a":"x","secretRef":{"name":"db","key":"password"},"type":"basic"}}`,
		`{"credentials":{"a":"***","secretRef":{"name":"db","key":"password"},"type":"basic"}}`)
	masks(t, `{"apiKeys":[{"name":"ci","key":"x"}]}`, `{"apiKeys":[{"name":"ci","key":"***"}]}`)
	masks(t, `{"privateKey":{"algorithm":"RSA","size":2048,"rotationPolicy":"Always"}}`,
		`{"privateKey":{"algorithm":"RSA","size":2048,"rotationPolicy":"Always"}}`)
	masks(t, `{"volumes":[{"secret":{"secretName":"db","defaultMode":420,"items":[{"key":"password","path":"p"}]}}]}`,
		`{"volumes":[{"secret":{"secretName":"db","defaultMode":420,"items":[{"key":"password","path":"p"}]}}]}`)
	masks(t, `{"imagePullSecrets":[{"name":"registry"}],"valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}`,
		`{"imagePullSecrets":[{"name":"registry"}],"valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}`)
	masks(t, `{"env":[{"name":"DB_PASSWORD","value":"x"},{"name":"COLOUR","value":"red"}],"parameters":[{"name":"db.token","value":7}]}`,
		`{"env":[{"name":"DB_PASSWORD","value":"***"},{"name":"COLOUR","value":"red"}],"parameters":[{"name":"db.token","value":"***"}]}`)
	masks(t, `{"manifests":[{"kind":"Secret","metadata":{"name":"s"},"data":{"a":"x"},"stringData":{"b":"x"}}]}`,
		`{"manifests":[{"kind":"Secret","metadata":{"name":"s"},"data":{"a":"***"},"stringData":{"b":"***"}}]}`)
	masks(t, `{"args":["--db-password=x","--level=3"]}`, `{"args":["--db-password=***","--level=3"]}`)
	masks(t, `{"args":["--token","x","y","--no-token","--level","3","-db-password","z"]}`,
		`{"args":["--token","***","y","--no-token","--level","3","-db-password","***"]}`)
	masks(t, `{"command":["app","--token-file","/run/t","--tls-secret-name","s"]}`,
		`{"command":["app","--token-file","/run/t","--tls-secret-name","s"]}`)
	masks(t, `{"message":"password=x","phase":"the password: is wrong"}`,
		`{"message":"password=x","phase":"the password: is wrong"}`)
}

func TestTextsThatHoldSecretsAreMaskedInside(t *testing.T) {
	for text, want := range map[string]string{
		`{"spec":{"password":"x","n":1.50,"t":"<a>"}}`:                                `{"spec":{"n":1.50,"password":"***","t":"<a>"}}`,
		`{"a":"{\"b\":\"{\\\"token\\\":\\\"x\\\"}\"}"}`:                               `{"a":"{\"b\":\"{\\\"token\\\":\\\"***\\\"}\"}"}`,
		"user: me\npassword: x\nport: 1\n":                                            "user: me\npassword: ***\nport: 1\n",
		"auth:\n  - token: |\n      x\n      y\n    ttl: 5\n":                         "auth:\n  - token: |\n      ***\n      ***\n    ttl: 5\n",
		"credentials:\n  a: x\n\n  b: y\nnext: z\n":                                   "credentials:\n  ***\n\n  ***\nnext: z\n",
		"tokens:\n- x\n- y\nnext: z\n":                                                "tokens:\n***\n***\nnext: z\n",
		"A=1\nexport DB_PASSWORD=x\n\"api_key\": \"x\",\n":                            "A=1\nexport DB_PASSWORD=***\n\"api_key\": ***\n",
		"env:\n- name: DB_TOKEN\n  value: x\n- name: A\n  value: b\n":                 "env:\n- name: DB_TOKEN\n  value: ***\n- name: A\n  value: b\n",
		"secretName: db\nautomountServiceAccountToken: true\nsecretRef:\n  name: a\n": "secretName: db\nautomountServiceAccountToken: true\nsecretRef:\n  name: a\n",
		`{"a": 1, "password": "x`:                                                     `***`,
		"a: 1⏎b:⏎  password: x⏎c: 2":                                                  "a: 1⏎b:⏎  password: ***⏎c: 2",
		`{"password": not JSON`:                                                       `***`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q\n becomes %q\n want    %q", text, got, want)
		}
	}
}

// Deep, wide and odd input neither panics nor takes for ever.
func TestAHostileTreeIsMasked(t *testing.T) {
	var v any = map[string]any{"pass_word": "kept", "PASSWORD": "canary"}
	for range 2000 {
		v = map[string]any{"a": []any{v}, "": "x", "ключ": "y", "--": "z"}
	}
	got, changed := Value(v)
	if text := fmt.Sprint(got); !changed || strings.Contains(text, "canary") {
		t.Error("a secret deep below is left")
	}
	Text(strings.Repeat("- token: |\n  ", 20_000))
	Text(`{"a":` + strings.Repeat("[", 20_000))
}

// The list in the documentation is the one that is used.
func TestTheWordsOfSecretsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(secretWords + " " + aboutSecrets + " " + secretNames) {
		if !strings.Contains(string(text), "`"+word+"`") {
			t.Errorf("docs/recording.md does not name `%s`", word)
		}
	}
}
