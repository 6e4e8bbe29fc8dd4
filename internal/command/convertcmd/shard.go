package convertcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// planShard is the transfer of one of the equal parts of a tensor, such as the heads of a cache that one device has, into a tensor of its own in the
// target layout. A run is consecutive on both sides.
type planShard struct {
	Parts int   `json:"shards_total"`  // equal parts
	Shape []int `json:"shape"`         // sizes of the dims, in logical order; of blocks, in values
	Bytes int   `json:"shard_bytes"`   // bytes of a part, without padding
	Runs  int   `json:"shard_runs"`    // runs of a part, consecutive in source and target
	Short int   `json:"run_bytes_min"` // bytes of the shortest run
	Long  int   `json:"run_bytes_max"` // bytes of the longest run
}

// shardOf plans the transfer of a part of a conversion's tensor, by --shard DIM/N.
func shardOf(c *conversion, list []string) (*planShard, error) {
	if c.keepsAxes() || !c.from.Swizzle().IsZero() {
		return nil, fault.New(fault.Usage, "--shard needs a layout with named dims, and no swizzle").WithHint("--to NHD --shard H/2")
	}
	s := &planShard{Parts: 1, Shape: c.from.Shape()}
	for _, spec := range list {
		d, n, err := parseShard(spec, c.from, s.Shape)
		if err != nil {
			return nil, err
		}
		s.Parts = s.Parts * n
		s.Shape[d] = s.Shape[d] / n
	}
	t := *c.tensor
	d := c.tensor.DType
	var err error
	t.Layout, err = firstOf(c.from, s.Shape)
	if err != nil {
		return nil, err
	}
	part, err := newConversion(c.request, &t)
	if err != nil {
		return nil, err
	}
	p, err := convert.NewPlan(part.target.Layout, part.from, d.ItemSize())
	if err != nil {
		return nil, err
	}
	runs, short, long := p.Runs()
	bytes := func(elements int) int { return int(d.Size(int64(elements))) }
	s.Runs = runs
	s.Bytes = bytes(p.Elems())
	s.Short = bytes(short)
	s.Long = bytes(long)
	return s, nil
}

// firstOf returns the first elements of a layout, as many in each dim as shape says.
func firstOf(l tensor.Layout, shape []int) (tensor.Layout, error) {
	dims := make([]tensor.Dim, l.Rank())
	for d := range dims {
		dims[d] = l.Dim(d)
		last := len(dims[d].Digits) - 1
		dims[d].Size, dims[d].Digits = shape[d], slices.Clone(dims[d].Digits)
		dims[d].Digits[last].Extent = ints.CeilDiv(shape[d], dims[d].Digits[last].Div)
	}
	return tensor.New(dims, l.Offset(), l.Alloc())
}

// parseShard parses H/2. All parts must begin alike: at or inside blocks of the dim, so that they have the same runs.
func parseShard(spec string, l tensor.Layout, sizes []int) (d, n int, err error) {
	name, parts, _ := strings.Cut(spec, "/")
	n, err = strconv.Atoi(parts)
	d = slices.Index(l.Names(), dimName(name))
	if err != nil || n < 1 || d < 0 {
		return 0, 0, fault.New(fault.Usage, "invalid --shard %s: want a dim of %s and a number of parts: %s/2", text.Quoted(spec),
			strings.Join(l.Names(), ","), l.Names()[0])
	}
	if sizes[d]%n != 0 {
		return 0, 0, fault.New(fault.Usage, "--shard %s: %d does not divide size %d", text.Quote(spec), n, sizes[d])
	}
	for _, g := range l.Dim(d).Digits {
		if per := sizes[d] / n; per%g.Div != 0 && g.Div%per != 0 {
			return 0, 0, fault.New(fault.Unsupported, "--shard %s: parts of %d begin at different offsets in blocks of %d", text.Quote(spec), per, g.Div)
		}
	}
	return d, n, nil
}

// String says how many runs a part has, and how long they are.
func (s *planShard) String() string {
	each := text.Bytes(int64(s.Long))
	if s.Short != s.Long {
		each = text.Bytes(int64(s.Short)) + " to " + each
	}
	return fmt.Sprintf("each of %d parts %s is %s of %s, consecutive on both sides", s.Parts, tensor.Tuple(s.Shape), text.Count(s.Runs, "run"), each)
}
