package threads

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/triton"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// IsPrinted reports whether a text looks like a layout of threads that a framework printed: Triton's and Gluon's, CuTe's TiledCopy and
// TiledMMA, TIRx's S[…] with axes of threads, TileLang's Fragment(…).
func IsPrinted(s string) bool {
	s = strings.TrimSpace(s)
	return triton.Is(s) || strings.HasPrefix(s, "#") || printedBy(s) != nil
}

// printedBy returns what reads such a text, but Triton's; nil for others.
func printedBy(s string) func(s string, tile []int) (Layout, error) {
	compact := strings.ReplaceAll(s[:min(len(s), 16)], " ", "")
	for _, p := range []struct {
		begins string
		parse  func(s string, tile []int) (Layout, error)
	}{{"TiledCopy", parseTiledCopy}, {"TiledMMA", refuseTiledMMA}, {"MMA_Atom", refuseTiledMMA}, {"MMAAtom", refuseTiledMMA}, {"Fragment(", refuseFragment}} {
		if strings.HasPrefix(compact, p.begins) {
			return p.parse
		}
	}
	isSpec := strings.HasPrefix(compact, "S[")
	if isSpec && strings.Contains(strings.ReplaceAll(s, "@m", ""), "@") {
		return parseAxes
	}
	return nil
}

// labelled returns the text behind a label of a print of several lines; the spellings are those of CuTe in C++ and in Python.
func labelled(s string, labels ...string) string {
	for _, label := range labels {
		_, after, found := strings.Cut(s, label+":")
		if found {
			line, _, _ := strings.Cut(after, "\n")
			return strings.ReplaceAll(strings.TrimSpace(line), " ", "")
		}
	}
	return ""
}

// parseTiledCopy reads CuTe's TiledCopy: its layout of threads and values over its tiler. (copy_atom.hpp, CUTLASS at 18422531;
// nvidia-cutlass-dsl 4.8.1, str of a TiledCopy)
func parseTiledCopy(s string, tile []int) (Layout, error) {
	tv := labelled(s, "TiledLayout_TV", "TV Layout tiled")
	if tv == "" {
		return Layout{}, fault.New(fault.Usage, "TiledCopy without its TiledLayout_TV").WithHint("paste all of its lines")
	}
	if tile == nil {
		tile = sizesOf(labelled(s, "Tiler_MN", "Tiler MN"))
	}
	return parseCute(tv, tile)
}

