package tensor

import (
	"slices"
	"strings"
	"testing"
)

var knownNCHW = [][]int{{0, 1, 2, 3}, {0, 2, 3, 1}, {1, 2, 3, 0}}

// One row per case of source 3's ambiguity and its neighbors: which orders remain, and what is said.
func TestInfer(t *testing.T) {
	for _, c := range []struct {
		name           string
		shape, strides []int
		want           string // candidates as letters
		says           string // of the ambiguity, or the reason
	}{
		{"packed NCHW", []int{2, 3, 4, 5}, []int{60, 20, 5, 1}, "NCHW", "N 60, C 20, H 5, W 1"},
		{"packed NHWC", []int{2, 3, 4, 5}, []int{60, 1, 15, 3}, "NHWC", ""},
		{"packed CHWN", []int{2, 3, 4, 5}, []int{1, 40, 10, 2}, "CHWN", ""},
		{"one channel", []int{2, 1, 4, 4}, []int{16, 16, 4, 1}, "NCHW NHWC", "C has size 1"},
		{"one channel, channels_last strides", []int{2, 1, 4, 4}, []int{16, 1, 4, 1}, "NCHW NHWC", "C has size 1"},
		{"one pixel", []int{2, 3, 1, 1}, []int{3, 1, 1, 1}, "NCHW NHWC", "H, W have size 1"},
		{"a batch of one is no question", []int{1, 64, 5, 4}, []int{1280, 20, 4, 1}, "NCHW", "the stride of N is never used"},
		{"lost N-stride", []int{1, 3, 4, 4}, []int{3, 1, 12, 3}, "NHWC", ""},
		{"all ones", []int{1, 1, 1, 1}, []int{1, 1, 1, 1}, "NCHW NHWC", "N, C, H, W have size 1"},
		{"an order without a name", []int{2, 3, 4, 5}, []int{60, 5, 15, 1}, "NHCW", "by falling stride"},
		{"padded rows", []int{2, 3, 4, 5}, []int{96, 32, 8, 1}, "NCHW", "H-stride 8, dense 5"},
		{"sliced channels_last", []int{2, 3, 4, 3}, []int{72, 1, 18, 6}, "NHWC", "W-stride 6, dense 3"},
		{"negative", []int{2, 3, 4, 5}, []int{60, 20, -5, 1}, "NCHW", "by falling stride"},
		{"broadcast", []int{2, 3, 4, 5}, []int{0, 1, 0, 0}, "", ""},
		{"windows overlap", []int{1, 1, 4, 4}, []int{1, 1, 2, 1}, "", ""},
		{"empty", []int{0, 3, 4, 5}, []int{60, 20, 5, 1}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := NewStrided(c.shape, c.strides, 0)
			if err != nil {
				t.Fatal(err)
			}
			in := s.Infer([]string{"N", "C", "H", "W"}, knownNCHW)
			var got []string
			said := in.Ambiguity
			for _, x := range in.Candidates {
				word := ""
				for _, d := range x.Order {
					word += "NCHW"[d : d+1]
				}
				got, said = append(got, word), said+x.Why
			}
			if strings.Join(got, " ") != c.want || !strings.Contains(said, c.says) || (in.Ambiguity != "") != (len(got) > 1) {
				t.Errorf("candidates %v, %q; want %s and %q", got, said, c.want, c.says)
			}
		})
	}
}

// Of a 1×1 tensor nobody can tell row-major from column-major.
func TestInferOneByOne(t *testing.T) {
	s, _ := NewStrided([]int{1, 1}, []int{1, 1}, 0)
	in := s.Infer([]string{"H", "W"}, [][]int{{0, 1}, {1, 0}})
	if len(in.Candidates) != 2 || !strings.Contains(in.Ambiguity, "cannot distinguish HW from WH") {
		t.Errorf("%+v", in)
	}
	if !slices.Equal(in.Candidates[0].Order, []int{0, 1}) {
		t.Errorf("the first known order comes first, found %v", in.Candidates[0])
	}
}

// TestSameMemory: two orders of a dense tensor have the same addresses if and only if all dims of one of the sets have size 1, and
// no set holds another. Every order of up to four dims of size 1 or 2.
func TestSameMemory(t *testing.T) {
	addresses := func(shape, order []int) []int {
		strides, run := make([]int, len(shape)), 1
		for _, d := range slices.Backward(order) {
			strides[d] = run
			run *= shape[d]
		}
		l, err := Strided{Shape: shape, Strides: strides}.Layout(nil, Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		var all []int
		for _, at := range l.Logical() {
			all = append(all, at)
		}
		return all
	}
	for rank := range 5 {
		plain := Strided{Shape: make([]int, rank)}.firstToLast()
		for _, order := range permutations(plain) {
			sets := SameMemory(plain, order)
			for sizes := range 1 << rank {
				shape := make([]int, rank)
				for d := range shape {
					shape[d] = 1 + sizes>>d&1
				}
				says := sets == nil || slices.ContainsFunc(sets, func(set []int) bool {
					return !slices.ContainsFunc(set, func(d int) bool { return shape[d] > 1 })
				})
				if is := slices.Equal(addresses(shape, plain), addresses(shape, order)); is != says {
					t.Errorf("%v and %v of shape %v: the same memory %v, by the sets %v %v", plain, order, shape, is, sets, says)
				}
			}
			for i, set := range sets {
				for _, other := range sets[:i] {
					if !slices.ContainsFunc(other, func(d int) bool { return !slices.Contains(set, d) }) {
						t.Errorf("%v and %v: %v holds %v", plain, order, set, other)
					}
				}
			}
		}
	}
}

// permutations lists all orders of a list.
func permutations(of []int) [][]int {
	if len(of) == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for i, first := range of {
		for _, rest := range permutations(slices.Delete(slices.Clone(of), i, i+1)) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}
