package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// offsetReport is all that offset says. Offsets and strides are elements.
type offsetReport struct {
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
	offsetPlace
	Within      int            `json:"byte_within,omitempty"` // --at names this byte of the element
	Terms       []offsetTerm   `json:"terms,omitempty"`
	Formula     string         `json:"formula,omitempty"`
	ByteFormula string         `json:"byte_formula,omitempty"`
	Coords      [][]int        `json:"coords"`   // what lives there, at most listedCoords
	Aliases     [][]int        `json:"aliases"`  // of a coordinate: the others of coords
	Elems       int            `json:"elements"` // how many live there; at least so many where not complete, which may be 0
	Complete    bool           `json:"complete"`
	Division    *offsetReading `json:"division,omitempty"`
	Padding     *offsetPadding `json:"padding"`
	Line        *offsetLine    `json:"line"`
}

// offsetPlace is one element of the storage.
type offsetPlace struct {
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

func newOffsetReport(o *offsetOptions, t *source.Tensor, coords []string) (*offsetReport, error) {
	l := t.Layout
	r := &offsetReport{
		Schema: "tlayout/offset/v1", Source: t.Source, SourceBytes: rawBytes(t.Source), DType: t.DType.String(),
		ItemSize: t.DType.ItemSize(), Dims: l.Names(), Shape: l.Shape(), Offset: l.Offset(), Storage: l.Alloc(),
		Layout: layoutName(t), LayoutAssumed: t.Assumed, Results: []offsetResult{},
		Notes: append([]string{}, t.Notes...), Warnings: warningsOf(t), tensor: t,
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
	data, err := t.Data()
	if err != nil {
		return nil, err
	}
	return r, t.Guard(func() error { return r.answer(o, coords, data) })
}

// checkBytes asks that every element's byte can be counted, also of elements outside of the storage.
func (r *offsetReport) checkBytes(l tensor.Layout) error {
	low, high, ok := l.Span()
	if limit := math.MaxInt64 / 2 / int64(max(r.ItemSize, 1)); ok && (int64(low) < -limit || int64(high) > limit) {
		return fault.New(fault.Unsupported, "offsets from %d to %d have more bytes than an address can count", low, high)
	}
	return nil
}

// answer fills in the results: those of the coordinates, then those of --at.
func (r *offsetReport) answer(o *offsetOptions, coords []string, data []byte) error {
	for _, arg := range coords {
		coord, err := parseCoord(arg, r.tensor.Layout)
		if err != nil {
			return splitByShell(coords, r.tensor.Layout, err)
		}
		r.Results = append(r.Results, r.locate(arg, coord, data))
	}
	for _, asked := range o.at.places {
		result, err := r.lookUp(asked, data)
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
			r.Results[i].Line = r.line(&r.Results[i], o.lineSize.n, data)
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
