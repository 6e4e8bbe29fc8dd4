package inspect

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/ggml"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/text"
)

// Quantized is how the blocks of a quantized tensor hold its values.
type Quantized struct {
	Type    string      `json:"block_type"`    // type of blocks, as its format calls it: q4_0
	Values  int         `json:"block_values"`  // values in a block
	Parts   []BlockPart `json:"block_parts"`   // fields of a block, first byte first
	Formula string      `json:"value_formula"` // value, from the fields of its block; empty if codes are not decoded
	// bytes of the tensor that hold codes
	CodeBytes *int64 `json:"code_bytes" jsonschema:"null if a part holds codes and scales"`
	// bytes of the tensor that hold scales and mins
	ScaleBytes *int64              `json:"scale_bytes" jsonschema:"null if a part holds codes and scales"`
	First      []*source.Quantized `json:"first_values"` // first values of the tensor

	kind *ggml.Type
}

// BlockPart is a field of a block.
type BlockPart struct {
	Name  string `json:"name"`
	Byte  int    `json:"byte_in_block"` // first byte of a field in its block
	Bytes int    `json:"part_bytes"`    // size of a field of a block, in bytes
	Holds string `json:"part_holds"`    // what a field of a block holds, in words
	// where the code of value k of a block is; empty if the field holds no codes, or none that are decoded
	Where string `json:"code_of_k"`
}

// firstValues is the number of values that are shown.
const firstValues = 8

func newQuantized(t *source.Tensor) *Quantized {
	kind := t.Quant
	if kind == nil {
		return nil
	}
	q := &Quantized{Type: kind.Name, Values: kind.Values, Formula: kind.Formula, First: []*source.Quantized{}, kind: kind}
	for _, p := range kind.Parts {
		q.Parts = append(q.Parts, BlockPart{p.Name, p.First(), p.Bytes, p.Holds, p.Where()})
	}
	blocks := int64(t.Layout.Numel())
	codes, ok := kind.BytesOf(ggml.Codes)
	if scales, _ := kind.BytesOf(ggml.Scales); ok {
		all, rest := blocks*int64(codes), blocks*int64(scales)
		q.CodeBytes, q.ScaleBytes = &all, &rest
	}
	return q
}

// AddValues reads the first values of a quantized tensor in a local file.
func (r *Report) AddValues(t *source.Tensor) error {
	d, q := t.BlockDim(), r.Quantized
	if q == nil || !q.kind.Decodes() || d < 0 || !t.OnDisk() || r.Numel == 0 {
		return nil
	}
	block, coord := make([]byte, q.kind.Bytes()), make([]int, len(r.Shape))
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
	var where, parts []string
	for _, p := range q.Parts {
		parts = append(parts, fmt.Sprintf("bytes %s, %s: %s", p.span(), p.Name, p.Holds))
		if p.Where != "" {
			where = append(where, p.Where)
		}
	}
	l.addFull(Useful, "block", q.kindsText(r.NBytes), parts)
	if where != nil {
		l.add(Useful, "codes", "value k of a block: "+strings.Join(where, "; "))
	}
	if q.Formula == "" {
		l.add(Useful, "values", "not shown: codes of "+q.Type+" are indices of a table")
		return
	}
	lines := []string{q.Formula}
	for _, v := range q.First {
		lines = append(lines, fmt.Sprintf("%s %s: code %d, %s", text.Brackets(v.Coord), v.Where(), v.Code, v.Sum()))
	}
	l.addFull(Vital, "values", q.valuesText(), lines)
	l.add(Useful, "values", q.kind.Note)
}

// span is "0-1", bytes of the block.
func (p BlockPart) span() string {
	if p.Bytes == 1 {
		return fmt.Sprint(p.Byte)
	}
	return fmt.Sprintf("%d-%d", p.Byte, p.Byte+p.Bytes-1)
}

// kindsText lists the parts by what they hold: "scales in d 0-1, codes in qs 2-17; 8 of 72 bytes are scales".
func (q *Quantized) kindsText(bytes int) string {
	var kinds []string
	for kind, what := range []string{"scales", "codes", "codes and scales", "sums"} {
		var parts []string
		for i, p := range q.kind.Parts {
			if p.Kind == ggml.Kind(kind) {
				parts = append(parts, p.Name+" "+q.Parts[i].span())
			}
		}
		if parts != nil {
			kinds = append(kinds, what+" in "+strings.Join(parts, ", "))
		}
	}
	s := strings.Join(kinds, "; ")
	if q.ScaleBytes != nil {
		s += fmt.Sprintf("; %d of %d bytes are scales", *q.ScaleBytes, bytes)
	}
	return s
}

// shownValues is the number of values on the first screen.
const shownValues = 4

// valuesText is the formula, and the first values with their codes and scale.
func (q *Quantized) valuesText() string {
	var values, codes []string
	for _, v := range q.First[:min(shownValues, len(q.First))] {
		values, codes = append(values, text.Short(v.Value)), append(codes, fmt.Sprint(v.Code))
	}
	if values == nil {
		return q.Formula
	}
	s := fmt.Sprintf("%s: %s, …; codes %s, …; scale %s", q.Formula, strings.Join(values, ", "), strings.Join(codes, ", "), text.Short(q.First[0].Scale))
	if low := q.First[0].Min; low != "" {
		s += ", min " + text.Short(low)
	}
	return s
}
