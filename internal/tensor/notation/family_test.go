package notation

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
)

// asWritten are dims in the order as written: of attention, video, sequences and matrices.
var asWritten = []string{"BSHD", "BNSH", "BHIJ", "TBD", "NHD", "THD", "BLC", "BTC", "KN", "ND", "NTCHW", "BFCHW", "NCDHT"}

// permutations lists all orders of some letters.
func permutations(letters string) (all []string) {
	if letters == "" {
		return []string{""}
	}
	for i, c := range letters {
		for _, rest := range permutations(letters[:i] + letters[i+1:]) {
			all = append(all, string(c)+rest)
		}
	}
	return all
}

// families is the definition of familyOrder, written out: every set of letters that has an order of its own, in that order.
func families() map[string]string {
	sets := map[string]string{}
	add := func(order string) {
		letters := []byte(order)
		slices.Sort(letters)
		sets[string(letters)] = order
	}
	for bits := range 1 << 5 {
		head := ""
		for i, c := range "GNOIC" {
			if bits>>i&1 == 1 {
				head += string(c)
			}
		}
		for _, space := range []string{"", "W", "HW", "DHW"} {
			add(head + space)
		}
	}
	for _, order := range []string{"BCHW", "BCDHW", "CL", "NCL", "KCRS", "GKCRS", "KCTRS", "GKCTRS", "NKPQ", "MK", "MN", "BHNC", "LBHNC", "BKHNC", "LBKHNC"} {
		add(order)
	}
	return sets
}

// TestLogicalOrder: the dims of any name of distinct letters are in the order of their family, or else as written; no noun is
// used for the latter. Random names, against the list of all families.
func TestLogicalOrder(t *testing.T) {
	rng, known, counts := rand.New(rand.NewPCG(1, 1)), families(), map[bool]int{}
	pools := []string{"BCDEFGHIJKLMNOPQRSTUVWXYZ", "GNOICDHW", "BCDHW", "GKCTRS", "NKPQ", "BNSHDTL", "MKN", "LBKHNC", "LBKHNC"}
	for range 30000 {
		pool := []byte(pools[rng.IntN(len(pools))])
		rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		name := string(pool[:2+rng.IntN(min(len(pool)-1, 6))])
		if alias, err := resolveAlias(name); err != nil || alias.format != name {
			continue // BIP of raster files
		}
		sorted := []byte(name)
		slices.Sort(sorted)
		want, family := known[string(sorted)]
		if !family {
			want = name
		}
		names := mustParse(t, strings.Join(strings.Split(name, ""), " ")).Names()
		if unspaced, err := Parse(strings.ToLower(name)); err == nil && !slices.Equal(unspaced.Format.Names(), names) {
			t.Errorf("%s: dims %v, with blanks %v", name, unspaced.Format.Names(), names)
		}
		if got := strings.Join(names, ""); got != want || AsWritten(names) == family {
			t.Errorf("%s: dims %s, as written %t; expected %s, %t", name, got, AsWritten(names), want, !family)
		}
		for d := range names {
			if noun, ok := DimNoun(names, d); ok && (!family || want[0] == 'M') {
				t.Errorf("%s: an index of %s is called %s", name, names[d], noun)
			}
		}
		counts[family]++
	}
	if counts[true] < 1000 || counts[false] < 1000 {
		t.Errorf("%v", counts)
	}
}

// TestAsWrittenBlocks: dims in blocks are in the order of their outer axes, in every spelling.
func TestAsWrittenBlocks(t *testing.T) {
	for name, want := range map[string]string{"BSHD16d": "B S H D", "16dBSHD": "B S H D", "S%4 B S//4 D": "B S D", "b s h d": "B S H D",
		"bhSd8s": "B H S D", "{1,0:T(8,128)}": "A B", "nchw": "N C H W", "nhwc": "N C H W"} {
		f := mustParse(t, name)
		if got := strings.Join(f.Names(), " "); got != want {
			t.Errorf("%s: dims %s, expected %s", name, got, want)
		}
		if again := mustParse(t, f.String()); !slices.Equal(again.Names(), f.Names()) || again.Explicit() != f.Explicit() {
			t.Errorf("%s is %s, which has dims %v", name, f, again.Names())
		}
	}
}

