//go:build !linux

package proxy

import "net"

// arrived is not known here.
func arrived(*net.TCPConn) int64 { return 0 }
