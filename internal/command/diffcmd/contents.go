package diffcmd

import (
	"slices"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/relate/wording"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/text"
)

// byContents looks for the elements of the tensors that are not the same under one name: in another order, under another name, tied to
// another tensor, made of rows of others, or near. It reads them once for each step.
func (d *differ) byContents(all []tensorReport) []tensorReport {
	var names [2][]string
	for _, t := range all {
		for i, side := range sideNames {
			if t.OnlyIn == side || t.outcome == differs && !slices.Equal(t.DiffersIn, []string{"dtype"}) {
				names[i] = append(names[i], t.Name)
			}
		}
	}
	c := contents{differ: d, at: map[string]int{}, mentioned: map[string]bool{}, differing: map[string]bool{}}
	for i, t := range all {
		c.at[t.Name] = i
	}
	for i := range names {
		c.items[i], _ = d.side(i).Contents(names[i]) // what cannot be read was reported
	}
	all = c.pair(all)
	return slices.DeleteFunc(all, func(t tensorReport) bool {
		return c.mentioned[t.Name] && (t.outcome == onlyInA || t.outcome == onlyInB)
	})
}

// contents pairs tensors by their elements.
type contents struct {
	*differ
	items     [2][]relate.Item
	found     [2]map[int]bool // items that have a partner, or are parts or wholes
	at        map[string]int  // the index of a name among the outcomes
	mentioned map[string]bool // names only in one side that another outcome mentions

	paired    [2]map[relate.Fingerprint]string // names of the tensors that both sides have
	differing map[string]bool                  // names under which both have a tensor, and not the same
}

// side returns the tensors of a side, to be read by name.
func (d *differ) side(i int) pairing.Side {
	in := d.inputs[i]
	return pairing.Side{Open: func(name string) (*source.Tensor, error) { return in.open(in.sources[name]) }, Convert: d.moving}
}

// pair reports the tensors that have the same elements, also those that are several of the other side. Constants come last: they may be
// parts, and their partners are a matter of names; those that differ under one name have none.
func (c *contents) pair(all []tensorReport) []tensorReport {
	for side, items := range c.items {
		c.items[side] = slices.DeleteFunc(items, func(x relate.Item) bool { return x.Print.Constant() && all[c.at[x.Name]].outcome == differs })
	}
	c.found = [2]map[int]bool{{}, {}}
	c.paired = [2]map[relate.Fingerprint]string{{}, {}}
	matches := relate.Pair(c.items[0], c.items[1], c.work)
	take := func(constant bool) {
		for _, m := range matches {
			a := c.items[0][m.A]
			b := c.items[1][m.B]
			if a.Print.Constant() != constant || c.found[0][m.A] || c.found[1][m.B] {
				continue
			}
			if !c.report(all, a.Name, b.Name, m.Ambiguous) {
				continue
			}
			c.found[0][m.A] = true
			c.found[1][m.B] = true
			c.paired[0][a.Print] = a.Name
			c.paired[1][b.Print] = b.Name
		}
	}
	for _, t := range all {
		c.differing[t.Name] = t.outcome == differs
	}
	take(false)
	all = c.split(all)
	c.findTied(all)
	c.makeOfRows(all)
	take(true)
	c.findNear(all)
	return all
}

// split reports what is left of a name under which two tensors differ, if one of them has its partner under another name.
func (c *contents) split(all []tensorReport) []tensorReport {
	var has [2]map[string]bool
	for side, items := range c.items {
		has[side] = map[string]bool{}
		for i := range c.found[side] {
			has[side][items[i].Name] = true
		}
	}
	for _, t := range slices.Clone(all) {
		name := t.Name
		raw := text.RawBytes(t.Name)
		if !c.differing[name] || has[0][name] == has[1][name] {
			continue
		}
		if has[0][name] {
			all = append(all, tensorReport{Name: name, Raw: raw, OnlyIn: "b", outcome: onlyInB})
			continue
		}
		all[c.at[name]] = tensorReport{Name: name, Raw: raw, OnlyIn: "a", outcome: onlyInA}
	}
	return all
}

// report reports that a tensor of a has the elements of one of b, whose fingerprint is the same.
func (c *contents) report(all []tensorReport, inA, inB string, ambiguous bool) bool {
	t, err := c.compareNamed(inA, inB, sameElements)
	if err != nil {
		return false
	}
	if !t.Equal {
		t.outcome = rearranged
		if r := t.report.Relation; r == nil || r.Kind == relate.Shuffled || r.Differ > 0 {
			t.rows = c.rowsOf(inA, inB)
		}
	}
	c.place(all, t, inB, ambiguous)
	return true
}