// letterCase is a question to NumPy and what is expected of its answer.
type letterCase struct {
	From  string         `json:"from"`
	To    string         `json:"to"`
	Sizes map[string]int `json:"sizes"`
}

// letterCases pairs every permutation of dims as written with all others, or with some of five dims.
func letterCases(rng *rand.Rand) (cases []letterCase) {
	for _, letters := range asWritten {
		all := permutations(letters)
		sizes := map[string]int{}
		for i, c := range letters {
			sizes[string(c)] = []int{2, 3, 5, 4, 1}[(i+rng.IntN(2))%5]
		}
		for _, from := range all {
			others := all
			if len(letters) > 4 {
				others = []string{from, all[rng.IntN(len(all))], all[rng.IntN(len(all))], all[rng.IntN(len(all))]}
			}
			for _, to := range others {
				cases = append(cases, letterCase{from, to, sizes})
			}
		}
	}
	for _, logical := range []string{"BHNC", "LBHNC", "BKHNC", "LBKHNC"} {
		sizes := map[string]int{"L": 3, "B": 2, "K": 2, "H": 1 + rng.IntN(4), "N": 5, "C": 4}
		for _, to := range permutations(logical) {
			cases = append(cases, letterCase{logical, to, sizes})
		}
	}
	return cases
}

// TestAsWrittenLikeNumPy: a tensor whose dims are named as written, or in the logical order of a cache, in the memory order of another permutation of the letters,
// has the shape and strides of NumPy's ascontiguousarray(transpose), seen from the first order, and the same elements in memory.
func TestAsWrittenLikeNumPy(t *testing.T) {
	numpy := oracle.NumPy(t, "numpy_letters.py")
	cases := letterCases(rand.New(rand.NewPCG(2, 3)))
	go func() {
		for _, c := range cases {
			numpy.Ask(c) //nolint:errcheck // the answer is missing then
		}
	}()
	for _, c := range cases {
		var want struct{ Shape, Strides, Memory []int }
		if err := numpy.Read(&want); err != nil {
			t.Fatal(err)
		}
		l := seenFrom(t, mustParse(t, c.From), mustParse(t, c.To), c.Sizes)
		s, _ := l.Strided()
		used := func(strides []int) (moving []int) { // NumPy's stride of a size-1 dim is free
			for i, n := range want.Shape {
				if n > 1 {
					moving = append(moving, strides[i])
				}
			}
			return moving
		}
		if !slices.Equal(s.Shape, want.Shape) || !slices.Equal(used(s.Strides), used(want.Strides)) || !slices.Equal(storageOrder(l), want.Memory) {
			text, _ := json.Marshal(c)
			t.Errorf("%s: %s, NumPy %v:%v", text, l, want.Shape, want.Strides)
		}
	}
	if len(cases) < 3000 {
		t.Errorf("only %d cases", len(cases))
	}
	t.Logf("%d cases", len(cases))
}

// seenFrom is a tensor in the memory order to, its dims in the order of from, matched by their letters.
func seenFrom(t *testing.T, from, to Format, size map[string]int) tensor.Layout {
	t.Helper()
	sizes := make([]int, to.Rank())
	for i, name := range to.Names() {
		sizes[i] = size[name]
	}
	bound, err := to.Bind(sizes)
	if err != nil {
		t.Fatal(err)
	}
	dims := make([]tensor.Dim, from.Rank())
	for i, name := range from.Names() {
		dims[i] = bound.Dim(slices.Index(to.Names(), name))
	}
	l, err := tensor.New(dims, 0, bound.Alloc())
	if err != nil {
		t.Fatal(err)
	}
	return l
}
