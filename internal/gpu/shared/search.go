package shared

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// maxBytes is the most shared memory of a block, which compute capability 9.0 and 10.0 have: 1 KiB of the 228 of a multiprocessor is
// reserved. (Tuning CUDA Applications for Hopper and for Blackwell GPU Architecture, CUDA 13, "Occupancy")
const maxBytes = 227 << 10

// Choice is a layout of a tile and what its patterns cost.
type Choice struct {
	Kind  string `json:"kind" jsonschema:"given, swizzle, pad or tma"` // its kind, in a word
	Text  string `json:"layout"`
	Bytes int    `json:"bytes" jsonschema:"of shared memory, pads included"`
	BankCounts
	Each []int  `json:"transactions_by_pattern"`                                        // transactions of each access pattern
	Mode string `json:"tma_mode" jsonschema:"empty if none does, or it has no swizzle"` // mode of TMA that writes it

	Layout tensor.Layout `json:"-"`
}

// Compare orders choices by transactions, then by bytes.
func (c Choice) Compare(other Choice) int {
	return cmp.Or(cmp.Compare(c.Transactions, other.Transactions), cmp.Compare(c.Bytes, other.Bytes))
}

// Search looks for layouts of a tile that need fewer transactions for its patterns.
type Search struct {
	Patterns []Pattern
	Given    Choice // the tile as it is

	plain   Choice // without a swizzle
	offsets []int  // of the elements in the plain tile
	size    int    // bytes per element
	vector  int    // elements of the largest vector
	row     int    // elements from row to row: the smallest stride over 1
}

// NewSearch parses patterns for a tile of elements of size bytes. It fails as Parse does, with Usage without elements, and with Unsupported
// above 227 KiB.
func NewSearch(l tensor.Layout, size int, patterns []string) (*Search, error) {
	plain, err := l.Plain().Renamed(l.Names(), tensor.Unbounded)
	if err != nil {
		return nil, err
	}
	n := plain.Alloc()
	if n == 0 {
		return nil, fault.New(fault.Usage, "the tile has no elements")
	}
	if n > maxBytes/max(size, 1) {
		return nil, fault.New(fault.Unsupported, "a tile of %s of %s: a block has at most %s of shared memory",
			text.Count(n, "element"), text.Count(size, "byte"), text.Bytes(maxBytes))
	}
	s := &Search{size: size, vector: 1, row: plain.Alloc()}
	digits := notation.SplitDims(plain)
	for d, stride := range digits.Strides {
		if digits.Shape[d] > 1 && stride > 1 {
			s.row = min(s.row, stride)
		}
	}
	for _, pattern := range patterns {
		p, err := Parse(pattern, plain, size)
		if err != nil {
			return nil, err
		}
		s.Patterns = append(s.Patterns, p)
		s.vector = max(s.vector, p.n)
	}
	s.offsets = offsetsOf(plain)
	s.plain, err = s.choice("given", plain, s.offsets, tensor.Swizzle{}, s.row, nil)
	if err != nil {
		return nil, err
	}
	s.Given, err = s.choice("given", plain, s.offsets, l.Swizzle(), s.row, nil)
	return s, err
}

// choice counts the patterns in a swizzled layout of the tile with whole rows; offsets are before the swizzle. It stops, with a lower bound
// of the transactions, if best, unless nil, is as cheap. It fails if a vector is not an aligned run, or a layout that is not given exceeds
// 227 KiB.
func (s *Search) choice(kind string, l tensor.Layout, offsets []int, z tensor.Swizzle, row int, best *Choice) (Choice, error) {
	l, err := l.Swizzled(z, tensor.Unbounded)
	c := Choice{Kind: kind, Layout: l, Bytes: ints.CeilDiv(l.Alloc(), row) * row * s.size}
	if err != nil {
		return c, err
	}
	if kind != "given" && c.Bytes > maxBytes {
		return c, fault.New(fault.Unsupported, "rows of %s exceed %s", text.Bytes(int64(c.Bytes)), text.Bytes(maxBytes))
	}
	limit := math.MaxInt
	if best != nil {
		limit = best.Transactions
		if c.Bytes >= best.Bytes {
			limit--
		}
	}
	for k := range s.Patterns {
		n, err := s.Patterns[k].count(offsets, z, nil, limit-c.Transactions)
		if err != nil || n.Transactions > limit-c.Transactions {
			c.Transactions += n.Transactions
			return c, err
		}
		c.Each = append(c.Each, n.Transactions)
		c.Accesses = c.Accesses + n.Accesses
		c.Transactions = c.Transactions + n.Transactions
		c.Degree = max(c.Degree, n.Degree)
	}
	c.Text = notation.CuTe(l)
	return c, nil
}

