package framework

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestDigits: every name that a framework's row has for an order of digits, read back as any reader will, puts every element where the order
// does; and a framework that takes blocks by name accepts a tensor exactly if there is such a name. The orders are those of the
// catalogue and of oneDNN's tags, and others that are drawn: these with digits exchanged, and dims of up to three digits in any order.
func TestDigits(t *testing.T) {
	rng := random.New(t)
	known := knownOrders(t)
	named, unnamed := map[string]int{}, map[string]int{}
	for i := range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 15_000) {
		order := drawOrder(t, rng, known)
		if i < len(known) {
			order = known[i] // each once: a name of few orders is seldom drawn
		}
		sizes := make([]int, order.Rank())
		for d := range sizes {
			sizes[d] = 1 + rng.IntN(3)
			for _, a := range order.Axes() {
				if a.Dim == d && a.Extent == 0 {
					sizes[d] = max(1, a.Div*(1+rng.IntN(2))-rng.IntN(2)*rng.IntN(a.Div))
				}
			}
		}
		l, err := order.Bind(sizes)
		if err != nil || l.Alloc() > 1<<14 {
			continue
		}
		typ := []string{"float32", "float16", "int8", "uint4"}[rng.IntN(4)]
		o := offer(t, l, order, typ)
		if pitched := drawPitch(t, rng, order, l); rng.IntN(4) == 0 {
			o = offer(t, pitched, order, typ)
			o.Orders = nil // as of every layout that its order does not pack
		}
		for _, f := range frameworks {
			ofOrder, ofTensor := f.NamesOf(order), f.NamesFor(o)
			for i, name := range append(ofOrder, ofTensor...) {
				want := offsets(l)
				if i >= len(ofOrder) {
					want = offsets(o.Layout)
				}
				meant := dlaOrders[name] // of several types
				if meant == nil {
					meant = []string{name}
				}
				same := slices.ContainsFunc(meant, func(name string) bool {
					back, err := readBack(t, f, name, order.Names()).Bind(sizes)
					return err == nil && slices.Equal(want, offsets(back))
				})
				if !same {
					t.Errorf("%s of %v is %s in %s", order.Explicit(), sizes, name, f.Name)
				}
			}
			if _, plain := o.Layout.Strided(); !plain && f.namesBlocks() && f.Accepts(o).OK != (len(ofTensor) > 0) && (f != CuDNN || o.partBlock() == "") {
				t.Errorf("%s of %v: %s has the names %q, and answers %+v", order.Explicit(), sizes, f.Name, ofTensor, f.Accepts(o))
			}
			if len(ofOrder)+len(ofTensor) > 0 {
				named[f.Name]++
			} else {
				unnamed[f.Name]++
			}
		}
	}
	for _, f := range append([]*Framework{PyTorch, OneDNN, MegEngine, TVM, XLA, TensorRT, CuDNN, TensorFlow, MNN, ExecuTorch, GGML, MLX}, libraries...) {
		if f == TritonKernels || f.names == nil { // tiles of 2^16 elements; none
			continue
		}
		if named[f.Name] == 0 || unnamed[f.Name] == 0 {
			t.Errorf("%s: %d orders with a name, %d without", f.Name, named[f.Name], unnamed[f.Name])
		}
	}
	t.Log(named)
}

// knownOrders are those of the catalogue, and of oneDNN's tags, over their own letters.
func knownOrders(t *testing.T) (orders []notation.Format) {
	for _, e := range Catalogue() {
		if l, err := notation.Parse(e.Name); err == nil && l.Own == notation.NotOwn && l.Exact == nil {
			orders = append(orders, l.Format.WithoutUnits())
		}
	}
	for _, tag := range oneDNNTags() {
		orders = append(orders, orderNamed(t, tag.name()))
	}
	return orders
}

