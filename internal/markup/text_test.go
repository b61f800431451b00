package markup

import (
	"slices"
	"strings"
	"testing"
)

func TestACountStaysWithItsWord(t *testing.T) {
	for w, want := range map[int][]string{
		45: {"image registry.local/web:2.4.1 not found ×2"},
		42: {"image registry.local/web:2.4.1 not", "found ×2"},
		30: {"image registry.local/web:2.4.1", "not found ×2"},
	} {
		if got := Wrap("image registry.local/web:2.4.1 not found ×2", w); !slices.Equal(got, want) {
			t.Errorf("in %d cells: %q, want %q", w, got, want)
		}
	}
}

// What has gone wrong is kept for as long as there is room: where it is gives way first.
func TestASentenceIsShortenedAtItsPathsFirst(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"image registry.local/web:2.4.1 not found", 40, "image registry.local/web:2.4.1 not found"},
		{"image registry.local/web:2.4.1 not found", 39, "image …web:2.4.1 not found"},
		{"image registry.local/web:2.4.1 not found", 25, "image …eb:2.4.1 not found"},
		{"image registry.local/web:2.4.1 not found", 22, "image …2.4.1 not found"},
		{"image registry.local/web:2.4.1 not found", 21, "image …web:2.4.1 not…"},
		{"image registry.local/web:2.4.1 not found", 20, "image …web:2.4.1 no…"},
		{"tag 2.O does not exist in localhost:5000/shop/checkout", 40, "tag 2.O does not exist in …checkout"},
		{"tag 2.O does not exist in localhost:5000/shop/checkout", 28, "tag 2.O does not exist in …"},
		{"cannot read /etc/configuration/app.yaml from https://config.example.com/app", 60, "cannot read …app.yaml from https://config.example.com/app"},
		{"0/9 nodes are available: 9 Insufficient cpu", 20, "0/9 nodes are avail…"},
		{"1234567890/1234567890 of them", 20, "1234567890/12345678…"},
		{"see https://a.example.com/b/ for more", 20, "see https://a.examp…"},
		{"0/9 nodes are available: 9 Insufficient cpu", 29, "0/9 nodes are available: 9 …"},
		{"0/9 nodes are available: 9 Insufficient cpu", 36, "0/9 nodes are available: 9 Insuffic…"},
		{"waiting for the first answers", 25, "waiting for the first …"},
		{"» ImagePullBackOff", 8, "» Image…"},
		{"", 0, ""},
		{"x", 0, ""},
	} {
		if got := TruncateSentence(c.s, c.w); got != c.want {
			t.Errorf("%q in %d cells is %q, want %q", c.s, c.w, got, c.want)
		}
	}
}

func TestALineHasSingleBlanks(t *testing.T) {
	for _, s := range []string{"", " ", "a", "a b", " a", "a ", "a  b", "a\nb", "a\u00a0b", "a\tb ", "  ", "é ü", "a b "} {
		if got, want := OneLine(s), strings.Join(strings.Fields(s), " "); got != want {
			t.Errorf("OneLine(%q) is %q, want %q", s, got, want)
		}
	}
	if got := testing.AllocsPerRun(10, func() { OneLine("back-off pulling image") }); got > 0 {
		t.Errorf("a text that is one line takes %.0f allocations", got)
	}
}

// An image, a name or a selector that is longer than a line is broken between its parts.
func TestALongWordIsBrokenBehindASeparator(t *testing.T) {
	for text, want := range map[string][]string{
		"registry.example.com/payments/ledger:2024.11.29-rc1": {"registry.example.com/payments/", "ledger:2024.11.29-rc1"},
		"in app=ledger-reconciliation-service,tier=backend":   {"in app=ledger-reconciliation-", "service,tier=backend"},
		strings.Repeat("x", 33):                               {strings.Repeat("x", 32), "x"},
		"a-" + strings.Repeat("x", 40):                        {"a-" + strings.Repeat("x", 30), strings.Repeat("x", 10)},
		"quay.io/日本語/日本語日本語日本語:1.2.3":                         {"quay.io/日本語/日本語日本語日本", "語:1.2.3"},
	} {
		if got := Wrap(text, 32); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		for w := 2; w <= 60; w++ {
			whole := strings.ReplaceAll(strings.Join(Wrap(text, w), ""), " ", "")
			if whole != strings.ReplaceAll(text, " ", "") || Width(Wrap(text, w)[0]) > w {
				t.Errorf("%d cells: %q", w, Wrap(text, w))
			}
		}
	}
}

// A number that is cut is another one.
func TestARemarkInBracketsIsWholeOrNotThere(t *testing.T) {
	const s = "main exits 1 after 1s (1234 restarts)"
	for w := 24; w < len(s); w++ {
		if got := TruncateWords(s, w); strings.Contains(got, "(") || !strings.HasSuffix(got, Ellipsis) || Width(got) > w {
			t.Errorf("%d cells: %q", w, got)
		}
	}
	if got := TruncateWords("web (the first of three) cannot be reached", 32); got != "web (the first of three) cannot…" {
		t.Errorf("%q", got)
	}
}