// place makes a tensor of a, and its partner in b, an outcome.
func (c *contents) place(all []tensorReport, t tensorReport, inB string, ambiguous bool) {
	inA := t.Name
	if inA != inB {
		t.MovedTo = &inB
		t.MovedRaw = text.RawBytes(inB)
		t.Ambiguous = ambiguous
		if t.Equal {
			t.outcome = moved
		}
		if all[c.at[inB]].outcome == onlyInB {
			c.mentioned[inB] = true
		}
	}
	all[c.at[inA]] = t
}

// findNear reports tensors that have numbers of each other: those that differ under one name, and those without a partner that may be near.
func (c *contents) findNear(all []tensorReport) {
	for _, t := range slices.Clone(all) {
		if t.outcome == differs {
			c.reportNear(all, t.Name, t.Name)
		}
	}
	for _, p := range pairing.NearPairs([2]pairing.Side{c.side(0), c.side(1)}, c.items, c.left()) {
		if c.found[0][p[0]] || c.found[1][p[1]] {
			continue
		}
		if c.reportNear(all, c.items[0][p[0]].Name, c.items[1][p[1]].Name) {
			c.found[0][p[0]] = true
			c.found[1][p[1]] = true
		}
	}
}

// reportNear reports that a tensor of a has the numbers of one of b, rounded, scaled or within a tolerance, if it has.
func (c *contents) reportNear(all []tensorReport, inA, inB string) bool {
	t, err := c.compareNamed(inA, inB, nearNumbers)
	if err != nil || t.report.Relation == nil {
		return false
	}
	if t.report.Relation.IsPart() {
		if inA == inB {
			all[c.at[inA]] = t // which says so
		}
		return false
	}
	t.outcome = rearranged
	if r := t.report.Relation; r.SameDims() || r.Kind == relate.Converted {
		t.outcome = recast
	}
	c.place(all, t, inB, false)
	return true
}

// left returns the items without a partner whose name only one side has.
func (c *contents) left() (left [2][]int) {
	for side, items := range c.items {
		for i := range items {
			if !c.found[side][i] && !c.differing[items[i].Name] {
				left[side] = append(left[side], i)
			}
		}
	}
	return left
}

// findTied reports the tensors of one side whose elements a tensor of both already has: two names for one weight. Of those that are the same
// under one name, a's are read.
func (c *contents) findTied(all []tensorReport) {
	left := c.left()
	sizes := map[int]bool{}
	for side, list := range left {
		for _, i := range list {
			sizes[c.items[side][i].Print.Count] = true
		}
	}
	var names []string
	for i := range all {
		if t := &all[i]; t.outcome.equal() && sizes[*t.Elements] {
			names = append(names, t.Name)
		}
	}
	read, _ := c.side(0).Contents(names)
	for _, x := range read {
		c.paired[0][x.Print] = x.Name
		c.paired[1][x.Print] = x.Name
	}
	for side, list := range left {
		for _, i := range list {
			x := c.items[side][i]
			if to, ok := c.paired[1-side][x.Print]; ok && !x.Print.Constant() {
				t := &all[c.at[x.Name]]
				t.TiedTo = &to
				t.outcome = tied
				c.found[side][i] = true
			}
		}
	}
}

// rank orders what is reported of tensors that contain each other's rows: a tensor of several first, if words say how, then each part.
func rank(m pairing.Made) int {
	if !wording.Of(m).Plain {
		return 2
	}
	if len(m.Sources()) == 1 {
		return 1
	}
	return 0
}

// makeOfRows reports tensors that are made of rows of the other side's: qkv of q, k and v, first those that are made of several. Of two that
// differ under one name, b's may be a part of a's.
func (c *contents) makeOfRows(all []tensorReport) {
	targets := c.left()
	for i, x := range c.items[1] {
		if c.differing[x.Name] && !c.found[1][i] {
			targets[1] = append(targets[1], i)
		}
	}
	found := pairing.FindMade([2]pairing.Side{c.side(0), c.side(1)}, c.items, targets)
	for _, m := range found {
		if !m.InA {
			c.made[c.items[1][m.Target].Name] = m
		}
	}
	sorting.By(found, func(x, y pairing.Made) int { return rank(x) - rank(y) })
	for _, m := range found {
		side := 1
		if m.InA {
			side = 0
		}
		if c.found[side][m.Target] {
			continue
		}
		t := &all[c.at[c.items[side][m.Target].Name]]
		t.outcome = made
		t.Pieces = m.Pieces
		t.How = wording.Of(m).How
		c.found[side][m.Target] = true
		for _, i := range m.Sources() {
			name := c.items[1-side][i].Name
			if !c.found[1-side][i] && !c.differing[name] {
				c.mentioned[name] = true
			}
			c.found[1-side][i] = true
		}
	}
}
