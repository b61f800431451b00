package inspect

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
)

func TestATitleIsMadeOfItsParts(t *testing.T) {
	f := &Finding{}
	f.Say("volume %s cannot be mounted.", "data")
	f.Why("access denied\nby server")
	f.Note("it has %s", "ebs.csi.aws.com")
	f.Also("pod x should bring it")
	f.Also("pod x should bring it")
	f.Add(", and does not run")
	f.Why("")
	if got, want := f.Title(), "volume data cannot be mounted: access denied by server (it has ebs.csi.aws.com); pod x should bring it, and does not run"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f.Become(codes.ClaimMissing, "PersistentVolumeClaim %s does not exist", "data")
	if f.Title() != "PersistentVolumeClaim data does not exist" ||
		f.Code != codes.ClaimMissing || f.Class != codes.ClaimMissing.Class {
		t.Errorf("%s %s %s", f.Code, f.Class, f.Title())
	}
}

// What was said first is cut, and no reason is lost.
func TestALongTitleKeepsItsReason(t *testing.T) {
	f := &Finding{}
	f.Say("%s", strings.Repeat("a long sentence ", 30))
	f.Why("permission denied")
	f.Also("Secret db does not exist")
	got := f.Title()
	if len(got) > TitleMost || !strings.HasSuffix(got, "…: permission denied; Secret db does not exist") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
