package convert

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

func format(t testing.TB, name string) notation.Format {
	t.Helper()
	l, err := notation.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return l.Format
}

func bind(t testing.TB, name string, sizes ...int) tensor.Layout {
	t.Helper()
	l, err := format(t, name).Bind(sizes)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// storageOf fills a source's storage with position codes: element k holds a code of k.
func storageOf(cells, itemSize int) []byte {
	data := make([]byte, cells*itemSize)
	for k := range cells {
		var code [8]byte
		binary.LittleEndian.PutUint64(code[:], uint64(k)*0x9E3779B97F4A7C15+1)
		for i := range itemSize {
			data[k*itemSize+i] = code[i%8] + byte(i/8)
		}
	}
	return data
}

// plain is the specification: it copies every element by its two addresses, and sets all other positions to pad.
func plain(dst, src tensor.Layout, data, pad []byte) []byte {
	n := len(pad)
	out := bytes.Repeat(pad, dst.Alloc())
	for coord, s := range src.Logical() {
		d := dst.At(coord...)
		copy(out[d*n:(d+1)*n], data[s*n:(s+1)*n])
	}
	return out
}

func checkConversion(t interface {
	Helper()
	Fatalf(string, ...any)
}, dst, src tensor.Layout, itemSize, tileElems int) {
	t.Helper()
	plan, err := NewPlan(dst, src, itemSize)
	if err != nil {
		t.Fatalf("%s to %s: %v", src, dst, err)
	}
	copies := 0
	for _, b := range plan.Boxes {
		n := 1
		for _, l := range b.Loops {
			n *= l.N
		}
		copies += n
	}
	if copies != src.Numel() {
		t.Fatalf("%s to %s: %d copies of %d elements", src, dst, copies, src.Numel())
	}
	data, pad := storageOf(src.Alloc(), itemSize), bytes.Repeat([]byte{0xEE}, itemSize)
	before := slices.Clone(data)
	want := plain(dst, src, data, pad)
	for _, o := range []Options{{Threads: 1}, {Threads: 2, tile: tileElems * itemSize}, {Threads: 1, tile: tileElems * itemSize}} {
		got := make([]byte, dst.Alloc()*itemSize)
		if err := plan.Run(got, data, pad, o); err != nil {
			t.Fatalf("%s to %s: %v", src, dst, err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%s to %s, item %d, %d threads, tiles of %d: plan %+v writes\n%v, want\n%v", src, dst, itemSize, o.Threads, o.tile, plan, got, want)
		}
	}
	if !bytes.Equal(data, before) {
		t.Fatalf("%s to %s: the source was changed", src, dst)
	}
}

var activations = strings.Fields("NCHW NHWC CHWN HWCN NCHW1c NCHW2c NCHW3c NCHW4c NCHW6c NCHW16c CHWN4c NHCW4c NHWC8c NHW5wC4c 4cNCHW NCHW4c2n NC3hHW2w")

// TestEveryPairOfLayouts: every layout of activations converts into every other, including ragged blocks and blocks without a common
// measure.
func TestEveryPairOfLayouts(t *testing.T) {
	for _, sizes := range [][]int{{2, 5, 3, 4}, {1, 12, 2, 7}, {3, 1, 1, 1}, {2, 17, 1, 3}, {0, 3, 2, 2}} {
		for _, from := range activations {
			for _, to := range activations {
				checkConversion(t, bind(t, to, sizes...), bind(t, from, sizes...), 4, 1<<20)
			}
		}
	}
}

// Random layouts of both sides, any itemsize, windows of any length: bit-equal to the plain loop.
func TestRandomConversions(t *testing.T) {
	property.Check(t, func(r *rapid.T) {
		rank := rapid.IntRange(0, 5).Draw(r, "rank")
		sizes := rapid.SliceOfN(rapid.IntRange(0, 7), rank, rank).Draw(r, "sizes")
		src, dst := drawLayout(r, "src", sizes), drawLayout(r, "dst", sizes)
		item := rapid.SampledFrom([]int{1, 2, 3, 4, 8, 12, 16, 32}).Draw(r, "item")
		checkConversion(r, dst, src, item, rapid.IntRange(1, 200).Draw(r, "window"))
	})
}

// drawLayout makes a layout without overlap: digits by random blocks, axes in random order, gaps between them.
func drawLayout(r *rapid.T, label string, sizes []int) tensor.Layout {
	type slot struct{ dim, digit int }
	var slots []slot
	dims := make([]tensor.Dim, len(sizes))
	for i, size := range sizes {
		dims[i] = tensor.Dim{Name: fmt.Sprint("d", i), Size: size}
		div := 1
		for range rapid.IntRange(0, 2).Draw(r, label+" blocks") {
			block := rapid.IntRange(1, 5).Draw(r, label+" block")
			dims[i].Digits = append(dims[i].Digits, tensor.Digit{Div: div, Extent: block})
			div *= block
		}
		dims[i].Digits = append(dims[i].Digits, tensor.Digit{Div: div, Extent: (size + div - 1) / div})
		for k := range dims[i].Digits {
			slots = append(slots, slot{i, k})
		}
	}
	offset := rapid.IntRange(0, 3).Draw(r, label+" offset")
	run := 1
	for _, s := range rapid.Permutation(slots).Draw(r, label+" order") {
		g := &dims[s.dim].Digits[s.digit]
		g.Stride = run
		run = run*max(g.Extent, 1) + rapid.IntRange(0, 2).Draw(r, label+" gap")
	}
	l, err := tensor.New(dims, offset, offset+run)
	if err != nil {
		r.Fatalf("%v", err)
	}
	return l
}

// TestViewsAsSources: sources may be broadcast, reversed or overlapping views: each element is read at its own offset.
func TestViewsAsSources(t *testing.T) {
	for _, s := range []tensor.Strided{
		{Shape: []int{2, 3}, Strides: []int{0, 1}}, {Shape: []int{2, 3}, Strides: []int{-3, -1}, Offset: 5},
		{Shape: []int{4, 4}, Strides: []int{2, 1}}, {Shape: []int{2, 3}, Strides: []int{5, 1}, Offset: 2}, {Shape: []int{3, 2}, Strides: []int{2, 3}},
	} {
		src, err := s.Layout([]string{"H", "W"}, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		checkConversion(t, bind(t, "HW", s.Shape...), src, 4, 3)
		checkConversion(t, bind(t, "WH", s.Shape...), src, 2, 100)
	}
}

// TestPassesKeepTheMeaning: each pass keeps what a nest copies, and is idempotent.
func TestPassesKeepTheMeaning(t *testing.T) {
	property.Check(t, func(r *rapid.T) {
		loops := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) Loop {
			return loop(rapid.IntRange(1, 4).Draw(r, "n"), rapid.IntRange(-3, 12).Draw(r, "src"), rapid.IntRange(0, 12).Draw(r, "dst"))
		}), 0, 5).Draw(r, "loops")
		for _, pass := range passes {
			once := pass.run(slices.Clone(loops))
			if got, want := pairs(once), pairs(loops); !slices.Equal(got, want) {
				r.Fatalf("%s turns %v into %v, which copies other elements", pass.name, loops, once)
			}
			if twice := pass.run(slices.Clone(once)); !slices.Equal(twice, once) {
				r.Fatalf("%s turns %v into %v, then into %v", pass.name, loops, once, twice)
			}
			loops = once
		}
	})
}

