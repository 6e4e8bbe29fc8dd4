package convertcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// passText describes the pass of a step; "" for the first step.
func passText(s convert.Step) string {
	switch s.Pass {
	case "drop":
		return droppedText(s.Before)
	case "sort":
		return sortedText(s.Before, s.Loops)
	case "fold":
		return mergedText(s.Before, s.Loops)
	case "swizzle":
		return cutText(s)
	}
	return ""
}

func droppedText(before []convert.Loop) string {
	once := slices.DeleteFunc(slices.Clone(before), func(l convert.Loop) bool { return l.N != 1 })
	if len(once) == 0 {
		return "nothing to drop: every loop runs more than once"
	}
	return fmt.Sprintf("drops %s, which %s once", loopNames(once), text.Plural(len(once), "runs", "run"))
}

func sortedText(before, after []convert.Loop) string {
	if len(before) < 2 || loopNames(before) == loopNames(after) {
		return "nothing to sort: destination steps already fall"
	}
	return "orders the loops " + loopNames(after) + ", to write the destination in rising order"
}

// mergedText describes which neighbors were merged into one loop, with the numbers.
func mergedText(before, after []convert.Loop) string {
	var texts []string
	rest := before
	for _, l := range after {
		parts := 1
		for n := rest[0].N; n < l.N; parts++ {
			n *= rest[parts].N
		}
		if parts > 1 {
			texts = append(texts, fmt.Sprintf("merges %s into one loop of %d: %s", loopNames(rest[:parts]), l.N, seams(rest[:parts])))
		}
		rest = rest[parts:]
	}
	if texts != nil {
		return strings.Join(texts, "; ")
	}
	if len(before) < 2 {
		return "nothing to merge: there is at most one loop"
	}
	return "nothing to merge: no loop continues where the next one ends on both sides"
}

// seams describes, for each loop but the last, how its steps follow from those of the next, in the source and the destination.
func seams(loops []convert.Loop) string {
	var texts []string
	for i, outer := range loops[:len(loops)-1] {
		inner := loops[i+1]
		where := fmt.Sprintf("in both layouts (%d = %d·%d)", outer.Src, inner.N, inner.Src)
		if outer.Src != outer.Dst {
			where = fmt.Sprintf("in the source (%d = %d·%d) and in the destination (%d = %d·%d)",
				outer.Src, inner.N, inner.Src, outer.Dst, inner.N, inner.Dst)
		}
		texts = append(texts, fmt.Sprintf("one step of %s is %d steps of %s %s", outer.Name(), inner.N, inner.Name(), where))
	}
	return strings.Join(texts, "; ")
}

// loopNames lists the loops: N, H and W.
func loopNames(loops []convert.Loop) string {
	names := make([]string, len(loops))
	for i, l := range loops {
		names[i] = l.Name()
	}
	return text.And(names)
}

// workText describes the kernel's total work: 8 transpositions of 64 x 3136 elements of 4 bytes.
func workText(k *convert.Kernel) string {
	bytes := text.Bytes(int64(k.Item))
	if k.Kind == convert.Permutes {
		return fmt.Sprintf("%s of %d %ss of %s", text.Count(k.Times, "permutation"), k.Rows, unitOf(k), bytes)
	}
	if copies := k.Times * k.Rows * k.Cols; k.Rows == 1 || k.Cols == 1 {
		return fmt.Sprintf("%d %s of %s", copies, text.Plural(copies, "copy", "copies"), bytes)
	}
	return fmt.Sprintf("%s of %d x %d %ss of %s", text.Count(k.Times, "transposition"), k.Rows, k.Cols, unitOf(k), bytes)
}

// unitOf returns the noun for what moves together.
func unitOf(k *convert.Kernel) string {
	if k.What == oneElement {
		return "element"
	}
	return "run"
}

// kernelText describes how the kernel of an instruction set works: how much at a time, and what an item is.
func kernelText(k *convert.Kernel, level string) string {
	s := fmt.Sprintf("%s (%s), ", k.Kind, level)
	if k.Kind != convert.Copies {
		s = fmt.Sprintf("%s by %s (%s), ", k.Kind, k.Method, level)
		if s += fmt.Sprintf("blocks of %d ", k.BlockRows); k.Kind != convert.Permutes {
			s += fmt.Sprintf("x %d ", k.BlockCols)
		}
	}
	s += fmt.Sprintf("%ss of %s", unitOf(k), text.Bytes(int64(k.Item)))
	if k.What != oneElement {
		s += ": " + k.What
	}
	if k.Boxes > 1 {
		s += fmt.Sprintf("; %d boxes at once", k.Boxes)
	}
	if k.Pad > 0 {
		s += fmt.Sprintf("; writes %s of padding after each row", text.Count(k.Pad, unitOf(k)))
	}
	return s
}

// cutText describes how the swizzles of a step cut its loops.
func cutText(s convert.Step) string {
	var texts []string
	for _, side := range []struct {
		name    string
		swizzle tensor.Swizzle
	}{{"source", s.Src}, {"destination", s.Dst}} {
		if !side.swizzle.IsZero() {
			texts = append(texts, fmt.Sprintf("%s permutes the %s's offsets and repeats after %d", side.swizzle, side.name, side.swizzle.Period()))
		}
	}
	return strings.Join(texts, "; ") + ": cut into pieces in which it changes every step by a constant"
}

// heldText describes the part of the tensor that a box holds.
func heldText(e convert.BoxExplanation) string {
	part := cmp.Or(strings.Join(e.Held, "; "), "the whole tensor")
	if e.Pieces > 1 {
		part += fmt.Sprintf(", piece %d of %d", e.Piece, e.Pieces)
	}
	return part
}

// oneElement describes an item that is not a run.
const oneElement = "one element"

// itemText describes an item by the innermost of the simplified loops; "" for a kernel that copies nothing.
func itemText(k *convert.Kernel, loops []convert.Loop, itemSize int) string {
	switch k.Item {
	case 0:
		return ""
	case itemSize:
		return oneElement
	}
	inner := loops[len(loops)-1]
	if k.Item == inner.N*itemSize {
		return fmt.Sprintf("the %d elements of %s, contiguous on both sides", inner.N, inner.Name())
	}
	return fmt.Sprintf("%d of the %d elements of %s, contiguous on both sides", k.Item/itemSize, inner.N, inner.Name())
}
