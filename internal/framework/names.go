package framework

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// NamesOf returns the framework's names for a memory order, for any type; nil if it has none. Names with letters of dims apply only to
// dims with these letters.
func (f *Framework) NamesOf(order notation.Format) []string { return f.NamesAccepting(order, nil) }

// NamesAccepting returns the names for a memory order that go with a type; all of them for nil, none if the framework refuses the type.
func (f *Framework) NamesAccepting(order notation.Format, d *dtype.Type) []string {
	var names []string
	if d != nil && f.refusesType(*d).full != "" {
		return nil
	}
	for _, e := range f.entriesOf(order) {
		if d == nil || acceptsType(e.Types, *d) {
			names = append(names, e.spelled())
		}
	}
	return names
}

// NamesFor returns the names under which the framework expresses a tensor; nil if it refuses the tensor or needs no name. If strides are
// ambiguous, they are the names of the first order that has some.
func (f *Framework) NamesFor(o Offer) []string {
	if !f.Expresses(o).OK {
		return nil
	}
	if f.Order == ByFormat {
		var names []string
		for _, m := range accepting(f.matches(o), o.DType) {
			names = append(names, m.spelled())
		}
		return names
	}
	for _, order := range f.Supported(o.Orders) {
		if !order.Plain() && f.Blocks == ByWholeName && o.partBlock() != "" {
			continue
		}
		if names := f.NamesAccepting(order, &o.DType); len(names) > 0 {
			return names
		}
	}
	return nil
}

// spelled returns the name as NamesOf prints it.
func (e Entry) spelled() string { return cmp.Or(e.printed, e.Name) }

// entriesOf returns the rows of a framework's names for an order. A name by rule goes with every type.
func (f *Framework) entriesOf(order notation.Format) []Entry {
	order = order.WithoutUnits()
	var found []Entry
	if f.spell != nil {
		for _, name := range f.spell(order) {
			found = append(found, Entry{Name: name})
		}
		return found
	}
	explicit := order.Explicit()
	stands := func(e Entry) bool { return e.lists(order, explicit) }
	if f.Order == ByFormat {
		stands = func(e Entry) bool { return e.standsFor(order) }
	}
	for _, e := range f.names {
		for _, e := range e.byType(f) {
			if stands(e) {
				found = append(found, e)
			}
		}
	}
	return found
}

// byType returns the rows of a name whose order depends on the type, one for each order. Formats have none: their layouts are compared.
func (e Entry) byType(f *Framework) []Entry {
	if e.variants == nil || f.Order == ByFormat {
		return []Entry{e}
	}
	rows := make([]Entry, len(e.variants))
	for k, v := range e.variants {
		rows[k] = e
		rows[k].Order = v.order
		rows[k].Types = v.types
	}
	return rows
}

// lists reports whether an order, in explicit form, is one of those of the row's name.
func (e Entry) lists(order notation.Format, explicit string) bool {
	orders := strings.Split(cmp.Or(e.orders, e.Order), "|")
	rowMajor := slices.Contains(orders, RowMajorOrder) && explicit == notation.RowMajor(order.Names()).Explicit()
	if e.listed && !slices.Equal(order.Names(), notation.LogicalOrder(order.Names())) {
		return false
	}
	return e.Order != "" && e.use != catalogueOnly && (rowMajor || slices.Contains(orders, explicit))
}

// standsFor reports whether an order is among the layouts of a format's name, over the order's own dims.
func (e Entry) standsFor(order notation.Format) bool {
	return slices.ContainsFunc(e.layouts(), func(v variant) bool {
		f, ok := v.over(order.Names())
		return ok && f.Explicit() == order.Explicit()
	})
}

// noNames is the rule of a framework that describes a layout by shape and strides, not by name.
func noNames(notation.Format) []string { return nil }

// tvmName returns the canonical name, if no dim is split twice and no block comes before its dim. (TVM, src/s_tir/data_layout.cc)
func tvmName(f notation.Format) []string {
	name, ok := f.Short()
	if !ok {
		return nil
	}
	seen := map[int]int{}
	for _, a := range f.Axes() {
		if a.Extent != 0 && seen[a.Dim] != 1 {
			return nil
		}
		seen[a.Dim]++
	}
	return []string{name}
}