// Swizzle returns the cheapest tile with a swizzle of fewer transactions than the plain one; ok is false if none has fewer.
//
// It tries all Sw<B,M,S> with B ≤ 5, as there are 2⁵ banks, and S ≥ B, except those that break vectors or do not change banks:
//
//	vector ≤ 2^M < elements in 128 bytes,   2^(M+S) < elements of the tile
//
// Of equally cheap ones, it takes the smallest B, then the largest M, which keeps the longest vectors whole, then the smallest S.
func (s *Search) Swizzle() (best Choice, ok bool) {
	best = s.plain
	first, last := bits.Len(uint(s.vector))-1, bits.Len(uint(Banks*WordBytes/s.size-1))-1
	for b := 1; b <= 5 && (best.Transactions > best.Accesses || best.Bytes > s.plain.Bytes); b++ {
		for m := last; m >= first; m-- {
			for shift := b; 1<<(m+shift) < s.plain.Layout.Alloc(); shift++ {
				z := tensor.Swizzle{Bits: b, Base: m, Shift: shift}
				c, err := s.choice("swizzle", s.plain.Layout, s.offsets, z, s.row, &best)
				if err == nil && c.Compare(best) < 0 {
					best = c
					ok = true
				}
			}
		}
	}
	return best, ok
}

// Pad returns the cheapest tile with unused elements after each row, of fewer transactions than the plain one; ok is false if none has
// fewer. It tries all pads that keep vectors aligned, up to 128 bytes, after which the banks are the same again.
func (s *Search) Pad() (best Choice, ok bool) {
	best = s.plain
	for pad := s.vector; pad*s.size < Banks*WordBytes && best.Transactions > best.Accesses; pad += s.vector {
		l, err := s.restrided(s.row+pad, s.row)
		if err != nil {
			return best, ok
		}
		if c, err := s.choice("pad", l, offsetsOf(l), tensor.Swizzle{}, s.row+pad, &best); err == nil && c.Transactions < best.Transactions {
			best = c
			ok = true
		}
	}
	return best, ok
}

// restrided returns the plain tile with row elements from row to row. Rows longer than span elements are cut into spans, each a tile of
// its own behind the others. It fails with Usage if a stride is negative, or over 1 and not a multiple of the old row.
func (s *Search) restrided(row, span int) (tensor.Layout, error) {
	var dims []tensor.Dim
	plain := s.plain.Layout
	for d := range plain.Rank() {
		dim := plain.Dim(d)
		dim.Digits = nil
		for _, g := range plain.Dim(d).Digits {
			if g.Stride == 1 && g.Extent > span {
				dim.Digits = append(dim.Digits, tensor.Digit{Div: g.Div, Extent: span, Stride: 1},
					tensor.Digit{Div: g.Div * span, Extent: g.Extent / span, Stride: plain.Numel() / s.row * span})
				continue
			}
			if !s.inRows(g) {
				return tensor.Layout{}, fault.New(fault.Usage, "%s is not a tile of rows", plain)
			}
			if g.Stride > 1 {
				g.Stride = g.Stride / s.row * row
			}
			dim.Digits = append(dim.Digits, g)
		}
		dims = append(dims, dim)
	}
	return tensor.New(dims, plain.Offset(), tensor.Unbounded)
}

// inRows reports whether a digit stays in a row or steps over whole rows.
func (s *Search) inRows(g tensor.Digit) bool {
	if g.Extent > 1 && g.Stride > 1 {
		return g.Stride%s.row == 0
	}
	return g.Stride >= 0
}
