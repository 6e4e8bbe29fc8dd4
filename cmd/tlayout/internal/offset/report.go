package offset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// report is all that offset says. Offsets and strides are elements.
type report struct {
	Schema        string         `json:"schema"`
	Source        string         `json:"source"`
	SourceBytes   []byte         `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	DType         string         `json:"dtype"`
	ItemSize      int            `json:"itemsize"`
	DataOffset    *int64         `json:"data_offset"` // the file's byte that is byte 0 of the storage
	Dims          []string       `json:"dims"`
	Shape         []int          `json:"shape"`
	Strides       []int          `json:"strides"` // null for a blocked layout
	Offset        int            `json:"offset"`
	Storage       int            `json:"storage_elems"`
	Layout        string         `json:"layout"`
	LayoutAssumed bool           `json:"layout_assumed"`
	Results       []offsetResult `json:"results"`
	Notes         []string       `json:"notes"`
	Warnings      []string       `json:"warnings"`

	tensor *source.Tensor
}

// offsetResult answers one coordinate, or one offset of --at.
type offsetResult struct {
	Query string `json:"query"`
	Coord []int  `json:"coord"` // null where --at asks
	place
	Within      int         `json:"byte_within,omitempty"` // --at names this byte of the element
	Terms       []term      `json:"terms,omitempty"`
	Formula     string      `json:"formula,omitempty"`
	ByteFormula string      `json:"byte_formula,omitempty"`
	Coords      [][]int     `json:"coords"`   // what lives there, at most listedCoords
	Aliases     [][]int     `json:"aliases"`  // of a coordinate: the others of coords
	Elems       int         `json:"elements"` // how many live there; at least so many where not complete, which may be 0
	Complete    bool        `json:"complete"`
	Division    *reading    `json:"division,omitempty"`
	Padding     *padding    `json:"padding"`
	Line        *offsetLine `json:"line"`
}

// place is one element of the storage.
type place struct {
	Offset   int     `json:"offset"`
	Byte     int64   `json:"byte"`      // of the storage
	FileByte *int64  `json:"file_byte"` // null without a file
	Value    *string `json:"value"`     // null without data
}

// How many coordinates of one offset are looked for, written to JSON, and shown.
const (
	countedCoords = 4096
	listedCoords  = 64
	shownCoords   = 8
)

func newReport(o *options, t *source.Tensor, coords []string) (*report, error) {
	l := t.Layout
	r := &report{
		Schema: "tlayout/offset/v1", Source: t.Source, SourceBytes: words.RawBytes(t.Source), DType: t.DType.String(),
		ItemSize: t.DType.ItemSize(), Dims: l.Names(), Shape: l.Shape(), Offset: l.Offset(), Storage: l.Alloc(),
		Layout: t.OrderName(), LayoutAssumed: t.Assumed, Results: []offsetResult{},
		Notes: append([]string{}, t.Notes...), Warnings: append([]string{}, t.Warnings...), tensor: t,
	}
	if s, plain := l.Strided(); plain {
		r.Strides = s.Strides
	}
	if at, ok := t.DataStart(); ok {
		r.DataOffset = &at
	}
	if err := r.checkBytes(l); err != nil {
		return nil, err
	}
	if _, err := t.Data(); err != nil {
		return nil, err
	}
	return r, t.Guard(func() error { return r.answer(o, coords) })
}

// checkBytes asks that every element's byte can be counted, also of elements outside of the storage.
func (r *report) checkBytes(l tensor.Layout) error {
	low, high, ok := l.Span()
	if limit := math.MaxInt64 / 2 / int64(max(r.ItemSize, 1)); ok && (int64(low) < -limit || int64(high) > limit) {
		return fault.New(fault.Unsupported, "offsets from %d to %d have more bytes than an address can count", low, high)
	}
	return nil
}

// answer fills in the results: those of the coordinates, then those of --at.
func (r *report) answer(o *options, coords []string) error {
	for _, arg := range coords {
		coord, err := parseCoord(arg, r.tensor.Layout)
		if err != nil {
			return splitByShell(coords, r.tensor.Layout, err)
		}
		r.Results = append(r.Results, r.locate(arg, coord))
	}
	for _, asked := range o.at.places {
		result, err := r.lookUp(asked)
		if err != nil {
			return err
		}
		r.Results = append(r.Results, result)
	}
	for i := range r.Results {
		if o.line {
			if r.ItemSize == 0 {
				return fault.New(fault.Usage, "items of %s have no bytes, so that no line holds them", r.DType).
					WithHint("leave --line out")
			}
			r.Results[i].Line = r.line(&r.Results[i], o.lineSize.N)
		}
	}
	return nil
}

// splitByShell explains {1,0,1} without quotes, of which a shell makes three arguments.
func splitByShell(coords []string, l tensor.Layout, err error) error {
	alone := func(c string) bool { _, err := strconv.Atoi(c); return err == nil }
	if l.Rank() < 2 || len(coords) != l.Rank() || slices.IndexFunc(coords, func(c string) bool { return !alone(c) }) >= 0 {
		return err
	}
	return fault.New(fault.Usage, "found %d coordinates of one index each, but the tensor has %d dims: %s",
		len(coords), l.Rank(), dimSizes(l)).
		WithHint("a shell splits {1,0,1} into arguments: write %s, or quote the brackets", strings.Join(coords, ","))
}

// place is the element at an offset.
func (r *report) place(off int) place {
	size := r.ItemSize
	p := place{Offset: off, Byte: int64(off) * int64(size)}
	if r.DataOffset != nil {
		at := *r.DataOffset + p.Byte
		p.FileByte = &at
	}
	if value, ok := r.tensor.Value(off); ok {
		p.Value = &value
	}
	return p
}

// locate answers where a coordinate lies.
func (r *report) locate(query string, coord []int) offsetResult {
	l := r.tensor.Layout
	address := explain.NewAddress(l, coord)
	result := offsetResult{Query: query, Coord: coord, place: r.place(address.Total), Terms: newTerms(l, coord),
		Formula: address.String(), ByteFormula: address.In(r.ItemSize).String(), Aliases: [][]int{}}
	result.settle(l)
	result.Elems = max(result.Elems, 1)
	for _, c := range result.Coords {
		if !slices.Equal(c, coord) {
			result.Aliases = append(result.Aliases, c)
		}
	}
	return result
}

// settle finds the coordinates that live at the result's offset, and their number.
func (r *offsetResult) settle(l tensor.Layout) {
	var found [][]int
	found, r.Complete = l.Find(r.Offset, countedCoords)
	r.Elems = len(found)
	if n, ok := l.Sharing(); ok && !r.Complete {
		r.Elems, r.Complete = n, true
	}
	r.Coords = append([][]int{}, found[:min(len(found), listedCoords)]...)
}

// lookUp answers what lies at an offset of the storage.
func (r *report) lookUp(asked askedPlace) (offsetResult, error) {
	l, off, within := r.tensor.Layout, asked.n, 0
	if asked.bytes {
		if r.ItemSize == 0 {
			return offsetResult{}, fault.New(fault.Usage, "--at %s: items of %s have no bytes", asked.text, r.DType).
				WithHint("offsets count elements: --at 0")
		}
		off, within = ints.FloorDiv(asked.n, r.ItemSize)
	}
	low, high, used := l.Span()
	if inside := off >= 0 && off < l.Alloc(); !inside && !(used && off >= low && off <= high) {
		return offsetResult{}, outside(asked, off, r)
	}
	result := offsetResult{Query: asked.text, place: r.place(off), Within: within, Aliases: [][]int{}}
	result.settle(l)
	if division, ok := explain.NewDivision(l, off); ok {
		result.Division = newOffsetReading(division)
	}
	if result.Elems == 0 && result.Complete {
		result.Padding = newOffsetPadding(l, off)
	}
	return result, nil
}

func outside(asked askedPlace, off int, r *report) error {
	n := r.Storage
	if n == 0 {
		return fault.New(fault.Usage, "--at %s: the storage is empty", asked.text).
			WithHint("tlayout inspect shows the shape and what the storage holds")
	}
	e := fault.New(fault.Usage, "--at %s: offset %d is outside of the storage, which has %d %s",
		asked.text, off, n, words.Plural(n, "element", "elements"))
	return e.WithHint("offsets run from 0 to %d, bytes from 0B to %dB", n-1, int64(n)*int64(r.ItemSize)-1)
}

// reading shows how what lies at an offset is found: the strides are divided out, the largest first.
type reading struct {
	From  int           `json:"from"` // the offset less the tensor's own
	Steps []readingStep `json:"steps"`
	Rest  int           `json:"rest"`

	steps []explain.DivisionStep
}

type readingStep struct {
	Digit  string `json:"digit"`
	Stride int    `json:"stride"`
	Value  int    `json:"value"`
	Rest   int    `json:"rest"`
}

func newOffsetReading(d explain.Division) *reading {
	out := &reading{From: d.From, Steps: []readingStep{}, Rest: d.Rest, steps: d.Steps}
	for _, s := range d.Steps {
		out.Steps = append(out.Steps, readingStep{s.Name(), s.Stride, s.Value, s.Rest})
	}
	return out
}

// lines write the divisions one below the other, with what each finds behind it.
//
//	7 = 1·6 + 1    D = 1
//	1 = 0·3 + 1    H = 0
//	1 = 1·1        W = 1
func (r *reading) lines(offset int) []string {
	var works, finds []string
	if offset != 0 {
		works, finds = append(works, fmt.Sprintf("%d - %d = %d", r.From+offset, offset, r.From)),
			append(finds, fmt.Sprintf("the tensor begins at offset %d", offset))
	}
	width := words.Digits(r.From)
	for _, s := range r.steps {
		works = append(works, strings.Repeat(" ", width-words.Digits(s.Before))+s.String())
		finds = append(finds, fmt.Sprintf("%s = %d", s.Name(), s.Value))
	}
	widest := 0
	for _, work := range works {
		widest = max(widest, utf8.RuneCountInString(work))
	}
	for i, work := range works {
		works[i] = work + strings.Repeat(" ", widest-utf8.RuneCountInString(work)+4) + finds[i]
	}
	return works
}

// term is what one index adds to the offset, digit by digit, least significant first.
type term struct {
	Dim    string  `json:"dim"`
	Index  int     `json:"index"`
	Digits []digit `json:"digits"`
}

// digit is (index div Div) mod Extent = Value, which adds Value·Stride.
type digit struct {
	tensor.Digit
	Value int `json:"value"`
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

// padding says why no element lies at an offset.
type padding struct {
	Kind  explain.PaddingKind `json:"kind"`
	Why   string              `json:"why"`
	Would []int               `json:"would_be"` // the coordinate that would lie there, were the sizes larger; null for none
}

func newOffsetPadding(l tensor.Layout, off int) *padding {
	p := explain.NewPadding(l, off)
	return &padding{p.Kind, p.String(), p.Would}
}
