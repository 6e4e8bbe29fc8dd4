package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Headline is the report in one line: x.npy: float32 (1, 64, 5, 4), 5120 B, NCHW (assumed), C-contiguous. For a file, the shape is that of the array
// as stored.
func (r *Report) Headline() string {
	shape := r.Shape
	bytes := int64(r.NBytes)
	character := r.Character()
	if r.TwoViews() {
		shape = r.AsStored.Shape
		bytes = r.Container.DataBytes
		character = r.AsStored.Senses() + " as stored"
	}
	parts := []string{
		fmt.Sprintf("%s: %s %s", cmp.Or(text.Quote(r.Source), "tensor"), r.TypeText(), tensor.Tuple(shape)),
		text.FullBytes(bytes), r.OrderText(), character,
	}
	if r.Negative() {
		parts = append(parts, "negative strides")
	}
	if device := r.tensor.Device; device != "" && device != "cpu" {
		parts = append(parts, "on "+device)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// maxType limits the length of a type's name in a line, in characters.
const maxType = 40

// TypeText names the dtype: the number of fields for a large record, and for raw bytes also the type that ml_dtypes writes this way.
func (r *Report) TypeText() string {
	name := r.typeName()
	if r.ByteOrder == "big" {
		name = "big-endian " + name
	}
	return text.Cut(name, maxType)
}

// typeName is TypeText without the byte order, of any length.
func (r *Report) typeName() string {
	if r.Fields != nil && len(r.DType) > maxType {
		return "struct of " + text.Count(len(r.Fields), "field")
	}
	if r.Encoding != "" {
		return encodingName(r.Encoding)
	}
	if raw := r.rawType(); raw != "" {
		return r.DType + " (" + raw + "?)"
	}
	return r.DType
}

// encodingName is the name of an encoding: q4_0 of "q4_0: 32 values in 18 bytes".
func encodingName(encoding string) string {
	name, _, _ := strings.Cut(encoding, ":")
	return name
}

// rawType is the usual types that ml_dtypes writes as raw bytes of this size; empty for other types.
func (r *Report) rawType() string {
	return map[string]string{"V1": "float8, float6 or int4", "V2": "bfloat16"}[r.DType]
}

// OrderText is the memory order and its certainty; empty if the file's axes have no letters, or if it is unknown.
func (r *Report) OrderText() string {
	if r.Swizzle != nil {
		return r.Notation
	}
	if len(r.OuterTags) > 0 {
		return "outer strides of oneDNN's " + r.OuterTags[0] + "?"
	}
	if !r.namesOrder() {
		return ""
	}
	if r.LooksLike != "" || imageNote(r.tensor) != "" {
		return "axis order unknown"
	}
	if r.Ambiguous && r.LayoutAssumed {
		return CandidateNames(r.Candidates) + " (assumed; strides cannot tell" + r.evidence() + ")"
	}
	if r.Ambiguous && !r.tensor.Named() {
		return CandidateNames(r.Candidates) + " (ambiguous strides)"
	}
	return r.Layout + r.withEvidence(r.tensor.OrderMark())
}

// namesOrder reports whether Layout is a memory order of named dims: not C or Fortran order of the file's axes, and not spelled out as strides.
func (r *Report) namesOrder() bool {
	switch r.Layout {
	case r.Notation, "c", "fortran":
		return false
	}
	return len(r.Shape) > 0
}

// CandidateNames lists the orders that match the strides: "NCHW or NHWC".
func CandidateNames(candidates []Candidate) string {
	layouts := make([]string, len(candidates))
	for i, c := range candidates {
		layouts[i] = c.Layout
	}
	return strings.Join(layouts, " or ")
}

// Negative reports whether a stride is negative.
func (r *Report) Negative() bool {
	return slices.ContainsFunc(r.Strides, func(stride int) bool { return stride < 0 })
}

// Character is the strongest property of the layout: a kind of contiguity, broadcast, overlapping, dense or padded.
func (r *Report) Character() string {
	c := r.Contiguous
	if r.Numel == 0 {
		return "empty"
	}
	if sense := Senses(c.C, c.F, c.CL, c.CL3D); sense != "" {
		return sense
	}
	if len(r.BroadcastDims) > 0 {
		return "broadcast"
	}
	if r.Overlapping == string(tensor.Yes) {
		return "overlapping"
	}
	if r.Packed {
		if r.Strides != nil {
			return "dense, not contiguous"
		}
		return "dense"
	}
	if r.isView() {
		return "strided"
	}
	return "padded"
}

// Senses lists the kinds of contiguity of a tensor; empty for none. No tensor has both channels_last formats, which are of different ranks.
func Senses(c, f, last, last3D bool) string {
	if c && f {
		return "C- and F-contiguous"
	}
	if last || last3D {
		format := string(tensor.ChannelsLastFormat)
		if last3D {
			format = string(tensor.ChannelsLast3D)
		}
		if c {
			return "C- and " + format + " contiguous"
		}
		return format + " contiguous"
	}
	if c {
		return "C-contiguous"
	}
	if f {
		return "F-contiguous"
	}
	return ""
}
