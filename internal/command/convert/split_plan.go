package convert

import (
	"fmt"
	"path/filepath"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// splitPlan is what plan --split says: how many files, what they read of a source on a network, and what two passes would.
type splitPlan struct {
	Files int     `json:"split_files"`
	Axis  int     `json:"split_axis"`
	Each  int     `json:"split_size"` // values of the axis in every file but the last
	Near  int64   `json:"near_bytes"` // gaps up to this are read
	One   reading `json:"one_pass"`
	Gaps  int64   `json:"gap_bytes"` // of One
	// Two is nil if both layouts have the same outermost dim: then files read in order already.
	Two     *twoPasses `json:"two_passes"`
	Cheaper string     `json:"cheaper"` // one_pass or two_passes, where a read counts as NearBytes
}

// twoPasses is a conversion by way of another layout.
type twoPasses struct {
	reading
	Layout   string   `json:"layout_between"`
	Written  int64    `json:"bytes_between"`
	Commands []string `json:"commands"`
}

// newSplitPlan weighs a split conversion.
func newSplitPlan(c *conversion, p *convert.Plan, n int) (*splitPlan, error) {
	s, err := newSplit(p, c.target, n)
	if err != nil {
		return nil, err
	}
	_, each := s.values(0)
	r := &splitPlan{Files: s.files(), Axis: s.axis, Each: each, Near: nearRead, One: s.reading(), Cheaper: "one_pass"}
	r.Gaps = max(0, r.One.Bytes-int64(c.from.Numel())*int64(p.ItemSize))
	written := int64(p.Alloc) * int64(p.ItemSize)
	if r.Two, err = c.twoPasses(p, n); err != nil || r.Two == nil {
		return r, err
	}
	if r.Two.cost(r.Two.Written+written) < r.One.cost(written) {
		r.Cheaper = "two_passes"
	}
	return r, nil
}

// twoPasses is the cost of both passes; nil if there is no layout between.
func (c *conversion) twoPasses(p *convert.Plan, n int) (*twoPasses, error) {
	f, ok := c.between(n)
	if !ok {
		return nil, nil
	}
	sizes := c.target.Layout.Shape()
	f, ok = f.Over(c.target.Layout.Names())
	if !ok {
		return nil, nil
	}
	target, err := convert.Named(f, sizes, nil)
	if err != nil {
		return nil, err
	}
	t := &twoPasses{Layout: f.String(), Written: int64(target.Layout.Alloc()) * int64(p.ItemSize)}
	add := func(p *convert.Plan, err error, target convert.Target) error {
		if err != nil {
			return err
		}
		s, err := newSplit(p, target, n)
		if err != nil {
			return err
		}
		r := s.reading()
		t.Reads += r.Reads
		t.Bytes += r.Bytes
		return nil
	}
	in, err := convert.NewPlan(target.Layout, c.from, p.ItemSize)
	if err := add(in, err, target); err != nil {
		return nil, err
	}
	out, err := convert.NewPlan(c.target.Layout, target.Layout, p.ItemSize)
	if err := add(out, err, c.target); err != nil {
		return nil, err
	}
	from := c.flags.source
	if from == "" {
		from = "x.npy"
	}
	first := words.Shell(from)
	if c.tensor.Told == source.ByUser {
		first += " --from " + words.Shell(c.tensor.Format.Key())
	}
	between := filepath.Join("between", newSplitNames(source.Stem(filepath.Base(from), c.tensor.FileShape)+"."+target.Name+".npy").manifest())
	t.Commands = []string{
		fmt.Sprintf("tlayout convert %s --to %s --split %d -d between/", first, words.Shell(t.Layout), n),
		fmt.Sprintf("tlayout convert %s --to %s --split %d -d out/", words.Shell(between), words.Shell(c.targetName()), n),
	}
	return t, nil
}

// lines say it on the screen.
func (r *splitPlan) lines(axis string) []string {
	count := func(r reading) string {
		return fmt.Sprintf("%s of %s", words.Count(int(r.Reads), "range read"), words.ShortBytes(r.Bytes))
	}
	line := fmt.Sprintf("%s along %s, %s each: %s of the source", words.Count(r.Files, "file"), axis, words.Count(r.Each, "value"), count(r.One))
	if r.Gaps > 0 {
		line += fmt.Sprintf(", %s of them gaps of at most %s", words.ShortBytes(r.Gaps), words.ShortBytes(r.Near))
	}
	lines := []string{line}
	if r.Two == nil {
		return lines
	}
	line = fmt.Sprintf("two passes: %s, and %s written between; ", count(r.Two.reading), words.ShortBytes(r.Two.Written))
	if r.Cheaper == "two_passes" {
		line += "cheaper"
	} else {
		line += "one is cheaper"
	}
	return append(lines, line+", a read counted as "+words.ShortBytes(r.Near))
}
