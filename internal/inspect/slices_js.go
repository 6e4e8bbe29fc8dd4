package inspect

import "github.com/tlayout/tlayout/internal/file/checkpoint"

// A page reads no checkpoint in slices.

func newSlices([]checkpoint.Slice) []Slice { return nil }

func newPartOf(*checkpoint.Local) *PartOf { return nil }

// SlicesText counts slices and their files.
func SlicesText([]Slice) string { return "" }

func sliceLines([]Slice) []string { return nil }

func (r *Checkpoint) parts() []string { return nil }

func (p *PartOf) text() string { return "" }
