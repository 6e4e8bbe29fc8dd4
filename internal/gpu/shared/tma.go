package shared

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/descriptor"
	"github.com/tlayout/tlayout/internal/tensor"
)

// box returns the tile that a mode writes: consecutive boxes with rows of its span. It fails with Usage if the tile has gaps, or
// rows that the span does not divide.
func (s *Search) box(m descriptor.TMAMode) (tensor.Layout, error) {
	plain := s.plain.Layout
	row := m.Span / s.size
	if s.row%row != 0 || plain.Offset() != 0 || plain.Alloc() != plain.Numel() {
		return tensor.Layout{}, fault.New(fault.Usage, "%s has no rows of %d bytes", plain, m.Span)
	}
	l, err := s.restrided(row, row)
	if err == nil {
		l, err = l.Swizzled(m.Swizzle.Recast(8, 8*s.size), tensor.Unbounded)
	}
	return l, err
}

// Mode returns the name of the mode that writes a swizzled layout of the tile; empty if none does.
func (s *Search) Mode(tile tensor.Layout) string {
	if tile.Swizzle().IsZero() {
		return ""
	}
	offsets := offsetsOf(tile)
	for _, m := range descriptor.TMAModes {
		if l, err := s.box(m); err == nil && slices.Equal(offsetsOf(l), offsets) {
			return m.Name
		}
	}
	return ""
}

// TMA returns the cheapest tile that SWIZZLE_128B, 64B or 32B writes; ok is false if none does.
func (s *Search) TMA() (best Choice, ok bool) {
	for _, m := range descriptor.TMAModes[:3] {
		l, err := s.box(m)
		if err != nil {
			continue
		}
		c, err := s.choice("tma", l.Plain(), offsetsOf(l.Plain()), l.Swizzle(), s.row, nil)
		c.Mode = m.Name
		if err == nil && (!ok || c.Compare(best) < 0) {
			best = c
			ok = true
		}
	}
	return best, ok
}