// xlaLayout returns minor_to_major with a tile, for an order that one tile can express: all outer axes, then at most one block per dim,
// in the order of their dims. (XLA, docs/tiled_layout.md)
func xlaLayout(f notation.Format) []string {
	var outer []string
	position := map[int]int{}
	for k, a := range f.Axes()[:min(f.Rank(), len(f.Axes()))] {
		if a.Extent != 0 {
			return nil
		}
		outer = append([]string{fmt.Sprint(a.Dim)}, outer...)
		position[a.Dim] = k
	}
	blocks := f.Axes()[len(outer):]
	if len(blocks) == 0 {
		return []string{"{" + strings.Join(outer, ",") + "}"}
	}
	tile := make([]string, f.Rank())
	for i := range tile {
		tile[i] = "1"
	}
	last := -1
	for _, a := range blocks {
		if a.Extent == 0 || a.Div != 1 || position[a.Dim] <= last {
			return nil
		}
		last = position[a.Dim]
		tile[last] = fmt.Sprint(a.Extent)
	}
	return []string{"{" + strings.Join(outer, ",") + ":T(" + strings.Join(tile[position[blocks[0].Dim]:], ",") + ")}"}
}

// dimOrder returns the dims of an order without blocks, outermost first. (ExecuTorch, runtime/core/exec_aten/util/dim_order_util.h)
func dimOrder(f notation.Format) []string {
	if !f.Plain() || f.Rank() == 0 {
		return nil
	}
	dims := make([]int, f.Rank())
	for k, a := range f.Axes() {
		dims[k] = a.Dim
	}
	return []string{"[" + text.Ints(dims, ",") + "]"}
}

// Confusions returns what is easily confused with the format: names that other frameworks read differently, and orders that count
// differently. (The frameworks' sources are those of catalogue.go.)
func Confusions(f notation.Format) []string {
	f = f.WithoutUnits()
	short, _ := f.Short()
	var all []string
	if b := f.Blocks(channels(f)); len(b) == 1 && short == fmt.Sprintf("NCHW%dc", b[0].Extent) {
		n := b[0].Extent
		where := "here"
		if len(MegEngine.NamesOf(f)) > 0 {
			where = "in MegEngine"
		}
		all = append(all, fmt.Sprintf("NCHW%d is this layout %s; TVM ignores the number and reads plain NCHW", n, where))
	}
	if text := confusions[short]; text != "" {
		all = append(all, text)
	}
	if slices.ContainsFunc(f.Axes(), func(a notation.Axis) bool { return a.Extent != 0 }) {
		all = append(all, "upper case is a blocked dim in oneDNN's tags, but the outer axis in TVM's names")
	}
	if s := inverse(f); s != "" {
		all = append(all, s)
	}
	return all
}

// channels returns the position of C, or 0 without one.
func channels(f notation.Format) int { return max(0, slices.Index(f.Names(), "C")) }

var confusions = map[string]string{
	"NCHW":    "Julia calls this memory order WHCN, fastest dim first; order='F' of N,C,H,W differs, with W outermost",
	"NHWC":    "NHWC8 and NHWC16 (TensorRT) pad C to a multiple; NHWC does not",
	"NHWC8c":  "TensorRT's NHWC8 pads C to a multiple of 8; NHWC does not",
	"NHWC16c": "TensorRT's NHWC16 pads C to a multiple of 16; NHWC does not",
	"NCHW4c": "NCHW44 and NCHW44_DOT are this layout for activations; their weights are OIHW4i4o and OIHW4o4i; " +
		"MNN's NC4HW4 is C4NHW4",
	"NCHW8c": "NCHW88 is this layout for activations; its weights are OIHW8i8o",
	"CHWN4c": "CHWN4: the 4 splits C, not the N before it",
	"NHCW4c": "NHWCD4: D is not depth, and H is outside the channel blocks",
	"CNHW4c": "MNN calls this NC4HW4, which others read as N C//4 H W C%4",
	"WHCN":   "Julia's WHCN is fastest dim first: the memory order of NCHW, not this one",
}

// inverse returns that the order of axes and the order of strides are inverse permutations; empty if they are equal. With dims N,C,H,W,
// NHWC has axes (0,2,3,1), and its strides are the dense ones of (0,3,1,2).
func inverse(f notation.Format) string {
	if !f.Plain() {
		return ""
	}
	order := make([]int, f.Rank())
	back := make([]int, f.Rank())
	for k, a := range f.Axes() {
		order[k] = a.Dim
		back[a.Dim] = k
	}
	if slices.Equal(order, back) {
		return ""
	}
	return fmt.Sprintf("(%s) permutes data into this order; its inverse, (%s), permutes memory's strides into the order of %s",
		text.Ints(order, ","), text.Ints(back, ","), strings.Join(f.Names(), ","))
}
