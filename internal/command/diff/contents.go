package diff

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert/pairing"
	"github.com/tlayout/tlayout/internal/tensor/relate"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/text"
)

// byContents looks for the elements of the tensors that are not the same under one name: in another order, under another name, tied to
// another tensor, or fused with others. It reads them once.
func (d *differ) byContents(all []tensorReport) []tensorReport {
	var names [2][]string
	for _, one := range all {
		for i, side := range sideNames {
			if one.OnlyIn == side || one.outcome == differs {
				names[i] = append(names[i], one.Name)
			}
		}
	}
	if len(names[0]) == 0 && len(names[1]) == 0 {
		return all
	}
	c := contents{differ: d, at: map[string]int{}, gone: map[string]bool{}}
	for i, one := range all {
		c.at[one.Name] = i
	}
	for i := range names {
		c.items[i] = d.side(i).Contents(names[i])
	}
	c.pair(all)
	c.joinParts(all)
	c.findTied(all)
	return slices.DeleteFunc(all, func(one tensorReport) bool { return c.gone[one.Name] })
}

// contents pairs tensors by their elements.
type contents struct {
	*differ
	items [2][]relate.Item
	found [2]map[int]bool // items that have a partner
	at    map[string]int  // the index of a name among the outcomes
	gone  map[string]bool // names only in one side that another outcome mentions
}

// side returns the tensors of a side, to be read by name.
func (d *differ) side(i int) pairing.Side {
	in := d.inputs[i]
	return pairing.Side{Open: func(name string) (*source.Tensor, error) { return in.open(in.sources[name]) }, Convert: d.moving}
}

// pair reports the tensors that have the same elements: under one name, as a transposed weight has; exchanged among those whose names
// both sides have; and under two names.
func (c *contents) pair(all []tensorReport) {
	var both, single [2][]relate.Item
	for side, items := range c.items {
		for _, x := range items {
			if all[c.at[x.Name]].outcome == differs {
				both[side] = append(both[side], x)
			} else {
				single[side] = append(single[side], x)
			}
		}
	}
	exchanged := [2]map[string]bool{{}, {}}
	matches := relate.Pair(both[0], both[1])
	for _, m := range matches {
		exchanged[0][both[0][m.A].Name], exchanged[1][both[1][m.B].Name] = true, true
	}
	for _, m := range matches {
		if name := both[0][m.A].Name; exchanged[1][name] {
			c.report(all, name, both[1][m.B].Name, m.Ambiguous)
		}
	}
	c.items, c.found = single, [2]map[int]bool{{}, {}}
	for _, m := range relate.Pair(single[0], single[1]) {
		if c.report(all, single[0][m.A].Name, single[1][m.B].Name, m.Ambiguous) {
			c.found[0][m.A], c.found[1][m.B] = true, true
		}
	}
}

// report reports that a tensor of a has the elements of one of b, whose fingerprint is the same.
func (c *contents) report(all []tensorReport, inA, inB string, ambiguous bool) bool {
	one, err := c.compareNamed(inA, inB, true)
	if err != nil {
		return false
	}
	if !one.Equal {
		one.outcome = rearranged
	}
	if inA != inB {
		one.MovedTo, one.MovedRaw, one.Ambiguous = &inB, text.RawBytes(inB), ambiguous
		if one.Equal {
			one.outcome = moved
		}
		c.gone[inB] = all[c.at[inB]].outcome == onlyInB
	}
	all[c.at[inA]] = one
	return true
}

// left returns the items without a partner.
func (c *contents) left() (left [2][]int) {
	for side, items := range c.items {
		for i := range items {
			if !c.found[side][i] {
				left[side] = append(left[side], i)
			}
		}
	}
	return left
}

// findTied reports the tensors of one side whose elements another one already has on both: two names for one weight.
func (c *contents) findTied(all []tensorReport) {
	left := c.left()
	if len(left[0])+len(left[1]) == 0 {
		return
	}
	wanted, sizes := map[relate.Fingerprint]string{}, map[int]bool{}
	for side, list := range left {
		for _, i := range list {
			sizes[c.items[side][i].Print.Count] = true
		}
	}
	for side, partner := range []func(one *tensorReport) string{func(one *tensorReport) string { return one.Name }, (*tensorReport).nameInB} {
		var names []string
		for i := range all {
			if one := &all[i]; one.report != nil && one.outcome != differs && one.Elements != nil && sizes[*one.Elements] {
				names = append(names, partner(one))
			}
		}
		for _, x := range c.side(side).Contents(names) {
			if x.Print.Count > 0 {
				wanted[x.Print] = x.Name
			}
		}
		for _, i := range left[1-side] {
			x := c.items[1-side][i]
			if to, ok := wanted[x.Print]; ok && !x.Print.Constant() {
				one := &all[c.at[x.Name]]
				one.TiedTo, one.outcome = &to, tied
			}
		}
		clear(wanted)
	}
}

// nameInB returns the tensor's name in b.
func (one *tensorReport) nameInB() string {
	if one.MovedTo != nil {
		return *one.MovedTo
	}
	return one.Name
}

// lastWord reports whether a name ends in one of some words: conv1/kernel in kernel.
func lastWord(name string, words ...string) bool {
	return slices.Contains(words, name[strings.LastIndexAny(name, "./_")+1:])
}

// part is a tensor of one side in a larger one of the other.
type part struct {
	Name  string `json:"name"`
	Dim   int    `json:"along_dim"`             // dim of the whole along which parts follow each other
	Start int    `json:"first_slice"`           // along along_dim
	Size  int    `json:"slices"`                // along along_dim
	Order []int  `json:"permutation,omitempty"` // of the part's dims
}

// joinParts reports tensors that are several of the other side, one after the other along a dim: qkv for q, k and v.
func (c *contents) joinParts(all []tensorReport) {
	for _, f := range pairing.FindFused([2]pairing.Side{c.side(0), c.side(1)}, c.items, c.left()) {
		side := 1
		if f.InA {
			side = 0
		}
		one := &all[c.at[c.items[side][f.Whole].Name]]
		one.outcome = fused
		for _, p := range f.Parts {
			one.Parts = append(one.Parts, part{p.Name, p.Dim, p.Start, p.Size, p.Order})
			c.gone[p.Name] = true
		}
		c.found[side][f.Whole] = true
		for _, i := range f.Items {
			c.found[1-side][i] = true
		}
	}
}

// partNames lists parts for a page, in their order: q, k, v.
func partNames(parts []part) string {
	var names []string
	for _, p := range parts {
		names = append(names, shownName(p.Name))
	}
	return text.First(4, names, ", ")
}
