package cli

import (
	"cmp"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Side is one of two tensors that a command converts between or compares. Strides are null for a blocked layout.
type Side struct {
	Layout    string   `json:"layout"`
	FileShape []int    `json:"file_shape" jsonschema:"null without a file"`
	Dims      []string `json:"dims"`
	Shape     []int    `json:"shape"` // sizes of the dims, in logical order; of blocks, in values
	Strides   []int    `json:"strides" jsonschema:"null for a blocked layout"`
	Notation  string   `json:"notation"`

	swizzle string // CuTe's permutation of offsets; usually empty
}

// NewSide returns the side of a tensor with this memory order and layout; fileShape is nil without a file.
func NewSide(order string, fileShape []int, l tensor.Layout) Side {
	text := l.String()
	side := Side{Layout: cmp.Or(order, text), FileShape: fileShape, Dims: l.Names(), Shape: l.Shape(), Notation: text}
	if z := l.Swizzle(); !z.IsZero() {
		side.swizzle = z.String()
	}
	if s, ok := l.Strided(); ok {
		side.Strides = s.Strides
	}
	return side
}

// Name returns the layout's name, or its swizzle, Sw<3,4,3>; empty without either.
func (s Side) Name() string {
	if s.Layout == s.Notation {
		return s.swizzle
	}
	return s.Layout
}

// StridesText returns the strides, or the notation of a layout without them: blocks: (2,(4,2)):(8,(1,4)).
func (s Side) StridesText() string {
	if s.Strides != nil {
		return tensor.Tuple(s.Strides)
	}
	if s.swizzle != "" {
		return s.Notation
	}
	return "blocks: " + s.Notation
}

// Sizes returns the logical sizes as text: N,C,H,W = (2, 3, 4, 5).
func (s Side) Sizes() string { return tensor.NamedSizes(s.Dims, s.Shape) }
