package offsetcmd

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{{Schema: "tlayout/offset/v1", Prints: "offset", Type: reflect.TypeFor[report]()}}

// report is the answer. Offsets and strides count elements.
type report struct {
	document.Head
	DType         string   `json:"dtype"`
	ItemSize      int      `json:"itemsize"`
	Bits          int      `json:"item_bits,omitempty"`
	DataOffset    *int64   `json:"data_offset" jsonschema:"where the storage starts"`
	Dims          []string `json:"dims"`
	Shape         []int    `json:"shape"`
	BlockShape    []int    `json:"block_shape,omitempty"`
	Strides       []int    `json:"strides" jsonschema:"null for a blocked layout"`
	Offset        int      `json:"storage_offset"`
	Storage       int      `json:"storage_elems"`
	Layout        string   `json:"layout"`
	LayoutAssumed bool     `json:"layout_assumed"`
	Results       []result `json:"results"` // one for each question

	layout tensor.Layout
	tensor *source.Tensor
	readAs string // --read-as
}

// result answers one coordinate, or one offset of --at.
type result struct {
	Query string `json:"query"` // the question as typed
	// indices of an element, in logical order
	Coord []int `json:"coord" jsonschema:"null for an offset of --at"`
	position
	Within      int        `json:"byte_within,omitempty"` // byte of the element that --at names
	Terms       []term     `json:"terms,omitempty"`       // what each index adds to the offset
	Formula     string     `json:"formula,omitempty"`
	ByteFormula string     `json:"byte_formula,omitempty"` // formula in bytes
	Coords      [][]int    `json:"coords"`                 // coordinates of the elements here; the first ones
	Aliases     [][]int    `json:"aliases"`                // coordinates of other elements at the same offset
	Elems       int        `json:"coords_total"`           // elements at the offset; a lower bound if not complete
	Complete    bool       `json:"complete"`               // coords has all
	Division    *division  `json:"division,omitempty"`     // the offset divided by the strides, the largest first
	Padding     *padding   `json:"padding"`                // why no element is at the offset
	Line        *cacheLine `json:"cache_line"`             // the cache line of the offset
	// what a reader of another layout finds
	ReadAs *source.Misread `json:"read_as,omitempty"`
	// the value of a quantized tensor
	Quantized *source.Quantized `json:"quantized_value,omitempty"`

	values   []int    // coordinate as typed: in values, in a quantized tensor
	index    *int     // of the value in its block; nil for other tensors
	digits   []string // how indices split into digits, see explain.Address.DigitLines
	permuted []string // how the swizzle permutes the offset, or is undone; see explain.SwizzleLine
}

// position is an offset of the storage, in every unit, and its value.
type position struct {
	Offset   int     `json:"offset"` // offset of an element in the storage, in elements
	Byte     int64   `json:"byte"`
	FileByte *int64  `json:"file_byte"`           // offset in the file
	Part     string  `json:"byte_part,omitempty"` // of an element that shares its byte: low, high, or its bits
	Word     *int64  `json:"word,omitempty"`      // the word of --word
	WordBits []int64 `json:"word_bits,omitempty"` // first and last bit of the element in its word, counted from the lowest
	// value as text
	Value *string `json:"value" jsonschema:"null without data"`
}

// wordBits returns the bits of the element in its word, "4-7"; empty without --word.
func (p position) wordBits() string {
	if p.Word == nil {
		return ""
	}
	return fmt.Sprintf("%d-%d", p.WordBits[0], p.WordBits[1])
}

// division divides an offset by the strides, the largest first.
type division struct {
	From  int            `json:"dividend"`  // the offset, its swizzle undone, minus the tensor's own
	Steps []divisionStep `json:"steps"`     // step by step
	Rest  int            `json:"remainder"` // remainder of the division

	steps []explain.DivisionStep
}

type divisionStep struct {
	Digit  string `json:"digit"`     // the digit that a division yields
	Stride int    `json:"stride"`    // stride of a digit or axis
	Value  int    `json:"quotient"`  // the digit's value
	Rest   int    `json:"remainder"` // remainder of the division
}

// term is the contribution of an index to the offset, digit by digit, least significant first.
type term struct {
	Dim    string  `json:"dim"`
	Index  int     `json:"index"` // index of a dim
	Digits []digit `json:"parts"` // the index, digit by digit
}

// digit is (index div Div) mod Extent = Value, which adds Value·Stride.
type digit struct {
	tensor.Digit
	Value int `json:"digit_value"` // the digit: (index div div) mod extent
}

// padding is why no element is at an offset.
type padding struct {
	Kind explain.PaddingKind `json:"kind"`
	Why  string              `json:"why"`
	// coordinate of the offset if the sizes were larger
	Would []int `json:"would_be" jsonschema:"null if there is none"`
}

