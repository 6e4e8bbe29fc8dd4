package diffcmd

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// row is one differing element. File bytes are null if no file holds the data uncompressed.
type row struct {
	Coord   []int  `json:"coord"`       // indices of an element, in logical order
	A       string `json:"a_value"`     // a's element, as text
	B       string `json:"b_value"`     // b's element, as text
	ABits   string `json:"a_bits"`      // a's element, in hexadecimal
	BBits   string `json:"b_bits"`      // b's element, in hexadecimal
	AOffset int    `json:"a_offset"`    // in a's storage
	BOffset int    `json:"b_offset"`    // in b's storage
	AByte   *int64 `json:"a_file_byte"` // in a's file
	BByte   *int64 `json:"b_file_byte"` // in b's file
	a, b    string // A and B, shortened for a table
}

// rowColumns are the columns of a row in CSV, after its coordinate; tables have the last six too.
var rowColumns = cli.NewColumns("a_value,b_value,a_bits,b_bits,a_offset,b_offset,a_file_byte,b_file_byte")

// each visits the listed rows in order. It reads elements rather than map them: a system would map far more around each.
func (r *report) each(visit func(row) error) error {
	return r.pair.guard(func() error {
		for _, index := range r.listed {
			x, err := r.pair.row(diff.Coord(r.pair.layouts[0], index))
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

// row returns the elements of both sides at a coordinate.
func (p *pair) row(coord []int) (row, error) {
	r := row{Coord: coord}
	items := [2][]byte{}
	offsets := [2]*int{&r.AOffset, &r.BOffset}
	bytes := [2]**int64{&r.AByte, &r.BByte}
	for i, t := range p.tensors {
		at := p.layouts[i].At(coord...)
		size := t.DType.ItemSize()
		if start, ok := t.DataStart(); ok {
			start += int64(t.DType.ByteOf(at))
			*bytes[i] = &start
		}
		*offsets[i] = at
		items[i] = make([]byte, size)
		if err := t.Read(items[i], at*size); err != nil {
			return r, err
		}
	}
	a := p.tensors[0].DType
	b := p.tensors[1].DType
	r.A = a.FormatValue(items[0])
	r.B = b.FormatValue(items[1])
	r.a = r.A
	r.b = r.B
	if !isWhole(a) || !isWhole(b) {
		r.a, r.b = cutApart(r.A, r.B)
	}
	r.ABits, r.BBits = bitsOf(a, b, items[0], items[1])
	return r, nil
}

// cut returns how many of the differing elements are listed, and how to list more: 10 of 50 rows; --limit 0 lists all. "" if all are.
func (r *report) cut(what string) string {
	if r.Differing == nil || len(r.listed) == *r.Differing {
		return ""
	}
	return fmt.Sprintf("%d of %d %s; %s", len(r.listed), *r.Differing, what, moreListed(len(r.listed), *r.Differing))
}

// moreListed returns how to list more than listed of the elements that differ.
func moreListed(listed, differing int) string {
	if listed == maxListed {
		return "the maximum of --limit"
	}
	if differing > maxListed {
		return fmt.Sprintf("--limit 0 lists %d", maxListed)
	}
	return "--limit 0 lists all"
}

func (r *report) elementTitle() string {
	by := ""
	if len(r.A.Dims) > 0 {
		by = ", by " + strings.Join(r.A.Dims, ",")
	}
	if cut := r.cut("elements that differ" + by); cut != "" {
		return "The first " + cut
	}
	return "Elements that differ" + by
}

// elementColumns are all columns of a table of differing elements: numbers, except for the first.
var elementColumns = []string{"coordinate", "a", "b", "bits a", "bits b", "offset a", "offset b", "byte a", "byte b"}

// Optional columns, by index.
var (
	bitColumns    = []int{3, 4}
	offsetColumns = []int{5, 6}
	byteColumns   = []int{7, 8}
)

// cells returns the cells of elementColumns.
func (x row) cells() []string {
	return append([]string{tensor.Tuple(x.Coord), x.a, x.b}, rowColumns.Cells(x)[2:]...)
}

// maxDrawn bounds the rows of a table; more are written one by one.
const maxDrawn = 1000

// writeElements lists elements that differ.
func (r *report) writeElements(p *cli.Page) {
	if len(r.listed) == 0 {
		return
	}
	c, kept, err := r.columns(p.Columns())
	if err != nil {
		p.Fail(err)
		return
	}
	write := func(add func(cells ...string) error) {
		p.Fail(r.each(func(x row) error { return add(only(x.cells(), kept)...) }))
	}
	if len(r.listed) <= maxDrawn {
		t := render.Table{Title: r.elementTitle(), Header: c.Header, Numbers: c.Numbers}
		write(func(cells ...string) error { t.Add(cells...); return nil })
		p.Section(t)
		return
	}
	w := p.Rows(r.elementTitle(), c)
	write(w.Row)
	p.Fail(w.Close())
}

// columns returns the non-empty ones of elementColumns that fit a width, and their indices. Bits are shown only if two values print the
// same. On a narrow terminal, offsets are dropped first if both sides have bytes, then bytes.
func (r *report) columns(width int) (c render.Columns, kept []int, err error) {
	all := render.Columns{Header: elementColumns, Widths: make([]int, len(elementColumns))}
	equal := false
	err = r.each(func(x row) error {
		equal = equal || x.A == x.B
		for i, cell := range x.cells() {
			all.Widths[i] = max(all.Widths[i], displaywidth.String(cell))
		}
		return nil
	})
	if !equal {
		for _, i := range bitColumns {
			all.Widths[i] = 0
		}
	}
	drop := [][]int{offsetColumns, byteColumns}
	if all.Widths[byteColumns[0]] == 0 || all.Widths[byteColumns[1]] == 0 {
		drop = drop[1:]
	}
	kept = all.Fit(width, drop...)
	numbers := ints.Range(len(kept))[1:]
	return render.Columns{Header: only(all.Header, kept), Widths: only(all.Widths, kept), Numbers: numbers}, kept, err
}

// only returns the members of a list at some indices.
func only[T any](list []T, indices []int) []T {
	kept := make([]T, len(indices))
	for k, i := range indices {
		kept[k] = list[i]
	}
	return kept
}

// isWhole reports whether elements are shown in full: numbers and times.
func isWhole(d dtype.Type) bool {
	return dtype.IsNumber(d) || d.Kind() == dtype.Datetime || d.Kind() == dtype.Timedelta
}

const (
	maxShown  = 20 // characters of a text in a table
	leadShown = 6  // characters before the first difference
	maxBits   = 16 // bytes of an element in hexadecimal
	leadBits  = 8  // bytes before the first that differs
)

// cutApart shortens two texts to the range around their first difference.
func cutApart(a, b string) (string, string) {
	x := []rune(a)
	y := []rune(b)
	if max(len(x), len(y)) <= maxShown {
		return a, b
	}
	from := max(0, commonPrefix(x, y)-leadShown)
	if from+leadShown+2 < maxShown || a == b {
		return text.Cut(a, maxShown), text.Cut(b, maxShown)
	}
	return text.Cut("…"+string(x[from:]), maxShown), text.Cut("…"+string(y[from:]), maxShown)
}

// commonPrefix returns the length of the longest common prefix of two lists.
func commonPrefix[T comparable](x, y []T) int {
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// bitsOf returns two elements' bytes in hexadecimal: numbers in full, most significant byte first, complex ones part by part; other
// elements in memory order, around the first byte that differs.
func bitsOf(a, b dtype.Type, x, y []byte) (string, string) {
	if isWhole(a) {
		return numberBits(a, x), numberBits(b, y)
	}
	from := max(0, commonPrefix(littleEndian(a, x), littleEndian(b, y))-leadBits)
	if from+leadBits < maxBits || max(len(x), len(y)) <= maxBits {
		from = 0
	}
	return firstBits(x, from), firstBits(y, from)
}

// littleEndian returns a copy of an element with its numbers in little-endian byte order.
func littleEndian(d dtype.Type, item []byte) []byte {
	item = slices.Clone(item)
	if swap := dtype.LittleEndian(d); swap != nil {
		swap(item)
	}
	return item
}

// numberBits returns all bytes of a number.
func numberBits(d dtype.Type, item []byte) string {
	item = littleEndian(d, item)
	part := len(item)
	if d.Kind() == dtype.Complex {
		part /= 2
	}
	for p := range slices.Chunk(item, part) {
		slices.Reverse(p)
	}
	return "0x" + hex.EncodeToString(item)
}

// firstBits returns up to maxBits bytes from one on.
func firstBits(item []byte, from int) string {
	before, after := "0x", ""
	if from > 0 {
		before = "0x…"
	}
	item = item[min(from, len(item)):]
	if len(item) > maxBits {
		item = item[:maxBits]
		after = "…"
	}
	return before + hex.EncodeToString(item) + after
}
