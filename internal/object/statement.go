package object

import (
	"hash/maphash"
	"sync/atomic"
)

// statements caches statements, of which thousands are equal. It has one place
// per hash, so it needs no lock and cannot grow.
var (
	statements    [1024]atomic.Pointer[Statement]
	statementSeed = maphash.MakeSeed()
)

// Shared returns an equal statement from the cache, if possible. It must not be
// modified.
func (s Statement) Shared() *Statement {
	h := maphash.String(statementSeed, s.Type) + 3*maphash.String(statementSeed,
		s.Reason) + 5*uint64(len(s.Status)) + 7*uint64(len(s.Message))
	slot := &statements[h%uint64(len(statements))]
	if p := slot.Load(); p != nil && *p == s {
		return p
	}
	p := new(s)
	slot.Store(p)
	return p
}
