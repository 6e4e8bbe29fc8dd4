package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// formatsAxis is an axis of memory. How tells where its stride comes from, in symbols and, where there are sizes, in
// numbers.
type formatsAxis struct {
	Axis   string `json:"axis"`
	Dim    string `json:"dim"`
	Div    int    `json:"div"`
	Size   *int   `json:"size"`
	Stride *int   `json:"stride"`
	Bytes  *int   `json:"stride_bytes"`
	How    string `json:"how"`
}

// formatsPadding is a dim that ends inside a block.
type formatsPadding struct {
	Dim    string `json:"dim"`
	Size   int    `json:"size"`
	Padded int    `json:"padded"`
}

// axes lists memory's axes, outermost first. The packed stride of each is the product of the sizes of those inside.
func (r *formatsReport) axes() {
	inner, sizes := []string{}, []string{}
	product := 1
	names := strings.Split(r.Explicit, " ")
	for k, a := range slices.Backward(r.format.Axes()) {
		x := formatsAxis{Axis: names[k], Dim: r.format.Names()[a.Dim], Div: a.Div, How: times(inner)}
		if len(inner) == 0 {
			x.How = "innermost"
		}
		if r.layout != nil {
			g := r.digit(a)
			bytes := g.Stride * r.ItemSize
			x.Size, x.Stride, x.Bytes = &g.Extent, &g.Stride, &bytes
			x.How += numbers(times(inner), sizes, product, g)
			product *= max(g.Extent, 1)
			r.Physical = append([]int{g.Extent}, r.Physical...)
			sizes = append([]string{strconv.Itoa(g.Extent)}, sizes...)
		}
		inner = append([]string{r.symbol(a)}, inner...)
		r.Axes = append([]formatsAxis{x}, r.Axes...)
	}
	r.Symbols = inner
}

// symbol is an axis's size in letters: H, 16, ⌈C/16⌉.
func (r *formatsReport) symbol(a notation.Axis) string {
	switch {
	case a.Extent != 0:
		return strconv.Itoa(a.Extent)
	case a.Div != 1:
		return fmt.Sprintf("⌈%s/%d⌉", r.format.Names()[a.Dim], a.Div)
	}
	return r.format.Names()[a.Dim]
}

// digit is the layout's digit that an axis counts.
func (r *formatsReport) digit(a notation.Axis) tensor.Digit {
	digits := r.layout.Dim(a.Dim).Digits
	if a.Extent == 0 {
		return digits[len(digits)-1]
	}
	return digits[slices.IndexFunc(digits, func(g tensor.Digit) bool { return g.Div == a.Div && g.Extent == a.Extent })]
}

// numbers are the sizes behind a stride: " = 5·4·16 = 320".
func numbers(symbols string, sizes []string, product int, g tensor.Digit) string {
	s := ""
	if n := times(sizes); n != symbols {
		s = " = " + n
	}
	if len(sizes) > 1 {
		s += fmt.Sprintf(" = %d", product)
	}
	switch {
	case slices.Contains(sizes, "0"):
		s += ", where 0 counts as 1"
	case g.Stride == product || g.Extent == 0:
	case g.Extent == 1:
		s += fmt.Sprintf("; size 1 never uses its %d", g.Stride)
	default:
		s += fmt.Sprintf("; here %d", g.Stride)
	}
	return s
}

// axisTable shows memory axis by axis.
func (r *formatsReport) axisTable() render.Table {
	if r.layout == nil {
		t := render.Table{Title: "Memory, outermost first: (" + strings.Join(r.Symbols, ", ") + ")",
			Header: []string{"axis", "size", "stride = product of the sizes inside"}}
		for k, x := range r.Axes {
			t.Add(x.Axis, r.Symbols[k], x.How)
		}
		return t
	}
	size := fmt.Sprintf("%d elements, %s", *r.Elems, formatBytes(int64(*r.Bytes)))
	t := render.Table{Title: fmt.Sprintf("Memory: %s %s, %s", r.DType, tensor.Tuple(r.Physical), size),
		Header: []string{"axis", "size", "stride", "bytes", "how the stride comes about"}, Numbers: []int{1, 2, 3}}
	for _, x := range r.Axes {
		t.Add(x.Axis, strconv.Itoa(*x.Size), strconv.Itoa(*x.Stride), strconv.Itoa(*x.Bytes), x.How)
	}
	return t
}

// newFormatsPadding lists the dims of a packed layout that end inside a block.
func newFormatsPadding(l tensor.Layout) []formatsPadding {
	padding := []formatsPadding{}
	for d, padded := range l.PaddedShape() {
		if size := l.Dim(d).Size; padded > size {
			padding = append(padding, formatsPadding{l.Dim(d).Name, size, padded})
		}
	}
	return padding
}

// paddingText counts it: C 62 -> 64, 2 lanes x 20 places: 40 of 1280 elements, 3.1 %, 160 bytes.
func (r *formatsReport) paddingText() string {
	var parts []string
	for _, p := range r.Padding {
		lanes := p.Padded - p.Size
		s := fmt.Sprintf("%s %d -> %d, %d %s", p.Dim, p.Size, p.Padded, lanes, words.Plural(lanes, "lane", "lanes"))
		if len(r.Padding) == 1 && r.PadElems > 0 {
			s += fmt.Sprintf(" x %d %s", r.PadElems/lanes, words.Plural(r.PadElems/lanes, "place", "places"))
		}
		parts = append(parts, s)
	}
	return fmt.Sprintf("%s: %d of %d elements, %.1f %%, %s", strings.Join(parts, "; "), r.PadElems, *r.Elems,
		100*float64(r.PadElems)/float64(max(*r.Elems, 1)), formatBytes(int64(r.PadElems)*int64(r.ItemSize)))
}

// paddingHolds says what the frameworks keep there.
func paddingHolds() string {
	var order []string
	who := map[string][]string{}
	for _, f := range notation.Frameworks() {
		if f.Padding == "" {
			continue
		}
		if who[f.Padding] == nil {
			order = append(order, f.Padding)
		}
		who[f.Padding] = append(who[f.Padding], f.Name)
	}
	slices.SortStableFunc(order, func(a, b string) int { return strings.Index(b, "zero") - strings.Index(a, "zero") })
	for i, what := range order {
		order[i] = strings.Join(who[what], ", ") + " " + what
	}
	return strings.Join(order, "; ")
}