// pairs lists the (src, dst) offsets that a nest visits, sorted.
func loop(n, src, dst int) Loop { return Loop{N: n, Src: src, Dst: dst} }

func pairs(loops []Loop) [][2]int {
	all := [][2]int{{0, 0}}
	for _, l := range loops {
		var next [][2]int
		for k := range l.N {
			for _, p := range all {
				next = append(next, [2]int{p[0] + k*l.Src, p[1] + k*l.Dst})
			}
		}
		all = next
	}
	slices.SortFunc(all, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return all
}

// TestPlanOfTheGuide: the conversion in ARCHITECTURE.md is eight transpositions of a 64×3136 matrix.
func TestPlanOfTheGuide(t *testing.T) {
	plan, err := NewPlan(bind(t, "nhwc", 8, 64, 56, 56), bind(t, "nchw", 8, 64, 56, 56), 4)
	want := []Loop{loop(8, 200704, 200704), loop(3136, 1, 64), loop(64, 3136, 1)}
	if err != nil || len(plan.Boxes) != 1 || !slices.Equal(plan.Boxes[0].Loops, want) {
		t.Errorf("plan %+v, %v; want loops %v", plan, err, want)
	}
}

// TestRefusals: layouts that cannot be paired are refused with the reason.
func TestRefusals(t *testing.T) {
	row, _ := tensor.NewStrided([]int{2, 3}, []int{0, 1}, 0)
	broadcast, _ := row.Layout([]string{"H", "W"}, tensor.Unbounded)
	outside, _ := tensor.Strided{Shape: []int{2, 3}, Strides: []int{3, 1}}.Layout([]string{"H", "W"}, 5)
	// Rows that overlap, of more elements than Occupancy counts.
	unknown, _ := tensor.Strided{Shape: []int{5000, 4000}, Strides: []int{10000, 4}}.Layout([]string{"H", "W"}, tensor.Unbounded)
	if o := unknown.Occupancy(); o.Overlapping != tensor.Unknown {
		t.Fatalf("%s is counted: %+v", unknown, o)
	}
	for _, c := range []struct {
		dst, src tensor.Layout
		want     string
	}{
		{bind(t, "nchw", 1, 2, 3, 4), bind(t, "oihw", 1, 2, 3, 4), "different dims"},
		{bind(t, "hw", 2, 3), bind(t, "chw", 1, 2, 3), "different dims"},
		{bind(t, "hw", 2, 3), bind(t, "hw", 2, 4), "dim W has size 4 in one layout and 3 in the other"},
		{broadcast, bind(t, "hw", 2, 3), "overwrite each other"},
		{bind(t, "hw", 2, 3), outside, "exceeds its storage of 5 elements"},
		{outside, bind(t, "hw", 2, 3), "exceeds its storage of 5 elements"},
		{bind(t, "H999983hW", 1<<26, 1), bind(t, "H7hW", 1<<26, 1), "no small common multiple"},
		{unknown, bind(t, "hw", 5000, 4000), "overwrite each other"},
	} {
		if _, err := NewPlan(c.dst, c.src, 4); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", c.src, c.dst, err, c.want)
		}
	}
}

