package framework

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
)

// blockedTags lists the blocked format tags of oneDNN 3.7.1 (include/oneapi/dnnl/dnnl_types.h, dnnl_format_tag_t): on each line the
// inner blocks, outermost first, and the outer axes that they come after. ! marks tags without a name of letters.
//
//go:embed onednn_tags.txt
var blockedTags string

// blockedTag is a tag as a descriptor holds it.
type blockedTag struct {
	name   string // nChw16c; or aBdc16b, if it has no letters
	order  []int  // of the outer axes, outermost first
	blocks []int  // of each dim; 1 without
	inner  int    // elements in a block of all dims
}

var oneDNNBlocked = sync.OnceValue(func() (tags []blockedTag) {
	for line := range strings.Lines(blockedTags) {
		fields := strings.Fields(line)
		for _, outer := range fields[1:] {
			name, byPosition := strings.CutPrefix(outer, "!")
			tags = append(tags, newBlockedTag(name, fields[0], byPosition))
		}
	}
	return tags
})

var tagBlock = lazy.Regexp(`([0-9]+)([a-l])`)

func newBlockedTag(outer, inner string, byPosition bool) blockedTag {
	t := blockedTag{name: outer + inner, blocks: make([]int, len(outer)), inner: 1}
	for d := range t.blocks {
		t.blocks[d] = 1
	}
	for _, c := range strings.ToLower(outer) {
		t.order = append(t.order, int(c-'a'))
	}
	for _, b := range tagBlock().FindAllStringSubmatch(inner, -1) {
		n := 0
		for _, c := range b[1] {
			n = n*10 + int(c-'0')
		}
		t.blocks[b[2][0]-'a'] *= n
		t.inner *= n
	}
	if !byPosition {
		t.name = t.lettered(outer) + t.lettered(inner)
	}
	return t
}

// lettered writes positions as the letters that oneDNN's names have: those of images if the second dim alone is in blocks and all
// dims are in order, those of weights otherwise, in groups if the third dim is in blocks.
func (t blockedTag) lettered(positions string) string {
	dims := []string{"", "", "oi", "oiw", "oihw", "oidhw"}
	switch {
	case len(t.order) > 2 && t.blocks[2] > 1 || len(t.order) == 6:
		dims = []string{4: "goiw", 5: "goihw", 6: "goidhw"}
	case t.blocks[0] == 1 && slices.IsSorted(t.order):
		dims = []string{3: "ncw", 4: "nchw", 5: "ncdhw"}
	}
	letters := dims[len(t.order)]
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'l':
			return rune(letters[c-'a'])
		case 'A' <= c && c <= 'L':
			return rune(letters[c-'A']) &^ 0x20
		}
		return c
	}, positions)
}

// strides are those of the tag's descriptor for logical sizes: from one block of a dim to the next. ok is false if one overflows.
// (oneDNN, src/common/memory_desc_wrapper.cpp: fill_blocked)
func (t blockedTag) strides(shape []int) (strides []int, ok bool) {
	strides, run := make([]int, len(shape)), t.inner
	for _, d := range slices.Backward(t.order) {
		strides[d] = run
		if run, ok = tensor.Mul(run, max(1, ints.CeilDiv(shape[d], t.blocks[d]))); !ok {
			return nil, false
		}
	}
	return strides, true
}

// rarity orders tags: those with blocks of channels alone come first, nChw8c, and among equals those with dims in order.
func (t blockedTag) rarity() int {
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

// OuterStridesOf lists the blocked tags of oneDNN whose descriptor of this shape, logical or padded, has exactly these strides. They
// are several, the most common first, where blocks of the same sizes are nested differently, which strides do not show, or where a dim has one block.
func OuterStridesOf(s tensor.Strided) []string {
	var tags []blockedTag
	if s.Rank() == 0 || s.Empty() || slices.Min(s.Strides) < 2 {
		return nil
	}
	for _, t := range oneDNNBlocked() {
		if len(t.order) != s.Rank() {
			continue
		}
		if strides, ok := t.strides(s.Shape); ok && slices.Equal(strides, s.Strides) {
			tags = append(tags, t)
		}
	}
	slices.SortStableFunc(tags, func(a, b blockedTag) int { return a.rarity() - b.rarity() })
	var names []string
	for _, t := range tags {
		names = append(names, t.name)
	}
	return names
}
