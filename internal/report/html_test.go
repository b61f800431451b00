package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// hostileText would be markup, a script, a command of a CI system or an address to
// load.
const hostileText = `</title></style><script>alert(1)</script><img src=https://evil.example.com/x onerror=alert(1)> "' ##vso[task.complete] url(https://evil.example.com)`

// hostileFacts is a model with one Failed object that says hostileText.
func hostileFacts(t *testing.T) *model.Model {
	t.Helper()
	id := object.ID{Kind: "Pod", Namespace: "shop", Name: "web"}
	m, _ := model.New(model.Options{
		Now: t0, Namespace: "shop", Sources: []string{hostileText}, Context: hostileText,
		Judge: func(*object.Object, status.World, time.Time) status.Assessment {
			return status.Assessment{Status: status.Failed, Reason: "Bad", Message: hostileText, Rule: "x", Deciding: -1}
		},
	})
	for i := range 3 {
		m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
			Seq: uint64(i + 1), At: t0.Add(time.Duration(i+1) * time.Second), Synced: true, Answered: 9,
			Roots:   []feed.Root{{ID: id, Source: hostileText, Order: 1}},
			Objects: []*object.Object{{ID: id, UID: "u", ResourceVersion: string(rune('1' + i)), Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False", Reason: "Bad", Message: hostileText}}}}},
		}})
	}
	return m.Explained()
}

// The page is well formed and loads nothing, whatever a cluster says.
func TestTheHTMLReportIsSelfContainedAndEscaped(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, hostileFacts(t).Facts, "kstatus-tui test"); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.Contains(text, "&lt;script&gt;") {
		t.Fatalf("the message is not on the page:\n%s", text)
	}
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	styles := 0
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch element.Name.Local {
		case "script", "img", "iframe", "link", "object", "embed", "base", "form", "a":
			t.Errorf("the page has <%s>", element.Name.Local)
		case "style":
			styles++
		}
		for _, attr := range element.Attr {
			if name := strings.ToLower(attr.Name.Local); strings.HasPrefix(name, "on") || name == "src" || name == "href" || name == "style" {
				t.Errorf("<%s %s=%q>", element.Name.Local, name, attr.Value)
			}
		}
	}
	style := regexp.MustCompile(`(?s)<style>.*</style>`).FindString(text)
	if styles != 1 || strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Errorf("%d styles, or one that loads something", styles)
	}
	if strings.Contains(text, "##vso[") {
		t.Error("a command of a CI system is on the page")
	}
}

// A lane's parts follow each other and end with it.
func TestTheTimelinesPartsFillTheirLane(t *testing.T) {
	f := newFilm("a", "b")
	f.becomes(2*time.Second, "a", status.InProgress)
	f.becomes(6*time.Second, "a", status.Current)
	f.becomes(8*time.Second, "b", status.Failed)
	lanes, ticks, more := htmlTimeline(f.m.Facts)
	if len(lanes) != 2 || more != 0 || len(ticks) != 5 || ticks[4].Text != "8s" {
		t.Fatalf("%d lanes, %d more, ticks %v", len(lanes), more, ticks)
	}
	for _, lane := range lanes {
		at := lane.Parts[0].Left
		for _, part := range lane.Parts {
			if part.Left != at {
				t.Errorf("%s: a part begins at %g, want %g", lane.Name, part.Left, at)
			}
			at = part.Left + part.Width
		}
		if at != 100 {
			t.Errorf("%s ends at %g", lane.Name, at)
		}
	}
	last := lanes[0].Parts[len(lanes[0].Parts)-1]
	if lanes[0].Name != "ConfigMap/a" || last.Status != status.Current || last.Left != 75 {
		t.Errorf("%s ends with %+v", lanes[0].Name, last)
	}
}

// A card says what it blocks, and a row says nothing twice.
func TestTheHTMLReportListsTheBlockedObjectsOfACause(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, shop(t).Facts, "kstatus-tui test"); err != nil {
		t.Fatal(err)
	}
	card, _, _ := strings.Cut(b.String(), "<details><summary>Proof")
	if !strings.Contains(card, "<p>Blocks Deployment/web</p>") {
		t.Errorf("the first card:\n%s", card)
	}
}
