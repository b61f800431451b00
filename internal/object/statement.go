package object

import (
	"hash/maphash"
	"sync/atomic"
)

// statements is what conditions have said lately: thousands of objects say the same.
// It is a cache with one place for each hash, so it needs no lock and cannot grow.
var (
	statements    [1024]atomic.Pointer[Statement]
	statementSeed = maphash.MakeSeed()
)

// Shared is the statement as earlier callers have it, where possible. It is not
// to be written to.
func (s Statement) Shared() *Statement {
	h := maphash.String(statementSeed, s.Type) + 3*maphash.String(statementSeed, s.Reason) + 5*uint64(len(s.Status)) + 7*uint64(len(s.Message))
	slot := &statements[h%uint64(len(statements))]
	if p := slot.Load(); p != nil && *p == s {
		return p
	}
	p := new(s)
	slot.Store(p)
	return p
}
