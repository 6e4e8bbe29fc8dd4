package diff

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/words"
)

// elementColumns are all that a table of differing elements may have; numbers, except for the first.
var elementColumns = []string{"coordinate", "a", "b", "bits a", "bits b", "offset a", "offset b", "byte a", "byte b"}

// The columns that a table can do without.
var (
	bitColumns    = []int{3, 4}
	offsetColumns = []int{5, 6}
	byteColumns   = []int{7, 8}
)

// cells are a row's, by elementColumns.
func (x row) cells() []string {
	return append([]string{tensor.Tuple(x.Coord), x.a, x.b}, x.numbers()...)
}

// numbers are the cells of the bits, offsets and bytes of both sides.
func (x row) numbers() []string {
	return []string{x.ABits, x.BBits, strconv.Itoa(x.AOffset), strconv.Itoa(x.BOffset), byteText(x.AByte), byteText(x.BByte)}
}

func byteText(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// maxDrawn is how many rows are drawn as a table; more are written one by one.
const maxDrawn = 1000

// writeElements lists elements that differ.
func (r *report) writeElements(p *cli.Page) {
	if len(r.listed.first) == 0 {
		return
	}
	all, err := r.listed.columns()
	if err != nil {
		p.Fail(err)
		return
	}
	shown, c := shownColumns(all, p.Columns()), render.Columns{}
	for i, k := range shown {
		c.Header, c.Widths = append(c.Header, all.Header[k]), append(c.Widths, all.Widths[k])
		if i > 0 {
			c.Numbers = append(c.Numbers, i)
		}
	}
	each := func(add func(cells ...string) error) error {
		return r.listed.each(func(x row) error {
			cells, kept := x.cells(), make([]string, len(shown))
			for i, k := range shown {
				kept[i] = cells[k]
			}
			return add(kept...)
		})
	}
	if len(r.listed.first) <= maxDrawn {
		t := render.Table{Title: r.elementTitle(), Header: c.Header, Numbers: c.Numbers}
		p.Fail(each(func(cells ...string) error { t.Add(cells...); return nil }))
		p.Section(t)
		return
	}
	w := p.Rows(r.elementTitle(), c)
	p.Fail(each(w.Row))
	p.Fail(w.Close())
}

// columns are elementColumns with the widths that they need, 0 if a column is empty. Bits are shown only if two values
// print the same.
func (l *listed) columns() (render.Columns, error) {
	c := render.Columns{Header: elementColumns, Widths: make([]int, len(elementColumns))}
	alike := false
	err := l.each(func(x row) error {
		alike = alike || x.A == x.B
		for i, cell := range x.cells() {
			c.Widths[i] = max(c.Widths[i], displaywidth.String(cell))
		}
		return nil
	})
	if !alike {
		for _, i := range bitColumns {
			c.Widths[i] = 0
		}
	}
	return c, err
}

// shownColumns are the columns for a width: on a narrow terminal offsets go first if both sides have bytes, then bytes.
func shownColumns(c render.Columns, width int) []int {
	if c.Widths[byteColumns[0]] > 0 && c.Widths[byteColumns[1]] > 0 {
		return c.Fit(width, offsetColumns, byteColumns)
	}
	return c.Fit(width, byteColumns)
}

func (r *report) elementTitle() string {
	by := ""
	if len(r.A.Dims) > 0 {
		by = ", by " + strings.Join(r.A.Dims, ",")
	}
	if n := len(r.listed.first); n < *r.Differing {
		return fmt.Sprintf("The first %d of %d elements that differ%s; %s", n, *r.Differing, by, r.wayToMore())
	}
	return "Elements that differ" + by
}

const (
	maxShown  = 20 // characters of a text in a table
	leadShown = 6  // of those, the ones before the first difference
	maxBits   = 16 // bytes of an element in hexadecimal
)

// cutApart shortens two texts to the same stretch, which shows their first difference. Texts that differ still do
// afterwards.
func cutApart(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	if max(len(x), len(y)) <= maxShown {
		return a, b
	}
	from := max(0, commonPrefix(x, y)-leadShown)
	if from+leadShown+2 < maxShown || a == b {
		return words.Cut(a, maxShown), words.Cut(b, maxShown)
	}
	return words.Cut("…"+string(x[from:]), maxShown), words.Cut("…"+string(y[from:]), maxShown)
}

// commonPrefix is how many of their first members two lists have in common.
func commonPrefix[T comparable](x, y []T) int {
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// bitsOf prints two elements' bytes: those of a number from the highest to the lowest, of a complex one part by part,
// of anything else in memory order. Numbers are printed whole; anything else from the first byte that differs.
func bitsOf(a, b dtype.Type, x, y []byte) (string, string) {
	from := 0
	if !isWhole(a) && max(len(x), len(y)) > maxBits {
		const numberBytes = 8 // the bytes of a number that may precede the first one that differs
		from = max(0, commonPrefix(littleEndian(a, x), littleEndian(b, y))-numberBytes)
		if from+numberBytes < maxBits {
			from = 0
		}
	}
	return hexOf(a, x, from), hexOf(b, y, from)
}

// littleEndian is a copy of an element with its numbers in little-endian byte order.
func littleEndian(d dtype.Type, item []byte) []byte {
	item = slices.Clone(item)
	if swap := dtype.LittleEndian(d); swap != nil {
		swap(item)
	}
	return item
}

func hexOf(d dtype.Type, item []byte, from int) string {
	item, parts := slices.Clone(item), 0
	switch {
	case !isWhole(d) || d.Order() != dtype.Little:
	case d.Kind() == dtype.Complex:
		parts = 2
	default:
		parts = 1
	}
	for i := range parts {
		slices.Reverse(item[i*len(item)/parts : (i+1)*len(item)/parts])
	}
	before, after := "0x", ""
	if from > 0 {
		before = "0x…"
	}
	if item = item[min(from, len(item)):]; len(item) > maxBits && !isWhole(d) {
		item, after = item[:maxBits], "…"
	}
	return before + hex.EncodeToString(item) + after
}
