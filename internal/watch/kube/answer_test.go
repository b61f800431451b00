package kube

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
)

func TestWarningsAreBounded(t *testing.T) {
	warned := 0
	c := &Client{Warn: func(string) { warned++ }}
	for i := range 3 * warningsMost {
		c.HandleWarningHeader(299, "", fmt.Sprint("deprecated: ", i/2))
	}
	if warned != warningsMost {
		t.Errorf("%d warnings", warned)
	}
}

func TestTheErrorOfABrokenConnectionIsPlain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=41, ErrCode=NO_ERROR, debug=\"graceful_stop\""), "the server closed the connection"},
		{fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), "the connection broke off"},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "the connection broke off"},
		{&url.Error{Op: "Get", URL: "https://127.0.0.1:6443/api/v1/pods?watch=1", Err: errors.New("connect: connection refused")}, "connect: connection refused"},
	} {
		if got := ErrorText(c.err); got != c.want {
			t.Errorf("errorText(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}