func newReport(t *source.Tensor, results []result) *report {
	l := t.Layout
	r := &report{
		Head: t.Head("tlayout/offset/v1"), DType: t.DType.String(), ItemSize: t.DType.WholeBytes(), Dims: l.Names(), Shape: t.ValueShape(), Offset: l.Offset(), Storage: l.Alloc(),
		Layout: t.LayoutName(), LayoutAssumed: t.Assumed(), Results: results, layout: l, tensor: t,
	}
	if t.BlockDim() >= 0 {
		r.BlockShape = l.Shape()
	}
	if t.DType.Packed() {
		r.Bits = t.DType.Bits()
	}
	if s, plain := l.Strided(); plain {
		r.Strides = s.Strides
	}
	if at, ok := t.DataStart(); ok {
		r.DataOffset = &at
	}
	return r
}

func newDivision(d explain.Division) *division {
	out := &division{From: d.From, Steps: []divisionStep{}, Rest: d.Rest, steps: d.Steps}
	for _, s := range d.Steps {
		out.Steps = append(out.Steps, divisionStep{Digit: s.Name(), Stride: s.Stride, Value: s.Value, Rest: s.Rest})
	}
	return out
}

func newTerms(l tensor.Layout, coord []int) []term {
	terms := make([]term, len(coord))
	for d, i := range coord {
		terms[d] = term{Dim: l.Dim(d).Name, Index: i}
		for _, t := range slices.Backward(explain.Digits(l, d, i)) {
			terms[d].Digits = append(terms[d].Digits, digit{t.Digit, t.Value})
		}
	}
	return terms
}

// lines returns a line for each division, with the digit that it yields.
//
//	7 = 1·6 + 1    D = 1
//	1 = 0·3 + 1    H = 0
//	1 = 1·1        W = 1
func (d *division) lines(offset int) []string {
	var sums, digits []string
	if offset != 0 {
		sums = append(sums, fmt.Sprintf("%d - %d = %d", d.From+offset, offset, d.From))
		digits = append(digits, fmt.Sprintf("the tensor starts at offset %d", offset))
	}
	width := text.Digits(d.From)
	for _, s := range d.steps {
		sums = append(sums, text.Blanks(width-text.Digits(s.Before))+s.String())
		digits = append(digits, fmt.Sprintf("%s = %d", s.Name(), s.Value))
	}
	widest := 0
	for _, sum := range sums {
		widest = max(widest, displaywidth.String(sum))
	}
	for i, sum := range sums {
		sums[i] = sum + text.Blanks(widest-displaywidth.String(sum)+4) + digits[i]
	}
	return sums
}

// Rows returns a row for each coordinate of each result, "…" if more exist, and one for padding; with --line-size, a row for each
// offset of the line.
func (r *report) Rows() render.Table {
	columns := "query,coord,offset,byte,file_byte,value,padding"
	if r.Bits > 0 {
		columns += ",byte_part"
	}
	if len(r.Results) > 0 && r.Results[0].Word != nil {
		columns += ",word,word_bits"
	}
	if r.readAs != "" {
		columns += ",read_as_offset,read_as_coord,read_as_value"
	}
	var rows []csvRow
	for i := range r.Results {
		rows = append(rows, r.Results[i].rows()...)
	}
	return cli.TableOf(columns, rows...)
}

// csvRow is a row of CSV.
type csvRow struct {
	Query string `json:"query"`
	Coord string `json:"coord"`
	position
	Padding string          `json:"padding"`
	ReadAs  *source.Misread `json:"read_as"`
	Bits    string          `json:"word_bits"`
}

// rows returns the rows of a result.
func (r *result) rows() (rows []csvRow) {
	row := func(coord string, p position, padding string) csvRow {
		return csvRow{r.Query, coord, p, padding, r.ReadAs, p.wordBits()}
	}
	if r.Line != nil {
		for _, c := range r.Line.Cells {
			padding := ""
			if c.isPadding() {
				padding = "padding"
			}
			rows = append(rows, row(c.text(), c.position, padding))
		}
		return rows
	}
	if r.Coord != nil {
		p := r.position
		if r.Quantized != nil {
			p.Value = &r.Quantized.Value
		}
		return []csvRow{row(text.Ints(r.values, ","), p, "")}
	}
	if r.Padding != nil {
		return []csvRow{row("x", r.position, r.Padding.Why)}
	}
	for _, c := range r.Coords {
		rows = append(rows, row(text.Ints(c, ","), r.position, ""))
	}
	if !r.Complete || r.Elems > len(r.Coords) {
		rows = append(rows, row("…", r.position, ""))
	}
	return rows
}
