package explorer

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
)

// dimNames are possible names of dims.
var dimNames = map[int][][]string{
	0: {{}},
	1: {{"W"}, {"C"}, {"d0"}},
	2: {{"H", "W"}, {"N", "C"}},
	3: {{"C", "H", "W"}, {"d0", "d1", "d2"}, {"N", "H", "D"}, {"B", "H", "W"}},
	4: {{"N", "C", "H", "W"}, {"N", "C", "H", "W"}, {"O", "I", "H", "W"}, {"B", "S", "H", "D"}, {"B", "C", "H", "W"}},
	5: {{"N", "C", "D", "H", "W"}},
}

// far multiplies strides, so that addresses are large numbers.
var far = 1 << (strconv.IntSize*5/8 - 4)

// drawLayout is a layout of up to five dims of one to three digits. Strides nest, repeat, overlap, run backwards or leave
// gaps; a few are so large that addresses need more than 32 bits.
func drawLayout(t *testing.T, d *rand.Rand) tensor.Layout {
	t.Helper()
	rank := []int{0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5}[d.IntN(12)]
	names := dimNames[rank][d.IntN(len(dimNames[rank]))]
	dims := make([]tensor.Dim, rank)
	split := d.IntN(2) * d.IntN(2)
	for i := range dims {
		dims[i] = drawDim(d, names[i], split)
	}
	drawStrides(d, dims)
	l, err := tensor.New(dims, d.IntN(2)*d.IntN(30), tensor.Unbounded)
	if err == nil && d.IntN(3) == 0 {
		l, err = tensor.New(dims, l.Offset(), l.Alloc()+d.IntN(20))
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// rareLayouts returns layouts that are rarely drawn: a packed reversed stride around a broadcast, and several digits of one dim that do not
// move the address.
func rareLayouts(t *testing.T) []tensor.Layout {
	t.Helper()
	var layouts []tensor.Layout
	for _, dims := range [][]tensor.Dim{
		{{Name: "H", Size: 2, Digits: []tensor.Digit{{Div: 1, Extent: 2, Stride: -3}}},
			{Name: "W", Size: 3, Digits: []tensor.Digit{{Div: 1, Extent: 3}}}},
		{{Name: "C", Size: 5, Digits: []tensor.Digit{{Div: 1, Extent: 2}, {Div: 2, Extent: 3}}},
			{Name: "W", Size: 2, Digits: []tensor.Digit{{Div: 1, Extent: 2, Stride: 1}}}},
		{{Name: "C", Size: 5, Digits: []tensor.Digit{{Div: 1, Extent: 1, Stride: 7}, {Div: 1, Extent: 5, Stride: 2}}},
			{Name: "W", Size: 2, Digits: []tensor.Digit{{Div: 1, Extent: 2, Stride: 1}}}},
	} {
		l, err := tensor.New(dims, 3, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		layouts = append(layouts, l)
	}
	return layouts
}

func drawDim(d *rand.Rand, name string, split int) tensor.Dim {
	dim := tensor.Dim{Name: name, Size: 1 + d.IntN(6)}
	if d.IntN(40) == 0 {
		dim.Size = 0
	}
	div := 1
	for range split * d.IntN(3) {
		block := 1 + d.IntN(4)
		dim.Digits = append(dim.Digits, tensor.Digit{Div: div, Extent: block})
		div *= block
	}
	dim.Digits = append(dim.Digits, tensor.Digit{Div: div, Extent: (dim.Size + div - 1) / div})
	return dim
}

// drawStrides nests the digits of all dims, in row-major or another order, mostly without gaps or overlap.
func drawStrides(d *rand.Rand, dims []tensor.Dim) {
	var digits []*tensor.Digit
	for i := len(dims) - 1; i >= 0; i-- {
		for k := range dims[i].Digits {
			digits = append(digits, &dims[i].Digits[k])
		}
	}
	if d.IntN(3) > 0 {
		d.Shuffle(len(digits), func(i, j int) { digits[i], digits[j] = digits[j], digits[i] })
	}
	flaws, run := d.IntN(3), 1
	if d.IntN(20) == 0 {
		run = far
	}
	for _, g := range digits {
		run += flaws * d.IntN(2) * d.IntN(3)
		g.Stride = run
		if flaws > 0 && d.IntN(4) == 0 {
			g.Stride = []int{0, -run, 1 + d.IntN(9), 2 - d.IntN(5)}[d.IntN(4)]
		}
		run *= max(g.Extent, 1)
	}
}

var allKinds = []string{"scalar", "empty", "broadcast", "backwards", "blocked", "ragged", "packed", "holes", "overlapping", "far"}

// kindsOf names the kinds of layouts that a layout is an example of.
func kindsOf(l tensor.Layout) []string {
	var kinds []string
	is := func(holds bool, kind string) {
		if holds {
			kinds = append(kinds, kind)
		}
	}
	_, plain := l.Strided()
	low, high, _ := l.Span()
	is(l.Rank() == 0, "scalar")
	is(l.Numel() == 0, "empty")
	is(len(l.BroadcastDims()) > 0, "broadcast")
	is(low < l.Offset(), "backwards")
	is(!plain, "blocked")
	is(l.Packed(), "packed")
	is(l.Gaps() > 0, "holes")
	is(l.Occupancy().Overlapping == tensor.Yes && len(l.BroadcastDims()) == 0, "overlapping")
	is(high >= far, "far")
	for i, padded := range l.PaddedShape() {
		if padded > l.Dim(i).Size {
			return append(kinds, "ragged")
		}
	}
	return kinds
}

// question is a layout, with the coordinates and offsets to examine.
type question struct {
	Layout  layout  `json:"layout"`
	Coords  [][]int `json:"coords"`
	Offsets []int   `json:"offsets"`
	Unit    int     `json:"unit"` // bytes of an item
}

// answer has all results for a layout.
type answer struct {
	Text                                    string
	Numel, Extent, Unique, Padding, Sharing int
	Span                                    []int // empty for none
	Inside                                  []int // from, end
	C, F, ChannelsLast, ChannelsLast3d      bool
	Broadcast                               []int
	Axes                                    []axisAnswer
	Strides, Logical                        []string // of the axes in memory order, and in logical order
	Points                                  []pointAnswer
	Places                                  []placeAnswer
}

type axisAnswer struct {
	Name, Symbol, Letter, Taken string
	Dim, Div, Extent, Stride    int
	Last, Whole                 bool
}

type pointAnswer struct {
	At, Index        int
	Coord            []int // of the index
	Values, Products []int
	Text, Bytes      string
	Lines            []string
}

type placeAnswer struct {
	Found    [][]int
	Complete bool
	Steps    [][]int // dim, digit, stride, value, rest
	Coord    []int
	Rest     int
	Edges    int
	Padding  string // where nothing was found
}

const findLimit = 3

const modelAnswer = `({layout: l, coords, offsets, unit}) => {
	const sizes = l.dims.map((d) => d.size), s = model.span(l);
	return {
		text: model.layoutText(l),
		numel: model.numel(l), extent: model.extent(l), unique: model.unique(l), padding: model.padding(l),
		sharing: model.sharing(l) ?? 0, span: s === null ? [] : [s.low, s.high],
		inside: [model.inside(l).from, model.inside(l).end],
		c: model.cContiguous(l), f: model.fContiguous(l),
		channelsLast: model.channelsLast(l), channelsLast3d: model.channelsLast3d(l),
		broadcast: model.broadcastDims(l),
		axes: model.axes(l), strides: model.strideTexts(model.inMemory(l)), logical: model.strideTexts(model.axes(l)),
		points: coords.map((c) => ({
			at: model.at(l, c), index: model.index(c, sizes), coord: model.coordOf(model.index(c, sizes), sizes),
			values: model.terms(l, c).map((t) => t.value), products: model.terms(l, c).map((t) => t.product),
			text: model.addressText(l, c, 1), bytes: model.addressText(l, c, unit), lines: model.digitLines(l, c),
		})),
		places: offsets.map((off) => {
			const {coords, complete} = model.find(l, off, 3), r = model.divide(l, off);
			return {
				found: coords, complete, edges: model.edges(l, off),
				steps: r?.steps.map((s) => [s.dim, s.digit, s.stride, s.value, s.rest]), coord: r?.coord, rest: r?.rest ?? 0,
				padding: coords.length > 0 || !complete ? "" : model.paddingText(l, off),
			};
		}),
	};
}`

// goAnswer answers by the packages that define the answers.
func goAnswer(l tensor.Layout, q question) answer {
	a := answer{
		Text: l.String(), Numel: l.Numel(), Extent: l.Extent(), Unique: l.Occupancy().Unique,
		Broadcast: l.BroadcastDims(),
	}
	a.Padding = l.Alloc() - a.Unique
	a.Sharing, _ = l.Sharing()
	from, end := picture.Inside(l)
	a.Inside = []int{from, end}
	if low, high, ok := l.Span(); ok {
		a.Span = []int{low, high}
	}
	if s, ok := l.Strided(); ok {
		a.C, a.F = s.CContiguous().OK, s.FContiguous().OK
		a.ChannelsLast, a.ChannelsLast3d = s.ChannelsLast().OK, s.ChannelsLast3D().OK
	}
	for _, x := range explain.Logical(l) {
		words := axisAnswer{x.Name(), x.Symbol(), x.Letter(), x.Taken(), x.Dim, x.Div, x.Extent, x.Stride, x.Last, x.Whole()}
		a.Axes = append(a.Axes, words)
	}
	for _, s := range explain.NewStrides(explain.InMemory(l, nil)) {
		a.Strides = append(a.Strides, s.String())
	}
	for _, s := range explain.NewStrides(explain.Logical(l)) {
		a.Logical = append(a.Logical, s.String())
	}
	for _, c := range q.Coords {
		a.Points = append(a.Points, goPoint(l, c, q.Unit))
	}
	edges := picture.Edges(l)
	for _, off := range q.Offsets {
		p := goPlace(l, off)
		p.Edges = edges(off)
		a.Places = append(a.Places, p)
	}
	return a
}

func goPoint(l tensor.Layout, c []int, unit int) pointAnswer {
	address := explain.NewAddress(l, c)
	p := pointAnswer{At: l.At(c...), Coord: c, Lines: address.DigitLines()}
	p.Text, p.Bytes = address.String(), address.In(unit).String()
	for d, i := range c {
		p.Index = p.Index*l.Dim(d).Size + i
	}
	for _, t := range address.Terms {
		p.Values, p.Products = append(p.Values, t.Value), append(p.Products, t.Value*t.Stride)
	}
	return p
}

func goPlace(l tensor.Layout, off int) placeAnswer {
	var p placeAnswer
	p.Found, p.Complete = l.Find(off, findLimit)
	if len(p.Found) == 0 && p.Complete {
		p.Padding = explain.NewPadding(l, off).String()
	}
	r, _ := l.Divide(off)
	p.Coord, p.Rest = r.Coord, r.Rest
	for _, s := range r.Steps {
		p.Steps = append(p.Steps, []int{s.Dim, s.Digit, s.Stride, s.Value, s.Rest})
	}
	return p
}

// askOf picks coordinates and offsets of a layout, including those around its first and last elements.
func askOf(d *rand.Rand, l tensor.Layout) question {
	q := question{Layout: newLayout(l), Coords: [][]int{}, Unit: 1 << d.IntN(5)}
	low, high, _ := l.Span()
	q.Offsets = []int{low - 1, low, high, high + 1, l.Offset()}
	for range 4 {
		q.Offsets = append(q.Offsets, low+int(d.Int64N(int64(high-low)+3)))
	}
	if l.Numel() == 0 {
		return q
	}
	q.Coords = append(q.Coords, explain.Example(l))
	for range 2 {
		c := make([]int, l.Rank())
		for i := range c {
			c[i] = d.IntN(l.Dim(i).Size)
		}
		q.Coords, q.Offsets = append(q.Coords, c), append(q.Offsets, l.At(c...))
	}
	return q
}
