package general

import "testing"

func TestAnAddressThatCannotBeUsedIsToldFromOneThatCan(t *testing.T) {
	for text, want := range map[string]bool{
		"https://vault.vault.svc:8200":        true,
		"https://vault.vault.svc:8200/v1?a=b": true,
		"http://[fd00::1]:8200":               true,
		"https://10.0.0.1":                    true,
		"https://{{ .host }}::8200":           true, // somebody else fills it in
		"https://vault.vault.svc::8200":       false,
		"https://vault.vault.svc:82o0":        false,
		"https://":                            false,
		"https://:8200":                       false,
		"http://sr-0:8081,http://sr-1:8081":   true, // a list
		"https://wiki: see the runbook":       true, // a sentence
		"http://%HOST%/y":                     true,
	} {
		if got := valid(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
