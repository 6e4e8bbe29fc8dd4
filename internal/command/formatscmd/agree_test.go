package formatscmd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// agree compares the answers of inspect and formats about one layout, framework by framework, and counts them.
func agree(t *testing.T, o *options, counts map[string]int) {
	t.Helper()
	r, err := reportOf(o)
	if err != nil {
		t.Fatalf("%s: %v", o.requested(), err)
	}
	in := inspect.New(fixture.Must(o.Describe()))
	for _, f := range r.Frameworks {
		a, asked := in.AcceptedBy[strings.ToLower(f.Framework)]
		if !asked {
			continue
		}
		counts[fmt.Sprint(f.Framework, " ", a.OK)]++
		view := f.framework == framework.TensorFlow && f.Order == string(framework.Physical) // has the layout, as another view than inspect asks about
		if view && !a.OK && strings.HasPrefix(a.Why, f.framework.Nameless) && len(f.Names) > 0 {
			continue
		}
		if a.OK != f.OK || a.Why != f.Why {
			t.Errorf("%s of %s %s: inspect says %v, %q of %s; formats %v, %q", o.requested(), r.DType, o.Shape.String(), a.OK, a.Why,
				f.Framework, f.OK, f.Why)
		}
	}
}

// TestAcceptanceAgrees: inspect and formats agree about which frameworks accept a tensor, for every layout of the catalogue,
// of float32 and of a type that its name takes, with sizes that fill blocks, sizes that do not, and sizes of 1.
func TestAcceptanceAgrees(t *testing.T) {
	counts := map[string]int{}
	for _, e := range framework.Catalogue() {
		l, err := notation.Parse(e.Name)
		if err != nil {
			continue
		}
		for _, size := range []int{0, 1, 2, 3} { // 0 is that of testedSizes
			o := &options{framework: allFrameworks}
			cli.Must(o.Layout.Set(e.Name))
			dims := []string{"N", "C", "H", "W"}
			if l.Own == notation.NotOwn {
				dims = l.Format.Names()
			}
			for _, d := range dims {
				if o.Shape.Values = append(o.Shape.Values, size); size == 0 {
					o.Shape.Values[len(o.Shape.Values)-1] = max(testedSizes[d], 2)
				}
			}
			if o.Shape.Given = l.Exact == nil; !o.Shape.Given {
				o.Shape.Values = nil
			}
			for _, typ := range append(strings.Fields(strings.ReplaceAll(e.Types, "int4", "int8")), "float32") {
				cli.Must(o.DType.Set(typ))
				agree(t, o, counts)
			}
		}
	}
	wantBoth(t, counts, "oneDNN", "MegEngine", "TensorRT", "cuDNN")
}

// TestAcceptanceWithoutSizes: a framework that accepts an order of a type without sizes accepts it with sizes that need more
// than one block, as the same dims, under the same names. One that takes whole blocks alone is given those.
func TestAcceptanceWithoutSizes(t *testing.T) {
	compared := 0
	for _, e := range framework.Catalogue() {
		l, err := notation.Parse(e.Name)
		if err != nil || l.Own != notation.NotOwn || l.Exact != nil {
			continue
		}
		o := &options{framework: allFrameworks}
		cli.Must(o.Layout.Set(e.Name))
		cli.Must(o.DType.Set(append(strings.Fields(strings.ReplaceAll(e.Types, "int4", "int8")), "float32")[0]))
		letters := fixture.Must(reportOf(o))
		for _, whole := range []bool{false, true} {
			o.Shape = cli.Sizes{Ints: cli.Ints{Values: sizesOf(l.Format, whole), Given: true}}
			for _, sized := range fixture.Must(reportOf(o)).Frameworks {
				at := slices.IndexFunc(letters.Frameworks, func(f frameworkRow) bool { return f.Framework == sized.Framework })
				if at < 0 || (sized.framework.Blocks == framework.ByWholeName) != whole {
					continue
				}
				f := letters.Frameworks[at]
				compared++
				if f.OK != sized.OK || f.Order != sized.Order || !slices.Equal(f.Names, sized.Names) || len(f.Symbols) > len(sized.Shape) && f.OK {
					t.Errorf("%s in %s: %+v without sizes, %+v with %v", e.Name, f.Framework, f, sized, o.Shape.Values)
				}
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d compared", compared)
	}
}

// sizesOf are sizes of a few blocks for each dim, whole or ending in one.
func sizesOf(f notation.Format, whole bool) []int {
	sizes := make([]int, f.Rank())
	for d := range sizes {
		sizes[d] = 2
		for _, a := range f.DigitAxes(d) {
			if sizes[d] = max(sizes[d], 2*a.Div); !whole {
				sizes[d] = max(sizes[d], 2*a.Div+1)
			}
		}
	}
	return sizes
}

// TestAcceptanceAgreesOnStrides: the same for random strides, with gaps, overlaps, broadcast and negative ones, and for rare
// types.
func TestAcceptanceAgreesOnStrides(t *testing.T) {
	counts, rng := map[string]int{}, rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		o := randomStrides(rng)
		cli.Must(o.DType.Set([]string{"float32", "bool", "bfloat16", "uint16", "float128", "float16"}[i%6]))
		agree(t, o, counts)
	}
	wantBoth(t, counts, "PyTorch", "DirectML", "oneDNN", "MegEngine", "TensorRT", "cuDNN")
}

// randomStrides are those of a permuted packed tensor, some of them changed.
func randomStrides(rng *rand.Rand) *options {
	rank := 1 + rng.IntN(9)
	shape, strides, step := make([]int, rank), make([]int, rank), 1
	for _, d := range rng.Perm(rank) {
		shape[d], strides[d] = 1+rng.IntN(3), step
		step *= shape[d]
		if rng.IntN(12) == 0 {
			strides[d] += rng.IntN(7) - 3
		}
	}
	s := tensor.Strided{Shape: shape, Strides: strides}
	for d := range strides {
		if s.Negative() && strides[d] < 0 && rng.IntN(2) == 0 {
			strides[d] = 0
		}
	}
	o := &options{framework: allFrameworks}
	o.Shape, o.Strides = cli.Sizes{Ints: cli.Ints{Values: shape, Given: true}}, cli.Ints{Values: strides, Given: true}
	return o
}

// wantBoth fails where one of the frameworks gave only one of the two answers.
func wantBoth(t *testing.T, counts map[string]int, frameworks ...string) {
	t.Helper()
	for _, f := range frameworks {
		if slices.Contains([]int{counts[f+" true"], counts[f+" false"]}, 0) {
			t.Errorf("%s: %v", f, counts)
		}
	}
}