// drawOrder draws an order: a known one, with some of its axes exchanged in half of the cases, or any digits.
func drawOrder(t *testing.T, rng *rand.Rand, known []notation.Format) notation.Format {
	var axes []string
	if rng.IntN(2) == 0 {
		some := []int{len(known), 180}[rng.IntN(2)] // the catalogue's come first, before oneDNN's many tags
		axes = strings.Fields(known[rng.IntN(some)].Explicit())
	} else {
		for _, name := range strings.Split([]string{"NCHW", "OIHW", "NCDHW", "AB", "ABC", "HW", "NTC", "CHW", "GOIHW"}[rng.IntN(9)], "") {
			div := 1
			for range rng.IntN(3) {
				block := []int{2, 4, 8, 16}[rng.IntN(4)]
				axes = append(axes, fmt.Sprintf("%s//%d%%%d", name, div, block))
				div *= block
			}
			axes = append(axes, fmt.Sprintf("%s//%d", name, div))
		}
		rng.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
	}
	if rng.IntN(2) == 0 {
		i, j := rng.IntN(len(axes)), rng.IntN(len(axes))
		axes[i], axes[j] = axes[j], axes[i]
	}
	return orderNamed(t, strings.Join(axes, " "))
}

// readBack is the order of a name over the dims of a tensor, as its framework counts them: by position, TensorRT from
// the last, and all others by letter.
func readBack(t *testing.T, f *Framework, name string, dims []string) notation.Format {
	t.Helper()
	for _, e := range f.names {
		if e.spelled() == name {
			name = cmp.Or(e.Name, name)
		}
	}
	l, err := notation.Parse(name)
	switch {
	case err != nil:
		t.Fatalf("%s of %s: %v", name, f.Name, err)
	case l.Own != notation.NotOwn || f == TensorRT && name == "kLINEAR":
		return notation.RowMajor(dims)
	}
	g := l.Format.WithoutUnits()
	if f == FlashInfer {
		g = l.ForRank(len(dims)).Format
	}
	switch back, sameLetters := g.Over(dims); {
	case f == TensorRT:
		return fromLast(t, g, dims)
	case g.Positional() && f == OneDNN:
		back, _ := g.Rename(passedDims(dims)).Over(dims)
		return back
	case sameLetters:
		return back
	case g.Rank() == len(dims):
		return g.Rename(dims)
	}
	t.Fatalf("%s of %s has %s, the tensor %s", name, f.Name, g.Names(), dims)
	return g
}

// fromLast is an order of N,C,H,W or N,C,D,H,W over dims that are counted from the last; any may come before C.
func fromLast(t *testing.T, g notation.Format, dims []string) notation.Format {
	t.Helper()
	channels := g.Rank() - 1
	axes := slices.Clone(dims[:len(dims)-channels])
	for _, axis := range strings.Fields(g.Explicit())[1:] {
		at := slices.Index(g.Names(), axis[:1]) - g.Rank() + len(dims)
		axes = append(axes, dims[at]+axis[1:])
	}
	back, ok := orderNamed(t, strings.Join(axes, " ")).Over(dims)
	if !ok {
		t.Fatalf("%s over %s", g.Explicit(), dims)
	}
	return back
}

// drawPitch is the layout with one axis longer than its size needs, in memory.
func drawPitch(t *testing.T, rng *rand.Rand, order notation.Format, l tensor.Layout) tensor.Layout {
	t.Helper()
	extents, err := order.PhysicalShape(l.Shape())
	if err != nil {
		t.Fatal(err)
	}
	strides, run := make([]int, len(extents)), 1
	longer := 1 + rng.IntN(max(1, len(extents)-1))
	for k := len(extents) - 1; k >= 0; k-- {
		strides[k] = run
		if run *= extents[k]; k == longer {
			run += strides[k] * (1 + rng.IntN(3))
		}
	}
	pitched, err := order.Place(l.Shape(), extents, strides, 0, run)
	if err != nil {
		t.Fatal(err)
	}
	return pitched
}

// dlaOrders are the orders of TensorRT's formats for DLA, by int8 and float16, and of kDLA_HWC4 by 3, 4 or one channel.
// (TensorFormat of include/NvInferRuntime.h, TensorRT 11.1)
var dlaOrders = map[string][]string{"kDLA_LINEAR": {"NCHW64w", "NCHW32w"}, "kDLA_HWC4": {"NHW16wC4c", "NHW8wC4c", "NHW64wC", "NHW32wC"}}

func offsets(l tensor.Layout) (all []int) {
	for _, off := range l.Logical() {
		all = append(all, off)
	}
	return all
}
