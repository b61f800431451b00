package proxy

import (
	"net"

	"golang.org/x/sys/unix"
)

// arrived is how many bytes a connection has received; 0 when it is closed.
func arrived(c *net.TCPConn) (n int64) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			n = int64(info.Bytes_received)
			if info.State == unix.BPF_TCP_CLOSE_WAIT || info.State == unix.BPF_TCP_LAST_ACK {
				n-- // the kernel counts the other side's end as a byte
			}
		}
	})
	return n
}
