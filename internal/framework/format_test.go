package framework

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestFormatAddresses: two formats are the same layout of some sizes if and only if every element has the same offset in
// both. The sizes fill vectors, miss them by one, or are 1.
func TestFormatAddresses(t *testing.T) {
	var layouts []tensor.Layout
	var names []string
	counts := map[bool]int{}
	for _, c := range []int{1, 2, 3, 4, 8, 15, 16, 17} {
		for _, hw := range [][2]int{{1, 1}, {2, 1}, {1, 16}, {2, 3}, {3, 32}} {
			layouts, names = layouts[:0], names[:0]
			for _, e := range tensorRTNames {
				for _, v := range e.layouts() {
					f, ok := v.over([]string{"N", "C", "H", "W"})
					if !ok {
						continue
					}
					l, err := f.Bind([]int{2, c, hw[0], hw[1]})
					if err != nil {
						t.Fatal(err)
					}
					layouts, names = append(layouts, l), append(names, e.Name+" "+v.types)
				}
			}
			for i, a := range layouts {
				for j, b := range layouts[:i] {
					want := sameOffsets(a, b)
					if counts[want]++; sameAddresses(a, b) != want {
						t.Errorf("C,H,W = %d,%d,%d: %s and %s have the same offsets: %v", c, hw[0], hw[1], names[i], names[j], want)
					}
				}
			}
		}
	}
	if counts[true] < 250 || counts[false] < 1000 {
		t.Errorf("of the pairs, %v have the same offsets", counts)
	}
}

// sameOffsets compares every element.
func sameOffsets(a, b tensor.Layout) bool {
	for coord := range a.Logical() {
		if a.At(coord...) != b.At(coord...) {
			return false
		}
	}
	return true
}

// TestPitchedFormats: a tensor that needs no pitch is not called by DLA's names, although it has those formats too.
func TestPitchedFormats(t *testing.T) {
	for layout, want := range map[string]string{"nchw": "kLINEAR", "NCHW32w": "kDLA_LINEAR"} {
		for _, w := range []int{31, 32} {
			order := orderNamed(t, layout)
			l, err := order.Bind([]int{2, 3, 5, w})
			if err != nil {
				t.Fatal(err)
			}
			o := offer(t, l, order, "float16")
			if got := strings.Join(TensorRT.NamesFor(o), " "); got != want && !(w == 32 && got == "kLINEAR") {
				t.Errorf("%s of width %d is %s", layout, w, got)
			}
			pitched := slices.ContainsFunc(TensorRT.matches(o), func(m formatMatch) bool { return m.Name == "kDLA_LINEAR" })
			if pitched != (w == 32 || layout != "nchw") {
				t.Errorf("%s of width %d has DLA's pitch: %v", layout, w, pitched)
			}
		}
	}
}

// TestFormatSizes: kCHW16, DLA's native format of float16, takes C, H and W up to 8192 (NvInferRuntime.h), and any N. Others
// have no such limit.
func TestFormatSizes(t *testing.T) {
	for _, c := range []struct {
		layout, dtype string
		shape         []int
		ok            bool
	}{
		{"kCHW16", "float16", []int{9000, 17, 1, 12}, true}, {"kCHW16", "float16", []int{2, 17, 1, 8192}, true}, {"kCHW16", "float16", []int{1, 17, 1, 8193}, false},
		{"kCHW16", "float16", []int{1, 17, 8193, 1}, false}, {"kCHW4", "int8", []int{1, 5, 2, 8193}, true}, {"kLINEAR", "float16", []int{1, 5, 2, 8193}, true},
	} {
		order := orderNamed(t, strings.Replace(c.layout, "kLINEAR", "nchw", 1))
		l, err := order.Bind(c.shape)
		if err != nil {
			t.Fatal(err)
		}
		a := TensorRT.Accepts(offer(t, l, order, c.dtype))
		if a.OK != c.ok || !a.OK && !strings.Contains(a.Why, "up to 8192") {
			t.Errorf("%s of %v: %+v", c.layout, c.shape, a)
		}
	}
}
