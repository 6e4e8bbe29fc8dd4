package main

import (
	"github.com/tlayout/tlayout/internal/explain"
	"github.com/tlayout/tlayout/internal/tensor"
)

// offsetPadding says why no element lies at an offset.
type offsetPadding struct {
	Kind  explain.PaddingKind `json:"kind"`
	Why   string              `json:"why"`
	Would []int               `json:"would_be"` // the coordinate that would lie there, were the sizes larger; null for none
}

func newOffsetPadding(l tensor.Layout, off int) *offsetPadding {
	p := explain.NewPadding(l, off)
	return &offsetPadding{p.Kind, p.String(), p.Would}
}
