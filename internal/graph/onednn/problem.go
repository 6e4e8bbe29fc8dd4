package onednn

import (
	"slices"
	"strconv"
	"strings"
)

// problem is the sizes of a primitive's operands, as lists of dims or as names with numbers:
//
//	reorder      32x3x3x3                src and dst
//	binary       1x32x56x96:1x32x1x1     each src
//	matmul       2x8:8x4                 src and wei, in 2.x dst too; *x8 if a size is not known before the primitive runs
//	convolution  g2mb4_ic32oc64_ih64oh32kh3sh2dh0ph1_iw64ow32kw3sw2dw0pw1
//	pooling      mb1ic64_ih56oh28kh2sh2dh0ph0_iw56ow28kw2sw2dw0pw0
//	batch_norm.  mb4ic32ih64iw64
//
// (init_info_* in oneDNN's src/common/verbose.cpp; doc/advanced/verbose.md)
type problem struct {
	primitive string
	axis      int            // of concat, -1 for none
	lists     [][]int        // nil if the sizes have names; an unknown list is nil
	sources   int            // operands src so far
	named     map[string]int // mb, ic, oc, ih, …
}

func newProblem(primitive, auxiliary, text string) *problem {
	p := &problem{primitive: primitive, axis: -1}
	axis, hasAxis := strings.CutPrefix(auxiliary, "axis:")
	if hasAxis && primitive == "concat" {
		p.axis, _ = strconv.Atoi(axis)
	}
	if !startsWithDigit(text) && !strings.HasPrefix(text, "*") {
		p.named = readNamed(text)
		return p
	}
	for list := range strings.SplitSeq(text, ":") {
		sizes, _ := readSizes(list)
		p.lists = append(p.lists, sizes)
	}
	return p
}

// readSizes reads 32x3x3x3; false for sizes known only when the primitive runs, *.
func readSizes(list string) ([]int, bool) {
	var sizes []int
	for word := range strings.SplitSeq(list, "x") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return nil, false
		}
		sizes = append(sizes, n)
	}
	return sizes, true
}

// readNamed reads numbers behind their names, up to text that is neither.
func readNamed(text string) map[string]int {
	named := map[string]int{}
	for text != "" {
		text = strings.TrimLeft(text, "_")
		rest := strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz")
		name := text[:len(text)-len(rest)]
		text = strings.TrimLeft(strings.TrimPrefix(rest, "-"), "0123456789")
		n, err := strconv.Atoi(rest[:len(rest)-len(text)])
		if err != nil || name == "" {
			break
		}
		named[name] = n
	}
	return named
}

// of returns the dims of the next operand with a name; nil if the problem does not have them.
func (p *problem) of(name string) []int {
	name = strings.TrimPrefix(name, "diff_")
	if p.lists != nil {
		return p.listed(name)
	}
	switch name {
	case "src", "data", "diff":
		return p.image("ic", "i")
	case "dst":
		return p.result()
	case "wei":
		return p.weight()
	case "bia":
		return p.all("oc")
	}
	return nil
}

// listed returns the dims of an operand of a problem with lists.
func (p *problem) listed(name string) []int {
	switch name {
	case "src", "data", "diff":
		k := min(p.sources, len(p.lists)-1)
		p.sources++
		return p.lists[k]
	case "wei":
		return p.second()
	case "dst":
		return p.joined()
	}
	return nil
}

// joined returns the dims of the result of a problem with lists.
func (p *problem) joined() []int {
	dims := slices.Clone(p.lists[0])
	switch p.primitive {
	case "concat":
		return p.concatenated(dims)
	case "reduction":
		return p.second()
	case "binary":
		return broadcast(dims, p.second())
	case "matmul":
		if len(p.lists) > 2 {
			return p.lists[2]
		}
		return multiplied(dims, p.second())
	}
	return dims
}

// second returns the second list, or the only one.
func (p *problem) second() []int { return p.lists[min(1, len(p.lists)-1)] }

// concatenated returns the dims of the first operand with the sizes along the axis of all.
func (p *problem) concatenated(dims []int) []int {
	if p.axis < 0 || p.axis >= len(dims) {
		return nil
	}
	for _, other := range p.lists[1:] {
		if len(other) != len(dims) {
			return nil
		}
		dims[p.axis] += other[p.axis]
	}
	return dims
}

// broadcast enlarges dims of size 1 to those of another operand; nil if the ranks differ.
func broadcast(dims, other []int) []int {
	if len(dims) != len(other) {
		return nil
	}
	for d, n := range other {
		if dims[d] == 1 {
			dims[d] = n
		}
	}
	return dims
}

// multiplied returns the dims of a product of matrices, or of batches of them.
func multiplied(dims, other []int) []int {
	rank := len(dims)
	if rank < 2 || len(other) != rank {
		return nil
	}
	columns := other[rank-1]
	return append(broadcast(dims[:rank-2:rank-2], other[:rank-2]), dims[rank-2], columns)
}

// pixels are the last letters of the names of sizes of images, as in ih.
var pixels = []string{"d", "h", "w"}

// image returns the batch, the channels, and the pixels' sizes that have a prefix, as ih and iw.
func (p *problem) image(channels, prefix string) []int {
	dims := p.all("mb", channels)
	if dims == nil {
		return nil
	}
	return append(dims, p.sizes(prefix)...)
}

// sizes returns the numbers of the pixels' names with a prefix that the problem has.
func (p *problem) sizes(prefix string) []int {
	var sizes []int
	for _, letter := range pixels {
		n, has := p.named[prefix+letter]
		if has {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// all returns numbers by their names; nil if one is missing.
func (p *problem) all(names ...string) []int {
	var dims []int
	for _, name := range names {
		n, has := p.named[name]
		if !has {
			return nil
		}
		dims = append(dims, n)
	}
	return dims
}

// result returns the dims of dst: the pixels are those of src where it has none of its own.
func (p *problem) result() []int {
	switch p.primitive {
	case "inner_product":
		return p.all("mb", "oc")
	case "convolution", "deconvolution":
		return p.image("oc", "o")
	}
	if p.sizes("o") == nil {
		return p.image("ic", "i")
	}
	return p.image("ic", "o")
}

// weight returns the dims of wei: with groups, g is the first.
func (p *problem) weight() []int {
	dims := p.all("oc", "ic")
	if dims == nil {
		return nil
	}
	if p.primitive == "inner_product" {
		return append(dims, p.sizes("i")...)
	}
	g := p.named["g"]
	if g > 0 {
		dims = []int{g, dims[0] / g, dims[1] / g}
	}
	return append(dims, p.sizes("k")...)
}