// The target of a named format has the file shape that NumPy would show, and is hidden if that shape does not determine the layout.
func TestTargets(t *testing.T) {
	for _, c := range []struct {
		name    string
		sizes   []int
		pitches []Pitch
		layout  string
		file    []int
		hidden  bool
	}{
		{"nhwc", []int{2, 3, 4, 5}, nil, "(2,3,4,5):(60,1,15,3)", []int{2, 4, 5, 3}, false},
		{"nchw4", []int{2, 8, 2, 3}, nil, "(2,(4,2),2,3):(48,(1,24),12,4)", []int{2, 2, 2, 3, 4}, false},
		{"nchw4", []int{2, 5, 2, 3}, nil, "(2,(4,2)<5,2,3):(48,(1,24),12,4)", []int{2, 2, 2, 3, 4}, true},
		{"nchw", []int{1, 2, 3, 5}, []Pitch{{"W", 16}}, "(1,2,3,5):(96,48,16,1)", []int{1, 2, 3, 16}, true},
		{"nhwc", []int{1, 3, 2, 5}, []Pitch{{"W", 16}}, "(1,3,2,5):(32,1,16,3)", []int{32}, true},
		{"nchw", []int{1, 2, 3, 16}, []Pitch{{"W", 16}}, "(1,2,3,16):(96,48,16,1)", []int{1, 2, 3, 16}, false},
		{"nchw", []int{1, 2, 0, 5}, []Pitch{{"W", 16}}, "(1,2,0,5):(10,5,5,1)", []int{1, 2, 0, 5}, false},
	} {
		got, err := Named(format(t, c.name), c.sizes, c.pitches)
		if err != nil || got.Layout.String() != c.layout || !slices.Equal(got.FileShape, c.file) || got.Hidden != c.hidden {
			t.Errorf("%s %v %v: %s in a file of %v, hidden %v, %v", c.name, c.sizes, c.pitches, got.Layout, got.FileShape, got.Hidden, err)
		}
	}
	if _, err := Named(format(t, "nchw"), []int{1, 2, 3, 4}, []Pitch{{"D", 4}}); err == nil {
		t.Error("a pitch of a dim that is not there is accepted")
	}
}

