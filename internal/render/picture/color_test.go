package picture

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
)

func hues(n int) vector.Tints { return vector.Tints{Kind: vector.Hues, N: n} }

// An element has the same tint in the grid and in every memory, also where it is padded around or shares its address with
// nobody; and that tint is one of the scale's.
func TestSameTint(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
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

// Scales, and the tints of the elements in logical order.
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

// Values are tinted from the minimum to the maximum finite one. Others have no tint, and the scale says so.
func TestValueTints(t *testing.T) {
	l := packed(t, 5)
	huge := fmt.Sprint(math.MaxFloat64)
	for _, c := range []struct{ values, want, scale string }{
		{"0 1 2 3 4", "[0 16 32 48 63]", "value 0 4 64"},
		{"-5 5 nan 0 +Inf", "[0 63 -1 32 -1]", "value, if finite -5 5 64"},
		{"-" + huge + " 0 " + huge + " 0 0", "[0 32 63 32 32]", "value -" + huge + " " + huge + " 64"},
		{"7 7 7 7 7", "[0 0 0 0 0]", "value 7 7 1"},
		{"nan nan nan nan nan", "[-1 -1 -1 -1 -1]", "value, if finite   1"},
		{"a b c d e", "[-1 -1 -1 -1 -1]", "value, if finite   1"},
	} {
		s := mustDraw(t, Subject{Layout: l, Value: holding(c.values)}, nil, Options{Labels: []Label{Value}, Color: ByValue})
		var got []scene.Tint
		for _, cell := range cells(s.Tensor) {
			got = append(got, cell.Tint)
		}
		scale := fmt.Sprintln(s.Scale.Name, s.Scale.Low, s.Scale.High, s.Scale.N)
		if fmt.Sprint(got) != c.want || scale != c.scale+"\n" {
			t.Errorf("%s: %v, %q\nexpected %s, %q", c.values, got, scale, c.want, c.scale)
		}
	}
}
