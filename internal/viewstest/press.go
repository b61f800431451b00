// Package viewstest holds what tests of the screen and of the program share.
package viewstest

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Press is the message for a key: "j", "G", "down", "ctrl+d", "space".
func Press(name string) tea.KeyPressMsg {
	var k tea.Key
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			k.Mod, name = k.Mod|mod, rest
		}
	}
	named := map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	}
	if code, ok := named[name]; ok {
		k.Code = code
		return tea.KeyPressMsg(k)
	}
	if name == "space" {
		name = " "
	}
	k.Code, _ = utf8.DecodeRuneInString(name)
	if k.Mod == 0 {
		k.Text = name
	}
	return tea.KeyPressMsg(k)
}
