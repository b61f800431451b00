package world

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var began = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return began.Add(d) }

func aDeployment() *object.Object {
	return &object.Object{ID: object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}
}
