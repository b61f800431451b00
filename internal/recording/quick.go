package recording

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What most of a large file consists of (pods with their containers and
// conditions, counters of workloads, what is remembered of each object) is read
// without reflection: somebody waits for it, and it takes half the time. Members
// that are not named here are left to reflection, so a field that is added to
// package status is read without a word here. A test holds that both ways read the
// same.

// quickReader is the quick way to read a type, nil where there is none.
func quickReader(t reflect.Type) reader {
	switch t {
	case reflect.TypeFor[[]object.Label]():
		return quick(readLabels)
	case reflect.TypeFor[[]object.Owner]():
		return quick(readOwners)
	case reflect.TypeFor[[]object.Condition]():
		return quick(readConditions)
	case reflect.TypeFor[*object.Pod]():
		return quick(readPod)
	case reflect.TypeFor[*object.Workload]():
		return quick(readWorkload)
	case reflect.TypeFor[[]feed.Remembered]():
		return quick(readRemembered)
	case reflect.TypeFor[[]feed.Transition]():
		return quick(readHistory)
	case reflect.TypeFor[[]feed.Event]():
		return quick(readEvents)
	case reflect.TypeFor[[]feed.Root]():
		return quick(readRoots)
	}
	return nil
}

func quick[T any](read func(p *parser, dst *T) error) reader {
	return func(p *parser, dst reflect.Value) error { return read(p, dst.Addr().Interface().(*T)) }
}

// members reads the members of an object that take knows, and the others as the
// shape of T has them.
func members[T any](p *parser, dst *T, take func(p *parser, dst *T, key []byte) (known bool, err error)) error {
	if p.peek() == 'n' {
		*dst = *new(T)
		return p.word("null")
	}
	if p.peek() != '{' {
		return p.mismatch("an object")
	}
	if err := p.open(); err != nil {
		return err
	}
	var rest filling
	for first := true; ; first = false {
		key, more, err := p.field(first)
		if !more || err != nil {
			return err
		}
		known, err := take(p, dst, key)
		switch {
		case !known:
			if rest.shape == nil {
				rest = shapeOf(reflect.TypeFor[T]()).begin(reflect.ValueOf(dst).Elem())
			}
			err = rest.member(p, key)
		case err != nil:
			err = within(key, err)
		}
		if err != nil {
			return err
		}
	}
}

// fresh gives dst an object of its own for what is read next, a copy of what it
// pointed at; false where that is null.
func fresh[T any](p *parser, dst **T) (bool, error) {
	if p.peek() == 'n' {
		*dst = nil
		return false, p.word("null")
	}
	return true, own(p, dst)
}

// own gives dst an object of its own, a copy of what it pointed at.
func own[T any](p *parser, dst **T) error {
	if err := p.make(int(reflect.TypeFor[T]().Size())); err != nil {
		return err
	}
	v := new(T)
	if *dst != nil {
		*v = **dst
	}
	*dst = v
	return nil
}

// list is listReader's for a type that is known.
func list[T any](p *parser, dst *[]T, linked bool, elem func(p *parser, dst *T) error) error {
	size := int(reflect.TypeFor[T]().Size())
	switch p.peek() {
	case 'n':
		*dst = nil
		return p.word("null")
	case '{':
		if len(*dst) == 0 {
			break
		}
		if err := p.make(len(*dst) * size); err != nil {
			return err
		}
		fresh := make([]T, len(*dst))
		copy(fresh, *dst)
		*dst = fresh
		return p.fields(func(key []byte) error {
			i, err := strconv.Atoi(string(key))
			if err != nil || i < 0 || i >= len(fresh) {
				return fmt.Errorf("there is no element %.20s", key)
			}
			return elem(p, &fresh[i])
		})
	}
	if p.peek() != '[' {
		return p.mismatch("a list")
	}
	n, whole := p.guess()
	if linked && !whole {
		n = max(n, partObjects)
	}
	fresh := make([]T, 0, n)
	err := p.elements(func(i int) error {
		if err := p.make(size); err != nil {
			return err
		}
		if linked && i > 0 {
			fresh = append(fresh, fresh[i-1])
		} else {
			fresh = append(fresh, *new(T))
		}
		return elem(p, &fresh[i])
	})
	*dst = fresh
	return err
}

// What follows reads one value each, or null for a zero.

func (p *parser) string(dst *string) error {
	if p.peek() == 'n' {
		*dst = ""
		return p.word("null")
	}
	s, err := p.str()
	*dst = s
	return err
}

func (p *parser) truth(dst *bool) error {
	switch p.peek() {
	case 'n':
		*dst = false
		return p.word("null")
	case 't':
		*dst = true
		return p.word("true")
	case 'f':
		*dst = false
		return p.word("false")
	}
	return p.mismatch("true or false")
}

func whole[N int | int32 | int64](p *parser, dst *N) error {
	if p.peek() == 'n' {
		*dst = 0
		return p.word("null")
	}
	n, err := p.integer()
	if *dst = N(n); err == nil && int64(*dst) != n {
		err = fmt.Errorf("%d is out of range", n)
	}
	return err
}

func (p *parser) optional(dst *object.Int) error {
	if p.peek() == 'n' {
		*dst = object.Int{}
		return p.word("null")
	}
	n, err := p.integer()
	if err == nil {
		*dst = object.IntOf(n)
	}
	return err
}

func (p *parser) when(dst *time.Time) error {
	if p.peek() == 'n' {
		*dst = time.Time{}
		return p.word("null")
	}
	b, err := p.text()
	if err != nil {
		return err
	}
	t, err := p.moment(b)
	if err == nil {
		*dst = t
	}
	return err
}

func idMember(p *parser, id *object.ID, key []byte) (bool, error) {
	if part := partOf(id, key); part != nil {
		return true, p.string(part)
	}
	return false, nil
}

func (p *parser) id(dst *object.ID) error { return members(p, dst, idMember) }

func objectMember(p *parser, o *object.Object, key []byte) (bool, error) {
	switch string(key) {
	case "group":
		return true, p.string(&o.Group)
	case "kind":
		return true, p.string(&o.Kind)
	case "namespace":
		return true, p.string(&o.Namespace)
	case "name":
		return true, p.string(&o.Name)
	case "version":
		return true, p.string(&o.Version)
	case "uid":
		return true, p.string(&o.UID)
	case "resourceVersion":
		return true, p.string(&o.ResourceVersion)
	case "created":
		return true, p.when(&o.Created)
	case "changed":
		return true, p.when(&o.Changed)
	case "written":
		return true, p.when(&o.Written)
	case "owners":
		return true, readOwners(p, &o.Owners)
	case "labels":
		return true, readLabels(p, &o.Labels)
	case "conditions":
		return true, readConditions(p, &o.Conditions)
	case "pod":
		return true, readPod(p, &o.Pod)
	case "workload":
		return true, readWorkload(p, &o.Workload)
	}
	return false, nil
}

func readLabels(p *parser, dst *[]object.Label) error {
	return list(p, dst, false, func(p *parser, l *object.Label) error {
		if p.peek() == 'n' {
			*l = object.Label{}
			return p.word("null")
		}
		if p.peek() != '[' {
			return p.mismatch("a pair")
		}
		n := 0
		err := p.elements(func(i int) (err error) {
			switch n++; i {
			case 0:
				l.Key, err = p.str()
			case 1:
				l.Value, err = p.str()
			default:
				err = p.mismatch("the end of a pair")
			}
			return err
		})
		if err == nil && n != 2 {
			err = errPair
		}
		return err
	})
}

func readOwners(p *parser, dst *[]object.Owner) error {
	return list(p, dst, false, func(p *parser, o *object.Owner) error {
		return members(p, o, func(p *parser, o *object.Owner, key []byte) (bool, error) {
			switch string(key) {
			case "group":
				return true, p.string(&o.Group)
			case "kind":
				return true, p.string(&o.Kind)
			case "name":
				return true, p.string(&o.Name)
			case "uid":
				return true, p.string(&o.UID)
			case "controller":
				return true, p.truth(&o.Controller)
			}
			return false, nil
		})
	})
}

func readConditions(p *parser, dst *[]object.Condition) error {
	return list(p, dst, false, readCondition)
}

func readCondition(p *parser, c *object.Condition) error {
	if p.peek() == 'n' {
		*c = object.Condition{}
		if err := p.word("null"); err != nil {
			return err
		}
		return own(p, &c.Statement) // it says nothing, but nobody has to look for that
	}
	owned := false // what it says is its own, and not what many share
	say := func() (s *object.Statement, err error) {
		if !owned {
			owned, err = true, own(p, &c.Statement)
		}
		return c.Statement, err
	}
	err := members(p, c, func(p *parser, c *object.Condition, key []byte) (bool, error) {
		if string(key) == "lastTransitionTime" {
			return true, p.when(&c.LastTransitionTime)
		}
		if !statementKey(key) {
			return false, nil
		}
		s, err := say()
		if err != nil {
			return true, err
		}
		switch string(key) {
		case "type":
			err = p.string(&s.Type)
		case "status":
			err = p.string(&s.Status)
		case "reason":
			err = p.string(&s.Reason)
		case "message":
			err = p.string(&s.Message)
		case "lastUpdateTime":
			err = p.when(&s.LastUpdateTime)
		case "observedGeneration":
			err = p.optional(&s.ObservedGeneration)
		case "severity":
			err = p.string(&s.Severity)
		}
		return true, err
	})
	if err == nil && c.Statement == nil {
		_, err = say()
	}
	if err == nil && owned {
		c.Statement = c.Statement.Shared()
	}
	return err
}

func statementKey(key []byte) bool {
	switch string(key) {
	case "type", "status", "reason", "message", "lastUpdateTime", "observedGeneration", "severity":
		return true
	}
	return false
}

func readPod(p *parser, dst **object.Pod) error {
	if there, err := fresh(p, dst); !there || err != nil {
		return err
	}
	pod := *dst
	err := members(p, pod, func(p *parser, pod *object.Pod, key []byte) (bool, error) {
		switch string(key) {
		case "phase":
			return true, p.string(&pod.Phase)
		case "node":
			return true, p.string(&pod.Node)
		case "started":
			return true, p.when(&pod.Started)
		case "containers":
			return true, readContainers(p, &pod.Containers)
		}
		return false, nil
	})
	if err == nil && pod.PodTemplate == nil {
		err = own(p, &pod.PodTemplate)
	}
	return err
}

func readContainers(p *parser, dst *[]object.Container) error {
	return list(p, dst, false, func(p *parser, c *object.Container) error {
		if p.peek() == 'n' {
			*c = object.Container{}
			if err := p.word("null"); err != nil {
				return err
			}
			return own(p, &c.ContainerSpec)
		}
		err := members(p, c, containerMember)
		if err == nil && c.ContainerSpec == nil {
			err = own(p, &c.ContainerSpec)
		}
		return err
	})
}

func containerMember(p *parser, c *object.Container, key []byte) (bool, error) {
	switch string(key) {
	case "state":
		return true, p.state(&c.State)
	case "last":
		there, err := fresh(p, &c.Prior)
		if there && err == nil {
			err = p.state(c.Prior)
		}
		return true, err
	case "restarts":
		return true, whole(p, &c.Restarts)
	case "place":
		return true, whole(p, &c.Place)
	case "ready":
		return true, p.truth(&c.Ready)
	case "started":
		return true, p.truth(&c.Started)
	}
	return false, nil
}

func (p *parser) state(dst *object.ContainerState) error {
	return members(p, dst, func(p *parser, s *object.ContainerState, key []byte) (bool, error) {
		switch string(key) {
		case "kind":
			return true, p.string(&s.Kind)
		case "reason":
			return true, p.string(&s.Reason)
		case "message":
			return true, p.string(&s.Message)
		case "exitCode":
			return true, whole(p, &s.ExitCode)
		case "started":
			return true, p.when(&s.Started)
		case "finished":
			return true, p.when(&s.Finished)
		}
		return false, nil
	})
}

func readWorkload(p *parser, dst **object.Workload) error {
	if there, err := fresh(p, dst); !there || err != nil {
		return err
	}
	return members(p, *dst, func(p *parser, w *object.Workload, key []byte) (bool, error) {
		switch string(key) {
		case "replicas":
			return true, p.optional(&w.Replicas)
		case "statusReplicas":
			return true, p.optional(&w.StatusReplicas)
		case "updated":
			return true, p.optional(&w.Updated)
		case "ready":
			return true, p.optional(&w.Ready)
		case "available":
			return true, p.optional(&w.Available)
		case "selector":
			return true, members(p, &w.Selector, func(p *parser, s *object.Selector, key []byte) (bool, error) {
				if string(key) == "match" {
					return true, readLabels(p, &s.Match)
				}
				return false, nil
			})
		}
		return false, nil
	})
}

func readRemembered(p *parser, dst *[]feed.Remembered) error {
	return list(p, dst, true, func(p *parser, r *feed.Remembered) error { return members(p, r, rememberedMember) })
}

func rememberedMember(p *parser, r *feed.Remembered, key []byte) (bool, error) {
	switch string(key) {
	case "seen":
		return true, whole(p, &r.Seen)
	case "status":
		return true, p.string((*string)(&r.Status))
	case "reason":
		return true, p.string(&r.Reason)
	case "since":
		return true, whole(p, &r.Since)
	case "fault":
		return true, whole(p, &r.Fault)
	case "changed":
		return true, whole(p, &r.Changed)
	case "moved":
		return true, whole(p, &r.Moved)
	case "current":
		return true, whole(p, &r.Current)
	case "took":
		return true, whole(p, &r.Took)
	case "lost":
		return true, whole(p, &r.Lost)
	case "lostAt":
		return true, whole(p, &r.LostAt)
	}
	return idMember(p, &r.ID, key)
}

func readHistory(p *parser, dst *[]feed.Transition) error {
	return list(p, dst, true, func(p *parser, t *feed.Transition) error {
		return members(p, t, func(p *parser, t *feed.Transition, key []byte) (bool, error) {
			switch string(key) {
			case "at":
				return true, p.when(&t.At)
			case "id":
				return true, p.id(&t.ID)
			case "from":
				return true, p.string((*string)(&t.From))
			case "to":
				return true, p.string((*string)(&t.To))
			case "reason":
				return true, p.string(&t.Reason)
			case "message":
				return true, p.string(&t.Message)
			}
			return false, nil
		})
	})
}

func readEvents(p *parser, dst *[]feed.Event) error {
	return list(p, dst, true, func(p *parser, e *feed.Event) error {
		return members(p, e, func(p *parser, e *feed.Event, key []byte) (bool, error) {
			switch string(key) {
			case "uid":
				return true, p.string(&e.UID)
			case "about":
				return true, p.id(&e.About)
			case "aboutUID":
				return true, p.string(&e.AboutUID)
			case "reason":
				return true, p.string(&e.Reason)
			case "message":
				return true, p.string(&e.Message)
			case "first":
				return true, p.when(&e.First)
			case "last":
				return true, p.when(&e.Last)
			case "count":
				return true, whole(p, &e.Count)
			}
			return false, nil
		})
	})
}

func readRoots(p *parser, dst *[]feed.Root) error {
	return list(p, dst, true, func(p *parser, r *feed.Root) error {
		return members(p, r, func(p *parser, r *feed.Root, key []byte) (bool, error) {
			switch string(key) {
			case "id":
				return true, p.id(&r.ID)
			case "order":
				return true, whole(p, &r.Order)
			}
			return false, nil
		})
	})
}
