package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/trace"
	"github.com/tlayout/tlayout/internal/words"
)

// headline is the answer: how many steps, what they copy, and where they lead; or which step is refused.
func (r *traceReport) headline() string {
	if s := r.refused(); s != nil {
		return r.refusedWhere() + ": " + s.Error.short()
	}
	name := cmp.Or(fault.Quote(r.Source), "tensor")
	last := r.Steps[len(r.Steps)-1]
	return fmt.Sprintf("%s: %s; %s", name, r.deeds(), last.words())
}

// refusedWhere names the refused step and the one before it.
func (r *traceReport) refusedWhere() string {
	n := len(r.Steps)
	if n == 1 {
		return r.Steps[0].Op + " is refused"
	}
	return r.Steps[n-1].Op + " is refused after " + r.Steps[n-2].Op
}

// short says in a few words why a step is refused.
func (e *traceError) short() string {
	if e.Dims != nil {
		short, _, _ := strings.Cut(e.Why, ":")
		return short
	}
	return strings.TrimSuffix(e.Text, ".")
}

// deeds counts what the steps return: 3 steps, 2 views and 1 copy of 480 bytes.
func (r *traceReport) deeds() string {
	if len(r.Steps) == 1 {
		s := r.Steps[0]
		return s.Op + " " + map[trace.Kind]string{trace.View: "is a view", trace.Self: "returns the tensor itself",
			trace.Copy: "copies " + formatBytes(int64(s.Copied))}[*s.Kind]
	}
	count := map[trace.Kind]int{}
	for _, s := range r.Steps {
		count[*s.Kind]++
	}
	var parts []string
	if n := count[trace.View]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", n, words.Plural(n, "view", "views")))
	}
	if n := count[trace.Self]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d that %s nothing", n, words.Plural(n, "changes", "change")))
	}
	if n := count[trace.Copy]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s of %s%s", n, words.Plural(n, "copy", "copies"), r.copied(), words.Plural(n, "", " in all")))
	}
	return fmt.Sprintf("%d steps, %s", len(r.Steps), words.And(parts))
}

// copied adds up what the copies write.
func (r *traceReport) copied() string {
	bytes := int64(0)
	for _, s := range r.Steps {
		if int64(s.Copied) > math.MaxInt64-bytes {
			return "more bytes than can be counted"
		}
		bytes += int64(s.Copied)
	}
	return formatBytes(bytes)
}

// words describe a state: (6, 20) with strides (20, 1), C-contiguous. NumPy's strides are in bytes too.
func (s *traceState) words() string {
	text := fmt.Sprintf("%s with strides %s", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides))
	if s.StridesBytes != nil {
		text += ", in bytes " + tensor.Tuple(s.StridesBytes)
	}
	if *s.Offset != 0 {
		text += fmt.Sprintf(", offset %d", *s.Offset)
	}
	return text + ", " + s.character()
}

func (s *traceState) character() string {
	c := s.Contiguous
	if slices.Contains(s.Shape, 0) {
		return "empty"
	}
	return cmp.Or(character(c.C, c.F, c.ChannelsLast, c.ChannelsLast3D), "not contiguous")
}
