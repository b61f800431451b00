package object

import (
	"hash/maphash"
	"sync/atomic"
)

// The table of interned strings: kinds, namespaces, label keys, reasons and
// the like repeat over thousands of objects. It is a cache with one place per
// hash, so it needs no lock and cannot grow; a string that loses its place
// lives on in whoever holds it.
var (
	interned   [4096]atomic.Pointer[string]
	internSeed = maphash.MakeSeed()
)

// maxInterned is the longest string worth sharing.
const maxInterned = 80

// Intern returns a clean string with the contents of b that is shared with
// earlier callers where possible. It never keeps b.
func Intern(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxInterned {
		return Clean(string(b))
	}
	slot := &interned[maphash.Bytes(internSeed, b)%uint64(len(interned))]
	if p := slot.Load(); p != nil && *p == string(b) {
		return *p
	}
	if !isPlain(b) {
		return Clean(string(b))
	}
	s := string(b)
	slot.Store(&s)
	return s
}

// InternString is Intern for a string, which is not kept when it is part of
// something larger.
func InternString(s string) string {
	if len(s) == 0 {
		return ""
	}
	if len(s) > maxInterned {
		return Clean(string([]byte(s)))
	}
	slot := &interned[maphash.String(internSeed, s)%uint64(len(interned))]
	if p := slot.Load(); p != nil && *p == s {
		return *p
	}
	if !isPlain(s) {
		return Clean(string([]byte(s)))
	}
	c := string([]byte(s))
	slot.Store(&c)
	return c
}

// statements is the same for what conditions say.
var statements [1024]atomic.Pointer[Statement]

// Shared is the statement as earlier callers have it, where possible. It is not
// to be written to.
func (s Statement) Shared() *Statement {
	h := maphash.String(internSeed, s.Type) + 3*maphash.String(internSeed, s.Reason) + 5*uint64(len(s.Status)) + 7*uint64(len(s.Message))
	slot := &statements[h%uint64(len(statements))]
	if p := slot.Load(); p != nil && *p == s {
		return p
	}
	p := new(s)
	slot.Store(p)
	return p
}
