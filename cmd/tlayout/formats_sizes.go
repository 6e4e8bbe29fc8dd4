package main

import (
	"math"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// formatsSizes is what follows from sizes. Strides are elements.
type formatsSizes struct {
	ItemSize   int               `json:"itemsize"`
	Shape      []int             `json:"shape"`
	Physical   []int             `json:"physical_shape"`
	Strides    []int             `json:"strides"` // of the dims; null where they are in blocks
	Packed     bool              `json:"packed"`
	Elems      *int              `json:"storage_elems"`
	Bytes      *int              `json:"storage_bytes"`
	Padding    []formatsPadding  `json:"padding"`
	PadElems   int               `json:"pad_elems"`
	Candidates []candidateReport `json:"candidates"`
	Ambiguity  string            `json:"ambiguity,omitempty"`

	layout *tensor.Layout // nil without sizes
	offer  notation.Offer
}

// noSizes is that of a memory order alone.
func noSizes() formatsSizes {
	return formatsSizes{Packed: true, Padding: []formatsPadding{}, Candidates: []candidateReport{}}
}

func newFormatsSizes(t *source.Tensor, byStrides bool) (formatsSizes, error) {
	s := noSizes()
	l := t.Layout
	s.Packed = t.HasFormat && t.Format.Packs(l) && l.Offset() == 0
	if _, plain := l.Strided(); s.Packed && !plain { // to the end of the last block
		l, _ = t.Format.Bind(l.Shape())
	}
	elems, item := l.Alloc(), t.DType.ItemSize()
	if item > 0 && elems > math.MaxInt/item {
		return s, fault.New(fault.Unsupported, "shape %s of %s has more bytes than an address can count",
			tensor.Tuple(l.Shape()), t.DType)
	}
	bytes := elems * item
	s.ItemSize, s.Shape, s.Elems, s.Bytes, s.layout, s.offer = item, l.Shape(), &elems, &bytes, &l, newOffer(t, t.Layout.Occupancy().Overlapping)
	if !t.HasFormat && l.Numel() == 0 { // of an empty tensor every order is the packed one
		s.offer.Orders = nil
	}
	if s.Packed {
		s.Padding, s.PadElems = newFormatsPadding(l), elems-l.Numel()
	}
	if strided, plain := l.Strided(); plain {
		s.Strides = strided.Strides
		if byStrides && t.HasFormat {
			s.infer(strided, l.Names())
		}
	}
	return s, nil
}

// infer lists the orders that strides agree with.
func (s *formatsSizes) infer(strided tensor.Strided, names []string) {
	in := strided.Infer(names, source.KnownOrders(names))
	for _, c := range in.Candidates {
		s.Candidates = append(s.Candidates, candidateReport{notation.Order(names, c.Order).String(), c.Why})
	}
	s.Ambiguity = in.Ambiguity
}
