package framework

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// tags has the format tags of oneDNN 3.14 (include/oneapi/dnnl/dnnl_types.h, dnnl_format_tag_t): on each line a tag by position, then
// its names by letters, the most common first. Six names whose letters contradict their positions are omitted: OhwI24o, OhwI32o,
// gOhwI24o and gOhwI32o have no I in blocks, gIOhw2i8o16i2o and gIOdhw2i8o16i2o have O before I.
//
// To add a tag: a line there. The grammar of notation parses blocked tags without it; the file says which names oneDNN has.
//
//go:embed onednn_tags.txt
var tags string

// tag is a format tag in a descriptor's terms.
type tag struct {
	position string   // aBcd16b
	letters  []string // nChw16c, gOiw16o
	order    []int    // of the outer axes, outermost first
	blocks   []int    // per dim; 1: none
	inner    int      // elements in a block of all dims
}

var oneDNNTags = sync.OnceValue(func() (all []tag) {
	for line := range strings.Lines(tags) {
		fields := strings.Fields(line)
		all = append(all, newTag(fields[0], fields[1:]))
	}
	return all
})

func newTag(position string, letters []string) tag {
	t := tag{position: position, letters: letters, inner: 1}
	block := 0
	for _, c := range position {
		if '0' <= c && c <= '9' {
			block = block*10 + int(c-'0')
			continue
		}
		d := int(unicode.ToLower(c) - 'a')
		if block == 0 {
			t.order = append(t.order, d)
			t.blocks = append(t.blocks, 1)
			continue
		}
		t.blocks[d] *= block
		t.inner *= block
		block = 0
	}
	return t
}

// name returns the most common name.
func (t tag) name() string { return append(slices.Clone(t.letters), t.position)[0] }

// oneDNNNamesOf returns the tag of an order by the letters of its dims, if oneDNN has that name, and the one by position; nil if no tag
// has the order. In a tag a later block of a dim is the finer one: AB32a4a4b is A//128 B//4 A//4%32 A%4 B%4.
func oneDNNNamesOf(f notation.Format) []string {
	// a dim of a tag has its digits in order, the most significant first
	finest := map[int]int{}
	for _, a := range f.Axes() {
		if before, ok := finest[a.Dim]; ok && a.Div >= before {
			return nil
		}
		finest[a.Dim] = a.Div
	}
	passed := passedDims(f.Names())
	positions := make([]string, f.Rank())
	for d, name := range f.Names() {
		positions[d] = string(rune('a' + slices.Index(passed, name)))
	}
	position := spelledTag(f, positions)
	own := spelledTag(f, f.Names())
	for line := range strings.Lines(tags) { // caches oneDNNTags, whose parsing takes longer
		names := strings.Fields(line)
		if names[0] != position {
			continue
		}
		if slices.Contains(names[1:], own) {
			return []string{own, position}
		}
		return []string{position}
	}
	return nil
}

// recurrent holds the dims of sequences, states and weights in the order in which every tag numbers them. (oneDNN, dnnl_types.h:
// dnnl_tnc to dnnl_ldgo)
var recurrent = []string{"TN", "TNC", "LDNC", "LDIGO", "LDIO", "LDGO"}

// passedDims returns dims in oneDNN's order: their own, except for recurrent ones.
func passedDims(names []string) []string {
	for _, letters := range recurrent {
		dims := strings.Split(letters, "")
		if text.SameSet(dims, names) {
			return dims
		}
	}
	return names
}

// spelledTag writes an order in oneDNN's notation: an upper-case letter is a blocked dim, a number and a letter are a block.
func spelledTag(f notation.Format, names []string) string {
	var b strings.Builder
	for _, a := range f.Axes() {
		name := strings.ToLower(names[a.Dim])
		if a.Extent != 0 {
			b.WriteString(strconv.Itoa(a.Extent) + name)
			continue
		}
		if a.Div != 1 {
			name = strings.ToUpper(name)
		}
		b.WriteString(name)
	}
	return b.String()
}

// strides returns the strides of the tag's descriptor for logical sizes: from one block of a dim to the next. ok is false if one
// overflows. (oneDNN, src/common/memory_desc_wrapper.cpp: fill_blocked)
func (t tag) strides(shape []int) (strides []int, ok bool) {
	strides = make([]int, len(shape))
	run := t.inner
	for _, d := range slices.Backward(t.order) {
		strides[d] = run
		run, ok = tensor.Mul(run, max(1, ints.CeilDiv(shape[d], t.blocks[d])))
		if !ok {
			return nil, false
		}
	}
	return strides, true
}

// rarity orders tags: those that block only channels come first, nChw8c, and among equals those with dims in order.
func (t tag) rarity() int {
	n := 0
	for d, block := range t.blocks {
		if d != 1 && block > 1 {
			n += 2
		}
	}
	if !slices.IsSorted(t.order) {
		n++
	}
	return n
}

// OuterStridesOf returns the blocked tags of oneDNN whose descriptor with this shape, logical or padded, has exactly these strides, the
// most common first. There are several if equal blocks are nested differently, which strides do not show, or if a dim has one block.
func OuterStridesOf(s tensor.Strided) []string {
	if s.Rank() == 0 || s.Empty() || slices.Min(s.Strides) < 2 {
		return nil
	}
	var found []tag
	for _, t := range oneDNNTags() {
		if t.inner == 1 || len(t.order) != s.Rank() {
			continue
		}
		if strides, ok := t.strides(s.Shape); ok && slices.Equal(strides, s.Strides) {
			found = append(found, t)
		}
	}
	sorting.By(found, func(a, b tag) int { return a.rarity() - b.rarity() })
	var names []string
	for _, t := range found {
		names = append(names, t.name())
	}
	return names
}
