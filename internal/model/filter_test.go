package model

import (
	"strings"
	"testing"
)

func TestAPartIsFoundWhateverItsLettersAreLike(t *testing.T) {
	for _, have := range []string{"", "a", "Pod", "web-7c88b", "ImagePullBackOff", "Größe", "ÀÉ", "CrashLoopBackOff", "İstanbul"} {
		for _, part := range []string{"", "a", "o", "pod", "back", "7c8", "größe", "àé", "ff", "offf", "-", "i", "loopback", "podx"} {
			if got, want := contains(have, part), strings.Contains(strings.ToLower(have), part); got != want {
				t.Errorf("%q in %q: %v, want %v", part, have, got, want)
			}
		}
	}
}
