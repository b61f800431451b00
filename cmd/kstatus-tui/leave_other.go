//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package main

import "os"

// watchForQ does nothing on systems without FIONREAD: ctrl+c quits.
func watchForQ(*os.File, func()) (stop func()) { return func() {} }
