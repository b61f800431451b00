package tui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// colours are what a theme depends on.
type colours struct {
	name    string
	dark    bool
	profile colorprofile.Profile
}

// dress makes the theme anew when the user or the terminal has changed it. The
// name has been validated. Without colours, bold and reversed text take their
// place; of sixteen, which the terminal's user has chosen, the theme for them is
// made: the nearest ones of another would be the same for text and background.
func (p *program) dress() {
	c := colours{cmp.Or(p.m.Display.Theme(), "auto"), p.m.Display.Dark(), p.profile}
	if p.theme != nil && c == p.colours {
		return
	}
	p.colours = c
	name, base := c.name, cmp.Or(p.opts.Themes[c.name].Base, c.name)
	dark := c.dark && base != "light" || base == "dark" // also of the theme in its place
	switch {
	case base == "ascii" || c.profile == colorprofile.Unknown:
	case c.profile <= colorprofile.ASCII:
		name = "mono"
	case c.profile == colorprofile.ANSI && name != "mono":
		name = "ansi"
	}
	themes := views.Themes{User: p.opts.Themes, Few: c.profile == colorprofile.ANSI256}
	th, err := themes.New(name, dark, p.opts.ASCII)
	if err != nil {
		return
	}
	th.ASCIILocale = !views.SpeaksUTF8(p.opts.Env)
	p.theme, p.stale = th, true
}

// colourless reports whether the user wants no colours (no-color.org: whatever its value;
// Bubble Tea takes "yes" for unset), or a terminal has none: colorprofile expects sixteen
// of every terminal that it does not know.
func colourless(env []string) bool {
	e := uv.Environ(env)
	name, _, _ := strings.Cut(e.Getenv("TERM"), "-")
	switch {
	case e.Getenv("NO_COLOR") != "":
		return true
	case e.Getenv("COLORTERM") != "":
		return false
	case strings.HasSuffix(e.Getenv("TERM"), "-mono"):
		return true
	}
	return slices.Contains([]string{"vt52", "vt100", "vt102", "vt220", "vt320", "vt420"}, name)
}

func (p *program) look() views.Look {
	look := views.Look{Theme: p.theme}
	if p.turning {
		look.Waiting = p.spinner.View()
	}
	return look
}
