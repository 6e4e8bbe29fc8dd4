package inspect

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/file/ggml"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/text"
)

// Quantized is how the blocks of a quantized tensor hold its values.
type Quantized struct {
	Type    string      `json:"block_type"`    // type of blocks, as its format calls it: q4_0
	Values  int         `json:"block_values"`  // values in a block
	Parts   []ggml.Part `json:"block_parts"`   // fields of a block, first byte first
	Codes   string      `json:"code_of_k"`     // where the code of value k of a block is
	Formula string      `json:"value_formula"` // value, from the fields of its block
	// bytes of the tensor that hold scales and mins
	ScaleBytes *int                `json:"scale_bytes" jsonschema:"null if a part holds codes and scales"`
	First      []*source.Quantized `json:"first_values"` // first values of the tensor

	kind *ggml.Type
}

// firstValues is the number of values that are shown.
const firstValues = 8

func newQuantized(t *source.Tensor) *Quantized {
	kind := t.Quant
	if kind == nil {
		return nil
	}
	q := &Quantized{Type: kind.Name, Values: kind.Values, Parts: kind.Parts, Formula: kind.Formula, First: []*source.Quantized{}, kind: kind}
	var codes []string
	for _, p := range kind.Parts {
		if where := p.Where(); where != "" {
			codes = append(codes, where)
		}
	}
	q.Codes = strings.Join(codes, "; ")
	if kind.BytesOf(ggml.Mixed) == 0 {
		n := t.Layout.Numel() * kind.BytesOf(ggml.Scales)
		q.ScaleBytes = &n
	}
	return q
}

// AddValues reads the first values of a quantized tensor in a local file.
func (r *Report) AddValues(t *source.Tensor) error {
	q := r.Quantized
	if q == nil || r.Numel == 0 {
		return nil
	}
	d := t.BlockDim()
	if d < 0 || !t.OnDisk() {
		return nil
	}
	block := make([]byte, q.kind.Bytes)
	coord := make([]int, len(r.Shape))
	if err := t.Read(block, t.Layout.At(coord...)*len(block)); err != nil {
		return err
	}
	for k := range firstValues {
		at := make([]int, len(coord))
		at[d] = k
		q.First = append(q.First, t.Quantized(at, block))
	}
	return nil
}

// addQuantizedFacts adds the parts of a block, where its codes are, and the first values.
func (r *Report) addQuantizedFacts(l *factList) {
	q := r.Quantized
	if q == nil {
		return
	}
	var parts []string
	for _, p := range q.Parts {
		parts = append(parts, fmt.Sprintf("bytes %s, %s: %s", p.Span(), p.Name, p.Holds))
	}
	l.addFull(Useful, "block", q.kindsText(r.NBytes), parts)
	l.add(Useful, "codes", "value k of a block: "+q.Codes)
	lines := []string{q.Formula}
	for _, v := range q.First {
		lines = append(lines, fmt.Sprintf("%s %s: code %d, %s", text.Brackets(v.Coord), v.Where(), v.Code, v.Sum()))
	}
	l.addFull(Vital, "values", q.valuesText(), lines)
	l.add(Useful, "values", q.kind.Note)
}

// kindsText lists the parts by what they hold: "scales in d 0-1; codes in qs 2-17; 8 of 72 bytes are scales".
func (q *Quantized) kindsText(bytes int) string {
	var kinds []string
	for _, kind := range []ggml.Kind{ggml.Scales, ggml.Codes, ggml.Mixed, ggml.Sums} {
		var parts []string
		for _, p := range q.Parts {
			if p.Kind == kind {
				parts = append(parts, p.Name+" "+p.Span())
			}
		}
		if parts != nil {
			kinds = append(kinds, string(kind)+" in "+strings.Join(parts, ", "))
		}
	}
	if q.ScaleBytes != nil {
		kinds = append(kinds, fmt.Sprintf("%d of %d bytes are scales", *q.ScaleBytes, bytes))
	}
	return strings.Join(kinds, "; ")
}

// shownValues is the number of values on the first screen.
const shownValues = 4

// valuesText is the formula, and the first values with their codes and scale.
func (q *Quantized) valuesText() string {
	var values, codes []string
	for _, v := range q.First[:min(shownValues, len(q.First))] {
		values = append(values, text.Short(v.Value))
		codes = append(codes, fmt.Sprint(v.Code))
	}
	if values == nil {
		return q.Formula
	}
	s := fmt.Sprintf("%s: %s, …; codes %s, …; scale %s", q.Formula, strings.Join(values, ", "), strings.Join(codes, ", "),
		text.Short(q.First[0].Scale))
	if low := q.First[0].Min; low != "" {
		s += ", min " + text.Short(low)
	}
	return s
}
