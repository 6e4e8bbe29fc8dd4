package diffcmd

import (
	"strings"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/relate/wording"
)

// rows are of which rows of the other side's tensors a tensor is made.
type rows struct {
	How    string          `json:"made,omitempty"`    // in a few words
	Pieces []pairing.Piece `json:"made_of,omitempty"` // copies that make it
	ofA    bool            // it is a's
}

// rowsOf returns how the tensor of b is made of rows of the one of a, without a's name.
func (c *contents) rowsOf(inA, inB string) rows {
	var items [2][]relate.Item
	for side, name := range []string{inA, inB} {
		for _, x := range c.items[side] {
			if x.Name == name {
				items[side] = []relate.Item{x}
			}
		}
	}
	found := pairing.FindMade([2]pairing.Side{c.side(0), c.side(1)}, items, [2][]int{nil, {0}})
	if len(found) == 0 {
		return rows{}
	}
	return rows{How: wording.Of(found[0]).Rows, Pieces: found[0].Pieces}
}

// fullName returns the name of a tensor with that of its file.
func (p *pair) fullName(i int) string {
	shown := p.sources[i].Shown()
	own := p.tensors[i].OwnName()
	if own == "" || strings.Contains(shown, own) {
		return shown
	}
	return shown + ":" + own
}

// isSliceOfA reports whether b is one slice of a.
func (r *rows) isSliceOfA() bool { return len(r.Pieces) == 1 && !r.ofA }

// madeOfRows finds of which rows of one another two tensors are made: b of a's, or else a of b's.
func (p *pair) madeOfRows(d *differ) (r rows, err error) {
	var sides [2]pairing.Side
	var items [2][]relate.Item
	for i := range sides {
		open := func(string) (*source.Tensor, error) { return d.inputs[i].open(p.sources[i]) }
		sides[i] = pairing.Side{Open: open, Convert: d.moving}
		items[i], err = sides[i].Contents([]string{p.fullName(i)})
		if err != nil {
			return r, err
		}
	}
	found := pairing.FindMade(sides, items, [2][]int{nil, {0}})
	aIsPart := p.layouts[0].Numel() < p.layouts[1].Numel()
	if len(found) == 0 && aIsPart {
		found = pairing.FindMade(sides, items, [2][]int{{0}, nil})
	}
	if len(found) == 0 {
		return r, nil
	}
	return rows{wording.Of(found[0]).How, found[0].Pieces, found[0].InA}, nil
}
