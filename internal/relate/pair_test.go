package relate

import (
	"fmt"
	"math/rand/v2"
	"strings"
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
		pairs := Pair(a, b, NewWork())
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

// TestPairAmbiguous: where one item of a side has the elements of several of the other, and names do not tell, the pair is ambiguous on
// whichever side the several are.
func TestPairAmbiguous(t *testing.T) {
	x := someItem(random.New(t), "alpha", 4)
	y, one := x, x
	y.Name, one.Name = "beta", "gamma"
	for _, sides := range [][2][]Item{{{x, y}, {one}}, {{one}, {x, y}}} {
		if pairs := Pair(sides[0], sides[1], NewWork()); len(pairs) != 1 || !pairs[0].Ambiguous {
			t.Errorf("%d and %d items: %+v", len(sides[0]), len(sides[1]), pairs)
		}
	}
}

// TestPairByEqualNames: of items with equal elements whose names are too many to be compared each with each, those of one name are paired, and
// others in their order, which is said to be ambiguous; of constants, no others.
func TestPairByEqualNames(t *testing.T) {
	r := random.New(t)
	for _, constant := range []bool{false, true} {
		x := someItem(r, "", 4)
		if constant {
			x.Print = Fingerprint{4, 4, 4 * hash(0), 4 * hash(0) * hash(0)}
		}
		var a, b []Item
		for i := range maxChosen + 1 {
			x.Name = fmt.Sprintf("layer.%d", i)
			a, b = append(a, x), append(b, x)
		}
		b[0].Name = "renamed"
		r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		pairs := Pair(a, b, NewWork())
		want := len(a)
		if constant {
			want--
		}
		if len(pairs) != want {
			t.Errorf("%d pairs, want %d", len(pairs), want)
		}
		for _, p := range pairs {
			if same := a[p.A].Name == b[p.B].Name; p.Ambiguous == same || !same && b[p.B].Name != "renamed" {
				t.Errorf("%s and %s, ambiguous: %v", a[p.A].Name, b[p.B].Name, p.Ambiguous)
			}
		}
	}
}

// TestPairLongNames: items with equal elements are paired by the words of their names only within the budget of these names.
func TestPairLongNames(t *testing.T) {
	x := someItem(random.New(t), "", 4)
	for words, compared := range map[int]bool{4: true, 400: false} {
		var a, b []Item
		for i := range 200 {
			x.Name = strings.Repeat("layer.", words) + fmt.Sprint(i)
			a = append(a, x)
			x.Name = strings.Repeat("block.", words) + fmt.Sprint(199-i)
			b = append(b, x)
		}
		for _, p := range Pair(a, b, NewWork()) {
			if p.Ambiguous == compared || compared && p.A+p.B != 199 {
				t.Fatalf("names of %d words: %+v", words, p)
			}
		}
	}
}

// TestPairConstantsByName: a pair of constants is certain if one name has all words of the other, on whichever side it is, and ambiguous if each
// has a word of its own.
func TestPairConstantsByName(t *testing.T) {
	zeros := func(name string) []Item {
		return []Item{{name, "float32", []int{8}, Fingerprint{8, 4, 8 * hash(0), 8 * hash(0) * hash(0)}}}
	}
	for _, c := range []struct {
		a, b      string
		ambiguous bool
	}{
		{"fc.bias", "fc.bias", false}, {"fc.bias", "module.fc.bias", false}, {"fc.bias", "model.module.fc.bias", false},
		{"net.fc.bias", "module.fc.bias", true}, {"net.fc.bias", "a.b.c.fc.bias", true},
	} {
		for _, names := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			pairs := Pair(zeros(names[0]), zeros(names[1]), NewWork())
			if len(pairs) != 1 || pairs[0].Ambiguous != c.ambiguous {
				t.Errorf("%q: %+v, want ambiguous: %v", names, pairs, c.ambiguous)
			}
		}
	}
}
