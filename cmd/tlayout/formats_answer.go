package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// answer is the first line.
func (r *formatsReport) answer() string {
	asked := fault.Quote(r.Asked)
	is := asked + " is"
	if strings.HasPrefix(asked, "strides") {
		is = asked + " are"
	}
	switch {
	case !r.exact:
		return fmt.Sprintf("%s %s: %s", is, r.Explicit, r.format.Words())
	case !r.ordered:
		return is + " in no order of dims, for " + r.disorder() + ": no name says it"
	case !r.Packed && r.layout.Gaps() == 0:
		return fmt.Sprintf("%s %s %s: no name says where it begins", is, r.Explicit, r.apart())
	case !r.Packed:
		return fmt.Sprintf("%s %s %s: no name says it, the strides themselves do", is, r.Explicit, r.apart())
	case r.Ambiguity != "":
		return fmt.Sprintf("%s %s: %s", is, r.candidateNames(), r.Ambiguity)
	}
	name := r.Explicit
	if tags := r.format.Spell().OneDNN; len(tags) > 0 {
		name = fmt.Sprintf("%s, in oneDNN %s", cmp.Or(r.Layout, r.Explicit), strings.Join(tags, " = "))
	}
	return fmt.Sprintf("%s %s: %s", is, name, r.format.Words())
}

// disorder says why strides are in no order.
func (r *formatsReport) disorder() string {
	s, plain := r.layout.Strided()
	switch {
	case r.layout.Numel() == 0:
		return "it is empty, and no element lies anywhere"
	case plain && s.Negative():
		return "a stride is negative"
	case r.layout.Occupancy().Overlapping == tensor.Yes:
		return "elements share places"
	}
	return "dims reach into each other"
}

// apart says why a layout in the order of dims is not packed.
func (r *formatsReport) apart() string {
	var parts []string
	if r.layout.Gaps() != 0 {
		parts = append(parts, "with gaps")
	}
	if off := r.layout.Offset(); off != 0 {
		parts = append(parts, fmt.Sprintf("from offset %d on", off))
	}
	return strings.Join(parts, " ")
}

func (r *formatsReport) candidateNames() string {
	var names []string
	for _, c := range r.Candidates {
		names = append(names, c.Layout)
	}
	return strings.Join(names, " or ")
}
