package inspect

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Line is a tensor in one line among many.
type Line struct {
	Source, DType, Shape, Size string // the shape of a file is that of the array as stored
	Layout                     string // its memory order, if any is known or assumed
	Contiguous                 string // the senses in which the array is contiguous, as stored if it is a file's
	News                       string // what is unusual, in a word or two each
}

// Line is the report in one line.
func (r *Report) Line() Line {
	shape, bytes, c := r.Shape, int64(r.NBytes), r.Contiguous
	if r.AsStored != nil {
		shape, bytes, c = r.AsStored.Shape, r.Container.DataBytes, contiguity{C: r.AsStored.Contiguous.C, F: r.AsStored.Contiguous.F}
	}
	var senses []string
	for name, is := range map[string]bool{"C": c.C, "F": c.F, "channels_last": c.CL, "channels_last_3d": c.CL3D} {
		if is {
			senses = append(senses, name)
		}
	}
	if slices.Sort(senses); senses == nil {
		senses = []string{"no"}
	}
	return Line{words.Quote(r.Source), r.TypeText(), tensor.Tuple(shape), words.ShortBytes(bytes), r.layoutText(),
		strings.Join(senses, ", "), strings.Join(r.marks(), ", ")}
}

// layoutText is OrderText, shorter.
func (r *Report) layoutText() string {
	switch {
	case r.OrderText() == "" || r.LooksLike != "":
		return ""
	case r.LayoutAssumed:
		return r.Layout + " (assumed)"
	case r.Swizzle != nil:
		return r.Swizzle.String()
	}
	return r.Layout
}

// marks are the news in a word or two each.
func (r *Report) marks() []string {
	var marks []string
	mark := func(is bool, word string) {
		if is {
			marks = append(marks, word)
		}
	}
	mark(r.LooksLike != "", strings.ToUpper(r.LooksLike)+"?")
	mark(r.Padded != nil && *r.Padded, "padded")
	mark(r.Offset != 0, "offset")
	mark(len(r.BroadcastDims) > 0, "broadcast")
	mark(len(r.BroadcastDims) == 0 && r.Overlapping == string(tensor.Yes), "overlapping")
	mark(r.Negative(), "negative strides")
	mark(r.headerText() != "", "header")
	mark(r.Container != nil && r.Container.ArchiveMember != nil && r.Container.Compressed, "deflated")
	mark(len(r.Warnings) > 0, "warning")
	return marks
}
