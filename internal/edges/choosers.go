package edges

import (
	"iter"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Choosers finds the owners whose plain selector (matchLabels, as a Service's) selects an
// object, without trying every selector on every object: each is filed under one of its
// labels. The zero value is ready to use. It is not safe for concurrent use.
type Choosers[T comparable] struct {
	choices map[T]choice
	filed   map[filedLabel]map[T]struct{}
}

type choice struct {
	namespace string
	selector  object.Selector
}

type filedLabel struct {
	namespace string
	label     object.Label
}

// filedUnder is the first label of the selector. A selector of none selects nothing.
func (c choice) filedUnder() filedLabel { return filedLabel{c.namespace, c.selector.Match[0]} }

// Set notes what an owner selects in a namespace now, instead of what it selected before.
func (c *Choosers[T]) Set(owner T, namespace string, selector object.Selector) {
	if old, ok := c.choices[owner]; ok {
		if old.namespace == namespace && slices.Equal(old.selector.Match, selector.Match) {
			return
		}
		c.Delete(owner)
	}
	if len(selector.Match) == 0 {
		return
	}
	if c.choices == nil {
		c.choices, c.filed = map[T]choice{}, map[filedLabel]map[T]struct{}{}
	}
	made := choice{namespace, selector}
	c.choices[owner] = made
	if c.filed[made.filedUnder()] == nil {
		c.filed[made.filedUnder()] = map[T]struct{}{}
	}
	c.filed[made.filedUnder()][owner] = struct{}{}
}

// Delete forgets an owner. It may be unknown.
func (c *Choosers[T]) Delete(owner T) {
	old, ok := c.choices[owner]
	if !ok {
		return
	}
	delete(c.choices, owner)
	if delete(c.filed[old.filedUnder()], owner); len(c.filed[old.filedUnder()]) == 0 {
		delete(c.filed, old.filedUnder())
	}
}

// Of are the owners that select an object, in no order.
func (c *Choosers[T]) Of(o *object.Object) iter.Seq[T] {
	return func(yield func(T) bool) {
		if len(c.choices) == 0 {
			return
		}
		for _, label := range o.Labels {
			for owner := range c.filed[filedLabel{o.Namespace, label}] {
				if Selects(c.choices[owner].selector, o) && !yield(owner) {
					return
				}
			}
		}
	}
}

// In are the owners that select anything in a namespace, in no order.
func (c *Choosers[T]) In(namespace string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for owner, made := range c.choices {
			if made.namespace == namespace && !yield(owner) {
				return
			}
		}
	}
}
