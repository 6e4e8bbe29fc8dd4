package inspectcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// maxBanks limits the rows of dims on the first screen.
const maxBanks = 3

// grid lists the dims from left to right, with size, stride and bytes below them, or the digits of split dims in memory order, as formats
// does. Lines are at most columns wide, and their labels take the first indent columns. Dims that do not fit continue below, without bytes.
func (r report) grid(indent, columns int) []string {
	dims := r.dimColumns()
	labels := []string{"", "size", "stride", "bytes"}
	if r.Strides == nil {
		labels = []string{"memory", "extent", "stride", "bytes"}
	}
	if r.LooksLike != "" {
		labels[0] = "axis"
	}
	fits := func(n int) bool { return displaywidth.String(rows(labels, dims[:n], indent)[0]) <= columns }
	if r.ItemSize <= 1 || !fits(len(dims)) {
		labels = labels[:len(labels)-1] // bytes equal elements, or are easy to compute
	}
	var grid []string
	for bank := 0; len(dims) > 0; bank++ {
		if bank == maxBanks {
			return append(grid, text.Blanks(indent)+"and "+text.Count(len(dims), "more dim"))
		}
		n := len(dims)
		for n > 1 && !fits(n) {
			n--
		}
		grid = append(grid, rows(labels, dims[:n], indent)...)
		dims = dims[n:]
	}
	return grid
}

// dimColumns returns the cells of each dim, or of each digit, those with the largest stride first, from top to bottom.
func (r report) dimColumns() (columns [][]string) {
	if r.Strides == nil {
		return r.digitColumns()
	}
	for i, name := range r.Dims {
		if r.LooksLike != "" {
			name = strconv.Itoa(i)
		}
		columns = append(columns, []string{name, strconv.Itoa(r.Shape[i]), strconv.Itoa(r.Strides[i]), r.InBytes(r.Strides[i])})
	}
	return columns
}

func (r report) digitColumns() (columns [][]string) {
	type column struct {
		stride int
		cells  []string
	}
	var all []column
	for i, name := range r.Dims {
		d := tensor.Dim{Name: name, Size: r.Shape[i], Digits: r.Digits[name]}
		for k, g := range slices.Backward(d.Digits) {
			all = append(all, column{g.Stride, []string{explain.DigitName(d, k), strconv.Itoa(g.Extent), strconv.Itoa(g.Stride), r.InBytes(g.Stride)}})
		}
	}
	sorting.By(all, func(a, b column) int { return cmp.Compare(b.stride, a.stride) })
	for _, c := range all {
		columns = append(columns, c.cells)
	}
	return columns
}

// rows lays out dims side by side, right-aligned.
func rows(labels []string, dims [][]string, indent int) []string {
	lines := make([]string, len(labels))
	for i, label := range labels {
		lines[i] = fmt.Sprintf("%-*s", indent-2, label)
	}
	for _, cells := range dims {
		width := 0
		for _, cell := range cells[:len(labels)] {
			width = max(width, displaywidth.String(cell))
		}
		for i, cell := range cells[:len(labels)] {
			lines[i] += text.Blanks(2+width-displaywidth.String(cell)) + cell
		}
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// dimTable lists the dims with their strides, or the digits of split dims.
func (r report) dimTable() render.Table {
	if r.Strides == nil {
		return r.digitTable()
	}
	t := render.Table{Title: "Dims, in logical order", Header: []string{"dim", "size", "stride", "bytes"}, Numbers: []int{1, 2, 3}}
	for i, name := range r.Dims {
		t.Add(name, strconv.Itoa(r.Shape[i]), strconv.Itoa(r.Strides[i]), r.InBytes(r.Strides[i]))
	}
	return t
}

func (r report) digitTable() render.Table {
	t := render.Table{Title: "Dims and their digits, most significant first",
		Header: []string{"dim", "size", "digit", "extent", "stride", "bytes"}, Numbers: []int{1, 3, 4, 5}}
	for i, name := range r.Dims {
		d := tensor.Dim{Name: name, Size: r.Shape[i], Digits: r.Digits[name]}
		size := strconv.Itoa(d.Size)
		for k, g := range slices.Backward(d.Digits) {
			t.Add(name, size, explain.DigitName(d, k), strconv.Itoa(g.Extent), strconv.Itoa(g.Stride), r.InBytes(g.Stride))
			name = ""
			size = ""
		}
	}
	return t
}
