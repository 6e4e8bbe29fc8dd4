package diff

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/convert/diff"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// report is what diff says. Elements and Differing are null where they were not counted, because types or shapes
// differ.
type report struct {
	Schema    string   `json:"schema"`
	A         side     `json:"a"`
	B         side     `json:"b"`
	Compare   string   `json:"compare"` // bits, numbers, close
	RTol      *float64 `json:"rtol,omitempty"`
	ATol      *float64 `json:"atol,omitempty"`
	Equal     bool     `json:"equal"`
	DiffersIn []string `json:"differs_in,omitempty"` // dtype, shape, elements
	Elements  *int     `json:"elements"`
	Differing *int     `json:"differing"`
	MaxAbs    *most    `json:"max_abs_diff,omitempty"` // of elements that differ, or of all where none does; null unless numbers are apart
	NotFinite int      `json:"not_finite,omitempty"`
	Notes     []string `json:"notes"`
	Warnings  []string `json:"warnings"`
	rows      rows     // the last member, first, written row by row
}

// side is one of the two tensors. Its file's shape is physical, Shape logical.
type side struct {
	Source    string `json:"source"`
	Raw       []byte `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	DType     string `json:"dtype"`
	ByteOrder string `json:"byte_order"`
	cli.Side
	Assumed bool `json:"layout_assumed"`
}

type most struct {
	Value float64 `json:"value"`
	Coord []int   `json:"coord"`
}

// newReport compares types and shapes. DiffersIn is nil where the elements are still to be compared.
func (p *pair) newReport() *report {
	r := &report{Schema: "tlayout/diff/v1", A: p.newSide(0), B: p.newSide(1), Compare: "bits",
		Notes: []string{}, Warnings: []string{}}
	switch rule := p.rule; {
	case rule.RTol > 0 || rule.ATol > 0:
		r.Compare, r.RTol, r.ATol = "close", &rule.RTol, &rule.ATol
	case rule.Numeric:
		r.Compare = "numbers"
	}
	if !p.rule.Comparable(p.tensors[0].DType, p.tensors[1].DType) {
		r.DiffersIn = append(r.DiffersIn, "dtype")
	}
	if !p.sameShape() {
		r.DiffersIn = append(r.DiffersIn, "shape")
	}
	r.note(p)
	return r
}

func (p *pair) newSide(i int) side {
	t := p.tensors[i]
	return side{Source: t.Source, Raw: words.RawBytes(t.Source), DType: t.DType.String(), ByteOrder: t.DType.Order().String(),
		Side: cli.NewSide(t.OrderName(), t.FileShape, t.Layout), Assumed: t.Assumed}
}

// note tells what is worth knowing about either side and about how they were matched.
func (r *report) note(p *pair) {
	a, b := p.tensors[0].DType, p.tensors[1].DType
	switch {
	case slices.Contains(r.DiffersIn, "dtype") && (diff.Rule{Numeric: true}).Comparable(a, b):
		r.Notes = append(r.Notes, "--numeric compares numbers of different types")
	case diff.Alike(a, b) && a.Order() != b.Order():
		r.Notes = append(r.Notes, "the byte orders are "+r.A.ByteOrder+" and "+r.B.ByteOrder+"; that is no difference")
	}
	if !p.byName && p.sameShape() {
		r.Notes = append(r.Notes, "dims are matched by their place: "+strings.Join(r.A.Dims, ",")+" and "+strings.Join(r.B.Dims, ","))
	}
	for i, t := range p.tensors {
		name := source.DisplayName(p.options.sources[i])
		for _, n := range t.Notes {
			r.Notes = append(r.Notes, name+": "+n)
		}
		for _, w := range t.Warnings {
			r.Warnings = append(r.Warnings, name+": "+w)
		}
	}
}

// fill adds what was found among the elements.
func (r *report) fill(p *pair, found diff.Result) {
	elements := p.layouts[0].Numel()
	r.Elements, r.Differing, r.NotFinite = &elements, &found.Differing, found.NotFinite
	if r.Equal = found.Differing == 0; !r.Equal {
		r.DiffersIn = []string{"elements"}
	}
	if found.Apart > 0 {
		r.MaxAbs = &most{found.Apart, diff.Coord(p.layouts[0], found.ApartAt)}
	}
	r.rows = rows{p, found.First}
}

// diffRow is one differing element: offsets in elements of the storage, bytes from the beginning of the file; null where
// the data lie in no file as they are.
type diffRow struct {
	Coord   []int  `json:"coord"`
	A       string `json:"a"`
	B       string `json:"b"`
	ABits   string `json:"a_bits"`
	BBits   string `json:"b_bits"`
	AOffset int    `json:"a_offset"`
	BOffset int    `json:"b_offset"`
	AByte   *int64 `json:"a_byte"`
	BByte   *int64 `json:"b_byte"`
	a, b    string // A and B as a table shows them
}

// rows are the elements to list, by their index in logical order. What they hold is read when it is written.
type rows struct {
	pair  *pair
	first []int
}

func (r *rows) coord(k int) []int { return diff.Coord(r.pair.layouts[0], r.first[k]) }

// each calls visit for one row after the other.
func (r *rows) each(visit func(diffRow) error) error {
	if len(r.first) == 0 {
		return nil
	}
	a, b := r.pair.tensors[0], r.pair.tensors[1]
	dataA, err := a.Data()
	if err != nil {
		return err
	}
	dataB, err := b.Data()
	if err != nil {
		return err
	}
	return a.Guard(func() error {
		return b.Guard(func() error {
			for k := range r.first {
				if err := visit(r.row(r.coord(k), dataA, dataB)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// row is what both sides hold at a coordinate.
func (r *rows) row(coord []int, dataA, dataB []byte) diffRow {
	row := diffRow{Coord: coord}
	var x, y []byte
	x, row.AOffset, row.AByte = r.side(0, dataA, coord)
	y, row.BOffset, row.BByte = r.side(1, dataB, coord)
	a, b := r.pair.tensors[0].DType, r.pair.tensors[1].DType
	row.A, row.B = a.FormatValue(x), b.FormatValue(y)
	if row.a, row.b = row.A, row.B; !isWhole(a) || !isWhole(b) {
		row.a, row.b = cutApart(row.A, row.B)
	}
	row.ABits, row.BBits = bitsOf(a, b, x, y)
	return row
}

// side is the item of side i at a coordinate, and where it lies.
func (r *rows) side(i int, data []byte, coord []int) (item []byte, at int, byteAt *int64) {
	t := r.pair.tensors[i]
	size := t.DType.ItemSize()
	at = r.pair.layouts[i].At(coord...)
	if start, ok := t.DataStart(); ok {
		start += int64(at) * int64(size)
		byteAt = &start
	}
	return data[at*size : (at+1)*size], at, byteAt
}

// isWhole reports whether items are shown whole: numbers and times.
func isWhole(d dtype.Type) bool {
	return dtype.IsNumber(d) || d.Kind() == dtype.Datetime || d.Kind() == dtype.Timedelta
}
