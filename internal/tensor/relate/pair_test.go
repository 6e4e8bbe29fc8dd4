package relate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
)

// someItem is an item of random elements, of which nothing else has any.
func someItem(r *rand.Rand, name string, shape ...int) Item {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return Item{name, "float32", shape, Fingerprint{n, 4, r.Uint64(), r.Uint64()}}
}

// TestPair: of models whose tensors are renamed, transposed, shuffled, and partly constants, each pair is of one tensor: by elements if
// they are its own, otherwise by the partners of its neighbors.
func TestPair(t *testing.T) {
	r := random.New(t)
	for range random.Cases(t, casesVariable, 200) {
		var a, b []Item
		for layer := range 1 + r.IntN(30) {
			w := someItem(r, fmt.Sprintf("layers.%d.attn.weight", layer), 1+r.IntN(9), 1+r.IntN(9))
			bias := Item{fmt.Sprintf("layers.%d.attn.bias", layer), "float32", []int{8}, Fingerprint{8, 4, 8 * hash(0), 8 * hash(0) * hash(0)}}
			a = append(a, w, bias)
			w.Name, w.Shape = fmt.Sprintf("net/block_%d/self/kernel", layer), []int{w.Shape[1], w.Shape[0]}
			bias.Name = fmt.Sprintf("net/block_%d/self/bias", layer)
			b = append(b, w, bias)
		}
		want := map[string]string{}
		for i := range a {
			want[a[i].Name] = b[i].Name
		}
		r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		pairs := Pair(a, b)
		if len(pairs) != len(a) {
			t.Fatalf("%d pairs of %d tensors", len(pairs), len(a))
		}
		for _, p := range pairs {
			if got := b[p.B].Name; want[a[p.A].Name] != got {
				t.Fatalf("%s is paired with %s, want %s", a[p.A].Name, got, want[a[p.A].Name])
			}
			if p.Ambiguous != a[p.A].Print.Constant() {
				t.Fatalf("%s is ambiguous: %v", a[p.A].Name, p.Ambiguous)
			}
		}
	}
}

// TestFindFused: tensors that are several of the other side are found, whichever side they are on: neighbors, also with others between
// them, and runs of numbered names. Nothing else is.
func TestFindFused(t *testing.T) {
	r := random.New(t)
	for range random.Cases(t, casesVariable, 200) {
		var sides [2][]Item
		want := map[string][]string{}
		fuse := func(name string, parts []Item) {
			whole := Item{Name: name, Type: "float32"}
			side := r.IntN(2)
			for _, p := range parts {
				whole.Print = whole.Print.Add(p.Print)
				want[name] = append(want[name], p.Name)
			}
			sides[side], sides[1-side] = append(sides[side], whole), append(sides[1-side], parts...)
		}
		for layer := range 1 + r.IntN(6) {
			in := func(name string) Item { return someItem(r, fmt.Sprintf("layers.%d.%s", layer, name), 4, 1+r.IntN(5)) }
			switch r.IntN(3) {
			case 0:
				fuse(fmt.Sprintf("h.%d.qkv", layer), []Item{in("q"), in("k"), in("v")})
			case 1:
				side := r.IntN(2)
				sides[side] = append(sides[side], in("other"))
			default:
				var experts []Item
				for k := range 2 + r.IntN(20) {
					experts = append(experts, someItem(r, fmt.Sprintf("layers.%d.experts.%d.w1", layer, k), 3, 5))
				}
				fuse(fmt.Sprintf("h.%d.experts", layer), experts)
			}
		}
		left := [2][]int{}
		for side := range sides {
			for i := range sides[side] {
				left[side] = append(left[side], i)
			}
		}
		got := map[string][]string{}
		for _, f := range FindFused(sides[0], sides[1], left) {
			whole, parts := sides[1], sides[0]
			if f.InA {
				whole, parts = parts, whole
			}
			for _, i := range f.Parts {
				got[whole[f.Whole].Name] = append(got[whole[f.Whole].Name], parts[i].Name)
			}
		}
		for name := range want {
			slices.Sort(want[name])
			slices.Sort(got[name])
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("found %v\nwant %v", got, want)
		}
	}
}
