package framework

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// Confusions lists what is easily taken for the format, or the format for it: names that other frameworks read
// otherwise, and directions in which they count. (Frameworks' sources as in alias.go and framework.go.)
func Confusions(f notation.Format) []string {
	f = f.WithoutUnits()
	short, _ := f.Short()
	var all []string
	if b := f.Blocks(channels(f)); len(b) == 1 && short == fmt.Sprintf("NCHW%dc", b[0].Extent) {
		n := b[0].Extent
		where := "here"
		if megEngineNames[short] != nil {
			where = "in MegEngine"
		}
		all = append(all, fmt.Sprintf("NCHW%d is this layout %s; TVM ignores the number and reads plain NCHW", n, where))
	}
	if text := confusions[short]; text != "" {
		all = append(all, text)
	}
	if slices.ContainsFunc(f.Axes(), func(a notation.Axis) bool { return a.Extent != 0 }) {
		all = append(all, "upper case is a dim in blocks in oneDNN's tags, and the outer axis in TVM's")
	}
	if s := inverse(f); s != "" {
		all = append(all, s)
	}
	return all
}

// channels is the position of C, or of the dim that stands for it.
func channels(f notation.Format) int { return max(0, slices.Index(f.Names(), "C")) }

var confusions = map[string]string{
	"NCHW":    "Julia calls this memory WHCN, for it names the fastest dim first; order='F' of N,C,H,W is another, W outermost",
	"NHWC":    "NHWC8 and NHWC16 (TensorRT) pad C to a multiple; NHWC does not",
	"NHWC8c":  "TensorRT's NHWC8 pads C to a multiple of 8; NHWC does not",
	"NHWC16c": "TensorRT's NHWC16 pads C to a multiple of 16; NHWC does not",
	"NCHW4c": "NCHW44 and NCHW44_DOT are this layout for activations; their weights are OIHW4i4o and OIHW4o4i; " +
		"MNN's NC4HW4 lies as C4NHW4",
	"NCHW8c": "NCHW88 is this layout for activations; its weights are OIHW8i8o",
	"CHWN4c": "CHWN4: the 4 splits C, not the N before it",
	"NHCW4c": "NHWCD4: D is no depth, and H lies outside of the channel blocks",
	"CNHW4c": "MNN calls this NC4HW4, which others read as N C//4 H W C%4",
	"WHCN":   "Julia's WHCN names the fastest dim first: it is the memory of NCHW, not this",
}

// inverse explains that the order of axes and the order of strides are inverse permutations, where they differ:
// with dims N,C,H,W, NHWC takes axes (0,2,3,1), and its strides are the packed ones of (0,3,1,2).
func inverse(f notation.Format) string {
	if !f.Plain() {
		return ""
	}
	order, back := make([]int, f.Rank()), make([]int, f.Rank())
	for k, a := range f.Axes() {
		order[k], back[a.Dim] = a.Dim, k
	}
	if slices.Equal(order, back) {
		return ""
	}
	return fmt.Sprintf("data is permuted by (%s); to list memory's strides in the order %s takes the inverse, (%s)",
		words.Ints(order, ","), strings.Join(f.Names(), ","), words.Ints(back, ","))
}