// sizesOf returns the sizes of a tiler, (_16,_64) or (16:1,64:1); nil for one that is not of whole dims.
func sizesOf(tiler string) []int {
	var sizes []int
	for _, word := range strings.Split(strings.Trim(tiler, "()"), ",") {
		size, stride, _ := strings.Cut(strings.ReplaceAll(word, "_", ""), ":")
		n, err := strconv.Atoi(size)
		isWhole := slices.Contains([]string{"", "0", "1"}, stride)
		if err != nil || !isWhole {
			return nil
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// refuseTiledMMA says which layouts a TiledMMA has: those of its atom, of A, B and C.
func refuseTiledMMA(s string, _ []int) (Layout, error) {
	e := fault.New(fault.Usage, "a TiledMMA has three layouts: A, B and C of its atom")
	shape := sizesOf(labelled(s, "Shape_MNK", "Shape MNK"))
	c := labelled(s, "LayoutC_TV", "TV Layout C")
	if len(shape) != 3 || c == "" {
		return Layout{}, e.WithHint("paste all of its lines")
	}
	e.Text += fmt.Sprintf(", of M,K (%d, %d), N,K (%d, %d) and M,N (%d, %d)", shape[0], shape[2], shape[1], shape[2], shape[0], shape[1])
	return Layout{}, e.WithHint("tlayout threads %s --tile %d,%d", text.Shell(c), shape[0], shape[1])
}

// step is a digit of a linear index: its extent, and what it adds to an axis.
type step struct {
	extent, stride int
	axis           string
}

// parseAxes reads TIRx's layouts with axes of threads: element x of the tile, row-major, is split by the extents, the last fastest, and each
// digit moves along its axis; R[…] repeats elements.
//
//	S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid]
func parseAxes(s string, tile []int) (Layout, error) {
	var digits, copies []step
	extents := []int{}
	terms := scan.Terms(s)
	for k := 0; k < len(terms); k += 3 {
		part := terms[k:]
		if !isSpec(part) {
			return Layout{}, wrongAxes(s)
		}
		steps, err := stepsOf(part[1].Inner[0], part[1].Inner[2])
		if err != nil {
			return Layout{}, err
		}
		switch part[0].Text {
		case "S":
			digits = append(digits, steps...)
		case "R":
			copies = append(copies, steps...)
		default:
			return Layout{}, wrongAxes(s)
		}
	}
	for _, d := range digits {
		extents = append(extents, d.extent)
	}
	if tile == nil {
		tile = extents
	}
	size := elements(extents)
	if size == 0 || elements(tile) != size {
		return Layout{}, fault.New(fault.Usage, "the extents %s are %d elements, the tile %s is not", tensor.Tuple(extents), size, tensor.Tuple(tile)).
			WithHint("its elements are counted row by row: --tile 16,8")
	}
	threads := 1
	values := 1
	repeats := 1
	for _, d := range append(digits, copies...) {
		reach := placed([]step{d}, nil, d.extent-1, 0)
		threads = min(threads+reach[0], maxElements+1)
		values = min(values+reach[1], maxElements+1)
	}
	for _, r := range copies {
		repeats = min(repeats*r.extent, maxElements+1)
	}
	if max(threads, values) > maxElements || repeats > maxElements/size {
		return Layout{}, fault.New(fault.Unsupported, "%d elements with %d copies each: the limit is %d, as of threads and values", size, repeats, maxElements)
	}
	owned := map[[2]int]int{}
	for k := range size * repeats {
		owned[placed(digits, copies, k/repeats, k%repeats)] = k / repeats
	}
	return New(tile, threads, values, 32, func(thread, value int, coord []int) error {
		element, ok := owned[[2]int{thread, value}]
		if !ok {
			return fault.New(fault.Unsupported, "thread %d has no element as value %d: threads with fewer values are not supported", thread, value)
		}
		for d, n := range slices.Backward(tile) {
			coord[d] = element % n
			element /= n
		}
		return nil
	})
}

// placed returns the thread and the value of a copy of an element.
func placed(digits, copies []step, element, copied int) (at [2]int) {
	for _, part := range []struct {
		steps []step
		rest  int
	}{{digits, element}, {copies, copied}} {
		for _, d := range slices.Backward(part.steps) {
			moved := part.rest % d.extent * d.stride
			part.rest /= d.extent
			switch d.axis {
			case "laneid":
				at[0] += moved
			case "warpid":
				at[0] += 32 * moved
			default:
				at[1] += moved
			}
		}
	}
	return at
}

// isSpec reports whether terms begin with S[extents:strides], and end there or go on with a +.
func isSpec(terms []scan.Term) bool {
	if len(terms) < 2 || terms[1].Open != '[' || len(terms[1].Inner) != 3 {
		return false
	}
	ends := len(terms) == 2 || terms[2].Text == "+"
	return ends && terms[1].Inner[1].Text == ":"
}

// elements returns the number of elements of sizes; 0 for too many.
func elements(sizes []int) int {
	n, err := tensor.Numel(sizes)
	if err != nil || n > maxElements {
		return 0
	}
	return n
}

func wrongAxes(s string) error {
	return fault.New(fault.Usage, "layout %s: expected S[extents:strides] and perhaps + R[…]", text.Quoted(text.Cut(s, 60))).
		WithHint("S[(8,4,2):(4@laneid,1@laneid,1)]")
}

// stepsOf pairs extents with strides on axes.
func stepsOf(extents, strides scan.Term) ([]step, error) {
	sizes := strings.Split(strings.Trim(extents.Text, "()"), ",")
	moves := strings.Split(strings.Trim(strides.Text, "()"), ",")
	if len(sizes) != len(moves) {
		return nil, fault.New(fault.Usage, "%d extents and %d strides", len(sizes), len(moves))
	}
	steps := make([]step, len(sizes))
	for k := range sizes {
		stride, axis, _ := strings.Cut(strings.TrimSpace(moves[k]), "@")
		n, badSize := strconv.Atoi(strings.TrimSpace(sizes[k]))
		by, badStride := strconv.Atoi(strings.TrimSpace(stride))
		axis = strings.TrimSpace(axis)
		inRange := n >= 1 && by >= 0 && int64(n)*int64(by) <= maxElements
		if badSize != nil || badStride != nil || !inRange {
			return nil, fault.New(fault.Usage, "%s with stride %s are no extent and stride from 0 to %d", text.Quote(text.Cut(sizes[k], 20)),
				text.Quote(text.Cut(moves[k], 20)), maxElements)
		}
		if !slices.Contains([]string{"", "m", "reg", "laneid", "warpid"}, axis) {
			return nil, fault.New(fault.Unsupported, "axis %s is not supported: want laneid, warpid, and m or reg for registers", text.Quote(text.Cut(axis, 20)))
		}
		steps[k] = step{n, by, axis}
	}
	return steps, nil
}

// refuseFragment says what TileLang's print of a layout in registers has, and what is not read of it. (DebugOutput of src/layout/layout.cc,
// TileLang at 01b44c23)
func refuseFragment(s string, _ []int) (Layout, error) {
	sizes, _, _ := strings.Cut(strings.TrimPrefix(s, "Fragment("), ", forward_")
	return Layout{}, fault.New(fault.Unsupported, "Fragment of %s: which thread has an element is in forward_thread and forward_index, which are not read",
		text.Quoted(text.Cut(sizes, 60))).WithHint("write the layout as S[(8,4,2):(4@laneid,1@laneid,1)]")
}
