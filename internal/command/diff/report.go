package diff

import (
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/diff"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// Documents are those that the command prints.
var Documents = []cli.Document{
	{Schema: "tlayout/diff/v1", Prints: "diff", Type: reflect.TypeFor[report](), Lists: []cli.List{{Name: "differing", Elements: reflect.TypeFor[row]()}}},
	{Schema: "tlayout/diff_tensors/v1", Prints: "diff of archives and checkpoints", Type: reflect.TypeFor[tensorsReport]()},
}

// report is diff's answer. Elements and Differing are null if they were not counted, because types or shapes differ.
type report struct {
	Schema    string    `json:"schema,omitempty"` // of the document
	A         side      `json:"a"`
	B         side      `json:"b"`
	Compare   string    `json:"compare"` // bits, numbers, close
	RTol      *float64  `json:"rtol,omitempty"`
	ATol      *float64  `json:"atol,omitempty"`
	Equal     bool      `json:"equal"`
	DiffersIn []string  `json:"differs_in,omitempty"` // dtype, shape, elements
	Elements  *int      `json:"compared_elems"`
	Differing *int      `json:"differing_elems"`
	MaxAbs    *distance `json:"max_abs_diff,omitempty"` // of elements that differ, or of all if none does; null if it is 0
	NotFinite int       `json:"not_finite,omitempty"`
	Notes     []string  `json:"notes"`
	Warnings  []string  `json:"warnings"`
	inexact   bool      // numbers that rounding may make differ
	relaid    bool      // their layouts differ
	dtypes    [2]string // as text; records of the same fields with the offsets that differ
	listed    listed    // the last member, first, written row by row
}

// side is one of the two tensors. Its file's shape is physical, Shape logical.
type side struct {
	Source    string `json:"source"`
	Raw       []byte `json:"source_base64,omitempty"` // base64, if the name is not UTF-8
	DType     string `json:"dtype"`
	ByteOrder string `json:"byte_order"`
	cli.Side
	Assumed bool `json:"layout_assumed"`
}

type distance struct {
	Value float64 `json:"abs_diff"`
	Coord []int   `json:"coord"`
}

// newReport reports what was found among the elements; found is nil if types or shapes differ.
func newReport(p *pair, found *diff.Result) *report {
	r := &report{Schema: "tlayout/diff/v1", A: newSide(p.tensors[0]), B: newSide(p.tensors[1]), Compare: "bits",
		DiffersIn: p.differsIn(), Notes: p.notes(), Warnings: p.warnings(), dtypes: p.dtypes()}
	switch rule := p.rule; {
	case rule.RTol > 0 || rule.ATol > 0:
		r.Compare, r.RTol, r.ATol = "close", &rule.RTol, &rule.ATol
	case rule.Numeric:
		r.Compare = "numbers"
	}
	if found == nil {
		return r
	}
	elements := p.layouts[0].Numel()
	r.Elements, r.Differing, r.NotFinite = &elements, &found.Differing, found.NotFinite
	if r.Equal = found.Differing == 0; !r.Equal {
		r.DiffersIn = []string{"elements"}
	}
	if found.Apart > 0 {
		r.MaxAbs = &distance{found.Apart, diff.Coord(p.layouts[0], found.ApartAt)}
	}
	r.listed, r.inexact, r.relaid = listed{p, found.First}, isInexact(p.tensors[0].DType), !sameAddresses(p.layouts[0], p.layouts[1])
	return r
}

// sameAddresses reports whether two layouts of one shape place all elements alike, relative to the first.
func sameAddresses(a, b tensor.Layout) bool {
	s, plain := a.Strided()
	t, alsoPlain := b.Strided()
	if !plain || !alsoPlain {
		return plain == alsoPlain && a.String() == b.String()
	}
	for i, size := range s.Shape {
		if size > 1 && s.Strides[i] != t.Strides[i] && a.Numel() > 0 {
			return false
		}
	}
	return true
}

// dtypes are the names of both types, with the offsets of fields where the names alone are the same although the types differ.
func (p *pair) dtypes() [2]string {
	a, b := p.tensors[0].DType, p.tensors[1].DType
	if a.String() == b.String() && !diff.Alike(a, b) {
		return [2]string{a.Placed(), b.Placed()}
	}
	return [2]string{a.String(), b.String()}
}

func newSide(t *source.Tensor) side {
	return side{Source: t.Source, Raw: words.RawBytes(t.Source), DType: t.DType.String(), ByteOrder: t.DType.Order().String(),
		Side: cli.NewSide(t.OrderName(), t.FileShape, t.Layout), Assumed: t.Assumed()}
}

// notes say what is worth knowing about how both sides were matched, and about either.
func (p *pair) notes() []string {
	notes := []string{}
	a, b := p.tensors[0].DType, p.tensors[1].DType
	switch {
	case !p.rule.Comparable(a, b) && (diff.Rule{Numeric: true}).Comparable(a, b):
		notes = append(notes, "--numeric compares numbers of different types")
	case diff.Alike(a, b) && a.Order() != b.Order():
		notes = append(notes, "byte orders differ, "+a.Order().String()+" and "+b.Order().String()+", and are ignored")
	}
	if !p.byName && p.sameShape() {
		dims := func(i int) string { return strings.Join(p.tensors[i].Layout.Names(), ",") }
		notes = append(notes, "dims are matched by position: "+dims(0)+" and "+dims(1))
	}
	return append(notes, p.ofSides((*source.Tensor).Notes)...)
}

func (p *pair) warnings() []string {
	return p.ofSides(func(t *source.Tensor) []string { return t.Warnings })
}

// ofSides are texts about either side, after its name.
func (p *pair) ofSides(texts func(t *source.Tensor) []string) []string {
	all := []string{}
	for i, t := range p.tensors {
		for _, text := range texts(t) {
			all = append(all, source.DisplayName(p.options.sources[i])+": "+text)
		}
	}
	return all
}

// Failed reports whether the tensors differ.
func (r *report) Failed() bool { return !r.Equal }

// Warned are the warnings of both sources.
func (r *report) Warned() []string { return r.Warnings }

// WriteJSON writes the report with one more member, the list of rows.
func (r *report) WriteJSON(w io.Writer, alone bool) error {
	list, err := cli.BeginList(w, r, "differing", alone)
	if err != nil {
		return err
	}
	if err := r.listed.each(func(x row) error { return list.Add(x) }); err != nil {
		return err
	}
	return list.End()
}

// WriteCSV lists the elements that differ, with a column for each dim.
func (r *report) WriteCSV(w io.Writer) error {
	header := strings.Split(strings.ToLower(strings.Join(r.A.Dims, ",")), ",")
	if len(r.A.Dims) == 0 {
		header = nil
	}
	header = append(header, "a_value", "b_value", "a_bits", "b_bits", "a_offset", "b_offset", "a_file_byte", "b_file_byte")
	out := render.StreamCSV(w, render.Columns{Header: header})
	err := r.listed.each(func(x row) error {
		return out.Row(slices.Concat(words.Each(x.Coord), []string{x.A, x.B}, x.numbers())...)
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// row is one differing element: offsets in elements of the storage, bytes from the beginning of the file; null if no
// file holds the data as they are.
type row struct {
	Coord   []int  `json:"coord"`
	A       string `json:"a_value"`
	B       string `json:"b_value"`
	ABits   string `json:"a_bits"`
	BBits   string `json:"b_bits"`
	AOffset int    `json:"a_offset"`
	BOffset int    `json:"b_offset"`
	AByte   *int64 `json:"a_file_byte"`
	BByte   *int64 `json:"b_file_byte"`
	a, b    string // A and B as a table shows them
}

// listed are the elements to list, by their index in logical order. Their values are read when they are written.
type listed struct {
	pair  *pair
	first []int
}

// lowest is the coordinate of the first of them.
func (l *listed) lowest() []int { return diff.Coord(l.pair.layouts[0], l.first[0]) }

// each calls visit for one row after the other. Elements are read, not mapped: around each, a system would map much more.
func (l *listed) each(visit func(row) error) error {
	if len(l.first) == 0 {
		return nil
	}
	return l.pair.guard(func() error {
		for _, index := range l.first {
			x, err := l.row(diff.Coord(l.pair.layouts[0], index))
			if err == nil {
				err = visit(x)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// row is what both sides hold at a coordinate.
func (l *listed) row(coord []int) (row, error) {
	r := row{Coord: coord}
	x, err := l.item(0, coord, &r.AOffset, &r.AByte)
	if err != nil {
		return r, err
	}
	y, err := l.item(1, coord, &r.BOffset, &r.BByte)
	a, b := l.pair.tensors[0].DType, l.pair.tensors[1].DType
	r.A, r.B = a.FormatValue(x), b.FormatValue(y)
	if r.a, r.b = r.A, r.B; !isWhole(a) || !isWhole(b) {
		r.a, r.b = cutApart(r.A, r.B)
	}
	r.ABits, r.BBits = bitsOf(a, b, x, y)
	return r, err
}

// item is the element of side i at a coordinate; it sets its storage offset and its byte in the file.
func (l *listed) item(i int, coord []int, at *int, byteAt **int64) ([]byte, error) {
	t := l.pair.tensors[i]
	*at = l.pair.layouts[i].At(coord...)
	item := make([]byte, t.DType.ItemSize())
	if start, ok := t.DataStart(); ok {
		start += int64(*at) * int64(len(item))
		*byteAt = &start
	}
	return item, t.Read(item, *at*len(item))
}

// isInexact reports whether elements are rounded numbers.
func isInexact(d dtype.Type) bool {
	return dtype.IsNumber(d) && (d.Kind() == dtype.Float || d.Kind() == dtype.Complex)
}

// isWhole reports whether elements are shown whole: numbers and times.
func isWhole(d dtype.Type) bool {
	return dtype.IsNumber(d) || d.Kind() == dtype.Datetime || d.Kind() == dtype.Timedelta
}

// omitted says that not all elements that differ are listed, and how to list more; "" if they are.
func (r *report) omitted() string {
	if n := len(r.listed.first); r.Differing != nil && n < *r.Differing {
		return strconv.Itoa(n) + " of " + strconv.Itoa(*r.Differing) + " rows; " + r.wayToMore()
	}
	return ""
}

// wayToMore says how to list the other elements that differ, as far as that is possible.
func (r *report) wayToMore() string {
	switch {
	case len(r.listed.first) == maxListed:
		return "--limit lists no more"
	case *r.Differing > maxListed:
		return "--limit 0 lists " + strconv.Itoa(maxListed)
	}
	return "--limit 0 lists all"
}

// differs reports whether the sides differ in dtype, shape or elements.
func (r *report) differs(part string) bool { return slices.Contains(r.DiffersIn, part) }
