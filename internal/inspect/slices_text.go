//go:build !js

package inspect

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

func newSlices(all []checkpoint.Slice) (slices []Slice) {
	for _, s := range all {
		slices = append(slices, Slice{s.Offsets, s.Sizes, s.File, s.At, s.Bytes})
	}
	return slices
}

func newPartOf(l *checkpoint.Local) *PartOf {
	if l == nil {
		return nil
	}
	return &PartOf{l.Shape, l.Offsets, l.Placements}
}

// SlicesText counts slices and their files: 4 in 2 files. It is empty without any.
func SlicesText(slices []Slice) string {
	if len(slices) == 0 {
		return ""
	}
	files := map[string]bool{}
	for _, s := range slices {
		files[s.File] = true
	}
	return fmt.Sprintf("%d in %s", len(slices), text.Count(len(files), "file"))
}

// sliceLines says where each slice is.
func sliceLines(slices []Slice) (lines []string) {
	for i, s := range slices {
		if i == maxLines {
			return append(lines, fmt.Sprintf("… %d more; use --json for all", len(slices)-i))
		}
		index := checkpoint.Slice{Offsets: s.Offsets, Sizes: s.Shape}
		lines = append(lines, fmt.Sprintf("%s: %s from byte %d of %s", index, text.Bytes(s.Stored), s.DataOffset, text.Quote(s.File)))
	}
	return lines
}

// parts lists the tensors that are parts of global ones.
func (r *Checkpoint) parts() (lines []string) {
	for _, t := range r.Tensors {
		if t.PartOf == nil {
			continue
		}
		index := checkpoint.Slice{Offsets: t.PartOf.Offsets, Sizes: t.Shape}
		lines = append(lines, fmt.Sprintf("%s is its part %s, %s", checkpoint.Names(t.Name), index, t.PartOf.text()))
	}
	return lines
}

// text is the whole tensor, and how it is distributed.
func (p *PartOf) text() string { return "of " + tensor.Tuple(p.Global) + ": " + p.Placements }