// Strides and Fortran order as targets.
func TestExactAndOwnTargets(t *testing.T) {
	got, err := Exact([]string{"H", "W"}, []int{2, 3}, []int{5, 1})
	if err != nil || got.Layout.String() != "(2,3):(5,1)" || !slices.Equal(got.FileShape, []int{8}) || !got.Hidden {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Exact([]string{"H", "W"}, []int{2, 3}, []int{-3, 1}); err == nil {
		t.Error("negative target strides are accepted")
	}
	own, err := Own(bind(t, "hw", 2, 3), true)
	if err != nil || own.Layout.String() != "(2,3):(1,2)" || !own.Fortran || own.Order != "WH" {
		t.Errorf("%+v, %v", own, err)
	}
	if own, err = Own(bind(t, "hw", 1, 3), true); err != nil || own.Fortran {
		t.Errorf("a row is C-contiguous too, and NumPy saves it so: %+v, %v", own, err)
	}
}

// Any two blocked layouts of a shape: the plan is a bijection between their elements, inside both storages, and the
// plan back undoes it.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{2, 5, 3, 4}, "NCHW4c", "NHWC")
	f.Add([]byte{1, 12, 1, 7}, "NCHW4c", "NCHW6c")
	f.Add([]byte{3, 1, 0, 2}, "4cNCHW", "CHWN4c2h")
	f.Fuzz(func(t *testing.T, sizes []byte, from, to string) {
		a, errA := notation.Parse(from)
		b, errB := notation.Parse(to)
		if errA != nil || errB != nil || a.Own != notation.NotOwn || b.Own != notation.NotOwn || a.Exact != nil || b.Exact != nil || len(sizes) > 6 {
			return
		}
		shape, numel := make([]int, len(sizes)), 1
		for i, s := range sizes {
			shape[i] = int(s % 24)
			numel *= shape[i]
		}
		src, errA := a.Format.Bind(shape)
		dst, errB := b.Format.Bind(shape)
		if errA != nil || errB != nil || numel > 1<<12 || src.Alloc() > 1<<16 || dst.Alloc() > 1<<16 {
			return
		}
		if _, err := NewPlan(dst, src, 2); err != nil {
			return
		}
		checkConversion(t, dst, src, 2, 1+dst.Alloc()/3)
		back := make([]byte, src.Alloc()*2)
		there := make([]byte, dst.Alloc()*2)
		data := storageOf(src.Alloc(), 2)
		forth, _ := NewPlan(dst, src, 2)
		forth.Run(there, data, []byte{0, 0}, Options{})
		again, err := NewPlan(src, dst, 2)
		if err != nil {
			t.Fatal(err)
		}
		again.Run(back, there, []byte{0, 0}, Options{})
		for _, off := range src.Logical() {
			if !bytes.Equal(back[2*off:2*off+2], data[2*off:2*off+2]) {
				t.Fatalf("%s to %s and back changes offset %d", from, to, off)
			}
		}
	})
}
