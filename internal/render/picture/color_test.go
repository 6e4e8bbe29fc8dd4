package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

func hues(n int) vector.Tints { return vector.Tints{Kind: vector.Hues, N: n} }

// TestSameTint: an element has the same tint in the grid and in every memory, even beside padding or with a unique address; and the tint is
// in the scale.
func TestSameTint(t *testing.T) {
	compared := 0
	property.Check(t, func(t *rapid.T) {
		l := someLayout(t)
		color := rapid.SampledFrom([]Coloring{"", ByChannel, ByMemory, ByValue, Plain}).Draw(t, "color")
		value := func(off int) (string, float64, bool) { return "v", float64(off * off), true }
		s, err := New(Subject{Layout: l, Value: value}, []Memory{{Name: "m", Layout: l, Own: true}}, Options{Color: color})
		if err != nil {
			t.Fatal(err)
		}
		tints := map[string]scene.Tint{}
		for _, c := range cells(s.Tensor) {
			tints[c.Labels[0]] = c.Tint
			if int(c.Tint) >= s.Scale.N || c.Tint < 0 != (color == Plain) {
				t.Fatalf("tint %d of %+v", c.Tint, s.Scale)
			}
		}
		for _, c := range places(s.Memories[0]) {
			want := scene.NoTint
			if c.Kind == scene.Element {
				want = tints[c.Labels[0]]
				compared++
			}
			if c.Tint != want {
				t.Fatalf("%s: tint %d of %v, in the grid %d", l, c.Tint, c.Labels, want)
			}
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestScales: scales, and the tints of the elements in logical order.
func TestScales(t *testing.T) {
	two := strided(t, []int{2, 3}, []int{1, 2}, 0, -1)
	for _, c := range []struct {
		name  string
		l     tensor.Layout
		o     Options
		scale scene.Scale
		want  string
	}{
		{"channels", packed(t, 1, 3, 1, 2), Options{}, scene.Scale{Tints: hues(3), Name: "channel", Low: "c=0", High: "c=2"},
			"[0 0 1 1 2 2]"},
		{"one channel", packed(t, 2, 1, 1, 2), Options{}, scene.Scale{Tints: hues(2), Name: "column", Low: "w=0", High: "w=1"},
			"[0 1 0 1]"},
		{"one element", packed(t), Options{}, scene.Scale{Tints: hues(1)}, "[0]"},
		{"many channels", packed(t, 1, 17, 1, 1), Options{},
			scene.Scale{Tints: hues(8), Name: "channel mod 8", Low: "0", High: "7"},
			"[0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0]"},
		{"broadcast rows", strided(t, []int{2, 3}, []int{0, 1}, 0, -1), Options{},
			scene.Scale{Tints: hues(3), Name: "column", Low: "w=0", High: "w=2"}, "[0 1 2 0 1 2]"},
		{"one address", strided(t, []int{1, 2}, []int{0, 0}, 0, -1), Options{},
			scene.Scale{Tints: hues(2), Name: "column", Low: "w=0", High: "w=1"}, "[0 1]"},
		{"one channel of three drawn", packed(t, 1, 3, 1, 2), Options{Limit: 2}, scene.Scale{Tints: hues(2), Name: "column", Low: "w=0", High: "w=1"},
			"[0 1]"},
		{"rows", two, Options{}, scene.Scale{Tints: hues(2), Name: "row", Low: "h=0", High: "h=1"},
			"[0 0 0 1 1 1]"},
		{"a dim", two, Options{Color: ByDim, Dim: "w"}, scene.Scale{Tints: hues(3), Name: "column", Low: "w=0", High: "w=2"},
			"[0 1 2 0 1 2]"},
		{"memory", two, Options{Color: ByMemory},
			scene.Scale{Tints: ramp(6), Name: "position in m", Low: "offset 0", High: "offset 5"},
			"[0 2 4 1 3 5]"},
		{"none", two, Options{Color: Plain}, scene.Scale{}, "[-1 -1 -1 -1 -1 -1]"},
	} {
		s := mustDraw(t, Subject{Layout: c.l}, []Memory{{Name: "m", Layout: c.l}}, c.o)
		var got []scene.Tint
		for _, cell := range cells(s.Tensor) {
			got = append(got, cell.Tint)
		}
		if s.Scale != c.scale || fmt.Sprint(got) != c.want {
			t.Errorf("%s: %+v, %v\nexpected %+v, %s", c.name, s.Scale, got, c.scale, c.want)
		}
	}
	_, err := New(Subject{Layout: two}, nil, Options{Color: ByDim, Dim: "q"})
	wantFault(t, err, fault.Usage, `no dim "q" to color by`)
}

// TestValueTints: values are tinted from the minimum to the maximum finite one. Others have no tint, and the scale says so.
func TestValueTints(t *testing.T) {
	l := packed(t, 5)
	huge := fmt.Sprint(math.MaxFloat64)
	for _, c := range []struct{ values, want, scale string }{
		{"0 1 2 3 4", "[0 16 32 48 63]", "value 0 4 64 ramp"},
		{"-4 -3 -2 -1 -0", "[0 16 32 48 63]", "value -4 -0 64 ramp"},
		{"-5 5 nan 0 +Inf", "[0 62 -1 31 -1]", "value, if finite -5 5 63 diverging"},
		{"-1 0 9.8765432 4.9382716 -4.9382716", "[28 31 62 47 16]", "value -9.88 9.88 63 diverging"},
		{"-9.8765432 0 1 nan -inf", "[0 31 34 -1 -1]", "value, if finite -9.88 9.88 63 diverging"},
		{"-" + huge + " 0 " + huge + " 0 0", "[0 31 62 31 31]", "value -1.80e308 1.80e308 63 diverging"},
		{"7 7 7 7 7", "[0 0 0 0 0]", "value 7 7 1 ramp"},
		{"nan nan nan nan nan", "[-1 -1 -1 -1 -1]", "value, if finite   1 ramp"},
		{"a b c d e", "[-1 -1 -1 -1 -1]", "value, if finite   1 ramp"},
	} {
		s := mustDraw(t, Subject{Layout: l, Value: holding(c.values), Numeric: true}, nil, Options{Labels: []Label{Value}, Color: ByValue})
		var got []scene.Tint
		for _, cell := range cells(s.Tensor) {
			got = append(got, cell.Tint)
		}
		scale := fmt.Sprintln(s.Scale.Name, s.Scale.Low, s.Scale.High, s.Scale.N, kindOf(s.Scale))
		if fmt.Sprint(got) != c.want || scale != c.scale+"\n" {
			t.Errorf("%s: %v, %q\nexpected %s, %q", c.values, got, scale, c.want, c.scale)
		}
	}
}

func kindOf(s scene.Scale) string {
	name, _ := s.Kind.MarshalText()
	return string(name)
}

// TestOneTintOneMeaning: elements of one tint have the same index, share of memory, bank or interval of values, as the scale says; those of
// a diverging scale have the sign of its half.
func TestOneTintOneMeaning(t *testing.T) {
	kinds := map[string]int{}
	property.Check(t, func(t *rapid.T) {
		l := someLayout(t)
		lowest := rapid.SampledFrom([]float64{-8, 0, 3}).Draw(t, "lowest")
		value := func(off int) (string, float64, bool) {
			x := lowest + float64(off*7%16)
			return fmt.Sprint(x), x, true
		}
		o := Options{Color: rapid.SampledFrom([]Coloring{ByChannel, ByMemory, ByValue}).Draw(t, "color"), Labels: []Label{Value, Offset, Coord},
			Limit: rapid.SampledFrom([]int{0, 8, 30}).Draw(t, "limit")}
		s, err := New(Subject{Layout: l, Value: value, Numeric: true}, []Memory{{Name: "m", Layout: l, Own: true}}, o)
		if err != nil {
			t.Fatal(err)
		}
		meaning := map[scene.Tint]string{}
		each := 1
		if o.Color == ByMemory {
			_, each = shares(l.Extent())
		}
		low, _, _ := l.Span()
		for _, c := range cells(s.Tensor) {
			if c.Kind != scene.Element {
				continue
			}
			x, _ := strconv.ParseFloat(c.Labels[0], 64)
			off, _ := strconv.Atoi(c.Labels[1])
			means := ""
			switch {
			case o.Color == ByValue:
				means = c.Labels[0] // at most 16 values, and 63 tints
				if s.Scale.Kind == vector.Diverging && int(math.Copysign(1, x)) != int(math.Copysign(1, float64(int(c.Tint)-s.Scale.N/2))) && x != 0 ||
					s.Scale.Kind == vector.Diverging && x == 0 && int(c.Tint) != s.Scale.N/2 {
					t.Fatalf("%v has tint %d of %d", x, c.Tint, s.Scale.N)
				}
			case o.Color == ByMemory:
				means = fmt.Sprint((off - low) / each)
			default:
				means = indexOf(s.Scale, l, c.Labels[2])
			}
			if other, ok := meaning[c.Tint]; ok && other != means {
				t.Fatalf("%s by %s: tint %d is both %s and %s", l, o.Color, c.Tint, other, means)
			}
			meaning[c.Tint] = means
		}
		kinds[kindOf(s.Scale)]++
	})
	if len(kinds) != 3 {
		t.Errorf("only %v", kinds)
	}
}

// indexOf returns the index of the scale's dim in a coordinate, modulo the number of tints if the scale says so.
func indexOf(s scene.Scale, l tensor.Layout, coord string) string {
	name, _, turns := strings.Cut(s.Name, " mod ")
	for d, index := range strings.FieldsFunc(coord, func(r rune) bool { return r == ',' }) {
		noun, ok := notation.DimNoun(l.Names(), d)
		if !ok {
			noun = l.Dim(d).Name
		}
		if noun == name {
			i, _ := strconv.Atoi(index)
			if turns {
				i %= s.N
			}
			return fmt.Sprint(i)
		}
	}
	return ""
}
