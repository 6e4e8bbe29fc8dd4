package cute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/text"
)

// Refusal is an operation that CuTe refuses.
type Refusal struct {
	Condition string // stride_divisibility, shape_divisibility, left_inverse_divisibility, injective, positive_strides, rank
	Text      string // the condition with its numbers
	Why       string // the modes concerned
	Hint      string // what works instead, tested; empty if nothing was found
}

func (r *Refusal) Error() string { return r.Text }

func (r *Refusal) because(format string, args ...any) *Refusal {
	r.Why = fmt.Sprintf(format, args...)
	return r
}

func refuse(condition, format string, args ...any) *Refusal {
	return &Refusal{Condition: condition, Text: fmt.Sprintf(format, args...)}
}

// reasons collects explanations of an operation. A nil *reasons collects nothing.
type reasons struct {
	why      []string
	notes    []string // easily overlooked details
	warnings []string // where the result violates its definition
	where    string   // prefix of the sentences, "mode 1: "
}

func (r *reasons) add(format string, args ...any) {
	if r != nil {
		r.why = append(r.why, r.where+fmt.Sprintf(format, args...))
	}
}

func (r *reasons) note(format string, args ...any) {
	if r != nil {
		r.notes = append(r.notes, r.where+fmt.Sprintf(format, args...))
	}
}

func (r *reasons) warn(format string, args ...any) {
	if r != nil {
		r.warnings = append(r.warnings, r.where+fmt.Sprintf(format, args...))
	}
}

// in prefixes what run adds with a part of the layout, refusals included.
func (r *reasons) in(where string, run func() (Layout, error)) (Layout, error) {
	if r != nil {
		defer func(outer string) { r.where = outer }(r.where)
		r.where += where + ": "
	}
	l, err := run()
	var refusal *Refusal
	if errors.As(err, &refusal) {
		refusal.Why = where + ": " + refusal.Why
	}
	return l, err
}

// byMode applies an operation to the modes of a layout that have an entry in parts; other modes do not change.
func byMode(name string, l Layout, parts []argument, r *reasons, apply func(Layout, argument) (Layout, error)) (Layout, error) {
	modes, err := eachMode(name, l, parts, r, apply)
	if err != nil {
		return Layout{}, err
	}
	return join(modes...)
}

func eachMode(name string, l Layout, parts []argument, r *reasons, apply func(Layout, argument) (Layout, error)) ([]Layout, error) {
	modes := append([]Layout(nil), l.children()...)
	if len(parts) > len(modes) {
		return nil, refuse("rank", "%s by mode: %d entries for a layout of rank %d", name, len(parts), len(modes)).
			because("%s has %s", l, text.Count(len(modes), "mode"))
	}
	for k, part := range parts {
		m, err := r.in(fmt.Sprint("mode ", k), func() (Layout, error) { return apply(l.children()[k], part) })
		if err != nil {
			return nil, err
		}
		modes[k] = m
	}
	return modes, nil
}

// suggest looks for a layout near l that works: one stride of a leaf changed by at most reachOfHints, or one size. It returns the nearest below and above, as text: "4:2 or 4:4"; "" for none.
func suggest(l Layout, sizesFirst bool, works func(Layout) bool) string {
	if len(l.leaves()) > 8 {
		return ""
	}
	changes := []func(m mode, by int) mode{
		func(m mode, by int) mode { return mode{m.size, m.stride + by} },
		func(m mode, by int) mode { return mode{m.size + by, m.stride} },
	}
	if sizesFirst {
		slices.Reverse(changes)
	}
	for _, change := range changes {
		var found []string
		for _, sign := range []int{-1, 1} {
			if near, ok := nearest(l, sign, change, works); ok {
				found = append(found, near.String())
			}
		}
		if found != nil {
			return text.Or(found)
		}
	}
	return ""
}

const reachOfHints = 64

func nearest(l Layout, sign int, change func(m mode, by int) mode, works func(Layout) bool) (Layout, bool) {
	for by := 1; by <= reachOfHints; by++ {
		for k, m := range l.leaves() {
			other := change(m, sign*by)
			if !similar(m, other) {
				continue
			}
			near, err := l.replace(k, other)
			if err == nil && works(near) {
				return near, true
			}
		}
	}
	return Layout{}, false
}

// similar reports whether a changed mode is of the same kind: with several elements if m has, and not broadcast or backwards unless m is.
func similar(m, changed mode) bool {
	if changed.size < min(m.size, 2) || changed.stride < min(m.stride, 1) {
		return false
	}
	return changed.stride != 0 || m.stride == 0
}

// replace returns the layout with another k-th leaf.
func (l Layout) replace(k int, by mode) (Layout, error) {
	if l.modes == nil {
		s := single(by.size, by.stride)
		_, err := join(s)
		return s, err
	}
	modes := append([]Layout(nil), l.modes...)
	for i, m := range modes {
		n := len(m.leaves())
		if k < n {
			part, err := m.replace(k, by)
			if err != nil {
				return Layout{}, err
			}
			modes[i] = part
			break
		}
		k -= n
	}
	return join(modes...)
}
