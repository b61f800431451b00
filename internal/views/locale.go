package views

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// SpeaksUTF8 reads the locale; UTF-8 is the default.
func SpeaksUTF8(env []string) bool {
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(uv.Environ(env).Getenv(key)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}
