package explorer

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// modelOrder is a memory order for the model.
type modelOrder struct {
	Names []string `json:"names"`
	Axes  []axis   `json:"axes"`
}

func newModelOrder(f notation.Format) modelOrder {
	o := modelOrder{Names: f.Names()}
	for _, a := range f.Axes() {
		o.Axes = append(o.Axes, axis(a))
	}
	return o
}

type orderQuestion struct {
	Order   modelOrder   `json:"order"`
	Sizes   []int        `json:"sizes"`
	Pitches []modelPitch `json:"pitches"`
	Align   int          `json:"align"` // of rows
}

type modelPitch struct {
	Dim   string `json:"dim"`
	Align int    `json:"align"`
}

type orderAnswer struct {
	Physical             []int
	Bound, Pitched, Rows boundAnswer
}

// boundAnswer is a layout and its axes in the order of memory.
type boundAnswer struct {
	Layout  layout
	Text    string
	Axes    []string
	Strides []string
}

const modelBind = `(q) => {
	const told = (l) => {
		const axes = model.inMemory(l, q.order);
		return {layout: l, text: model.layoutText(l), axes: axes.map((a) => a.name), strides: model.strideTexts(axes)};
	};
	return {
		physical: model.physicalShape(q.order, q.sizes), bound: told(model.bind(q.order, q.sizes)),
		pitched: told(model.pad(q.order, q.sizes, q.pitches)), rows: told(model.pad(q.order, q.sizes, q.align)),
	};
}`

// TestBrowserModelOrders: every order of the catalogue, and random orders of axes, are bound to sizes as by Format.Bind, and padded as by
// convert.
func TestBrowserModelOrders(t *testing.T) {
	b := modelTab(t)
	d := rand.New(rand.NewPCG(3, 0))
	formats := catalogueFormats(t)
	for len(formats) < 350 {
		formats = append(formats, drawFormat(t, d))
	}
	var questions []orderQuestion
	for _, f := range formats {
		for range 2 {
			questions = append(questions, drawBinding(d, f))
		}
	}
	for i, got := range each[orderAnswer](b, modelBind, questions) {
		want := goBind(t, formats[i/2], questions[i])
		if canonical(t, want) != canonical(t, got) {
			q := questions[i]
			t.Errorf("%s of %v, pitches %v, rows %d (-Go +JavaScript):\n%s", formats[i/2], q.Sizes, q.Pitches, q.Align,
				cmp.Diff(want, got, cmpopts.EquateEmpty()))
		}
	}
}

// catalogueFormats returns the orders of all names. Row-major and column-major are rules for any dims, here for five.
func catalogueFormats(t *testing.T) []notation.Format {
	rows := notation.RowMajor([]string{"N", "C", "D", "H", "W"})
	formats := []notation.Format{rows, rows.Reversed()}
	for _, e := range framework.Catalogue() {
		if e.Order == "" || e.Kind == framework.AnyRank {
			continue
		}
		l, err := notation.Parse(e.Order)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		formats = append(formats, l.Format)
	}
	if len(formats) < 80 {
		t.Errorf("the catalogue has %d orders only", len(formats))
	}
	return formats
}

// drawFormat writes axes of up to four dims in up to three digits, in any order.
func drawFormat(t *testing.T, d *rand.Rand) notation.Format {
	var axes []string
	for _, name := range strings.Split("NCHW", "")[d.IntN(4):] {
		div := 1
		for range d.IntN(3) {
			block := 1 + d.IntN(4)
			axes = append(axes, fmt.Sprintf("%s//%d%%%d", name, div, block))
			div *= block
		}
		axes = append(axes, fmt.Sprintf("%s//%d", name, div))
	}
	d.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
	l, err := notation.Parse(strings.Join(axes, " "))
	if err != nil {
		t.Fatal(err)
	}
	return l.Format
}

func drawBinding(d *rand.Rand, f notation.Format) orderQuestion {
	q := orderQuestion{Order: newModelOrder(f), Pitches: []modelPitch{}, Align: 1 + d.IntN(40)}
	for i := range f.Rank() {
		size := 1 + d.IntN(9)
		switch d.IntN(30) {
		case 0:
			size = 0
		case 1, 2, 3:
			size = 17 + d.IntN(60)
		}
		q.Sizes = append(q.Sizes, size)
		if d.IntN(2) == 0 {
			q.Pitches = append(q.Pitches, modelPitch{f.Names()[i], 1 + d.IntN(20)})
		}
	}
	return q
}

func goBind(t *testing.T, f notation.Format, q orderQuestion) orderAnswer {
	physical, err := f.PhysicalShape(q.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	var pitches []convert.Pitch
	for _, p := range q.Pitches {
		pitches = append(pitches, convert.Pitch(p))
	}
	return orderAnswer{physical, goBound(t, f, q.Sizes, nil), goBound(t, f, q.Sizes, pitches),
		goBound(t, f, q.Sizes, []convert.Pitch{{Dim: rowOf(f), Align: q.Align}})}
}

func goBound(t *testing.T, f notation.Format, sizes []int, pitches []convert.Pitch) boundAnswer {
	target, err := convert.Named(f, sizes, pitches)
	if err != nil {
		t.Fatal(err)
	}
	a := boundAnswer{Layout: newLayout(target.Layout), Text: target.Layout.String()}
	axes := explain.InMemory(target.Layout, &f)
	for i, s := range explain.NewStrides(axes) {
		a.Axes, a.Strides = append(a.Axes, axes[i].Name()), append(a.Strides, s.String())
	}
	return a
}

// rowOf returns the dim along a row: the inner one of the last two dims.
func rowOf(f notation.Format) string {
	row := ""
	for _, a := range f.Axes() {
		if a.Extent == 0 && a.Dim+2 >= f.Rank() {
			row = f.Names()[a.Dim]
		}
	}
	return row
}

// TestBrowserModelRows: rows end with the expected dim.
func TestBrowserModelRows(t *testing.T) {
	b := modelTab(t)
	want := map[string]string{
		"NCHW": "W", "NHWC": "W", "NCHW4": "W", "CHWN4": "W", "WHCN": "H", "HWIO": "W",
		"HW": "W", "WH": "H", "NC": "C", "CN": "N",
	}
	var orders []modelOrder
	names := slices.Sorted(maps.Keys(want))
	for _, name := range names {
		orders = append(orders, newModelOrder(mustParse(t, name)))
	}
	for i, got := range each[string](b, "(order) => order.names[model.rowDim(order)]", orders) {
		if got != want[names[i]] {
			t.Errorf("rows of %s end with %s, want %s", names[i], got, want[names[i]])
		}
	}
}

func mustParse(t *testing.T, name string) notation.Format {
	t.Helper()
	l, err := notation.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return l.Format
}

// TestBrowserModelBlocks: a different block size makes the order of that name.
func TestBrowserModelBlocks(t *testing.T) {
	b := modelTab(t)
	type resized struct {
		Order modelOrder `json:"order"`
		Block int        `json:"block"`
	}
	type answer struct {
		Before, After []int
		Order         modelOrder
	}
	cases := []struct {
		name  string
		block int
		want  string
		sizes []int
	}{
		{"NCHW4c", 8, "NCHW8c", []int{4}},
		{"NCHW32c", 2, "NCHW2c", []int{32}},
		{"CHWN4", 16, "C//16 H W N C%16", []int{4}},
		{"NChw16n16c", 4, "NCHW4n4c", []int{16, 16}},
		{"OIhw8i8o", 16, "OIHW16i16o", []int{8, 8}},
		{"OIhw4i16o4i", 2, "OIHW4i2o2i", []int{16, 4}},
		{"NCHW", 8, "NCHW", nil},
	}
	var questions []resized
	for _, c := range cases {
		questions = append(questions, resized{newModelOrder(mustParse(t, c.name)), c.block})
	}
	const script = `({order, block}) => {
		const after = model.withBlock(order, block);
		return {before: model.blocks(order), after: model.blocks(after), order: {names: after.names, axes: after.axes}};
	}`
	for i, got := range each[answer](b, script, questions) {
		c := cases[i]
		after := slices.Repeat([]int{c.block}, len(c.sizes))
		want := answer{c.sizes, after, newModelOrder(mustParse(t, c.want))}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s in blocks of %d (-want +got):\n%s", c.name, c.block, diff)
		}
	}
}
