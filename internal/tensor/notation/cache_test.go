package notation

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// lmLetters are the letters of LMCache's abbreviations, by the comment in its csrc/engine_kv_format.h.
var lmLetters = map[string]string{"NL": "L", "NB": "B", "TWO": "K", "NH": "H", "BS": "N", "NBBS": "N", "ONE": "H", "HS": "C", "CS": "C"}

// TestLMCacheNames: a name spells the shape of a tensor, after the indices of lists, which end with _X_.
func TestLMCacheNames(t *testing.T) {
	for _, a := range LMCacheNames {
		if of := inLists(a.Name); !strings.Contains(a.Note, of) {
			t.Errorf("%s: note %q, expected %q", a.Name, a.Note, of)
		}
		want := ""
		parts := strings.Split(a.Name, "_X_")
		for _, part := range strings.Split(parts[len(parts)-1], "_") {
			want += lmLetters[part]
		}
		f, meant, err := parseFormat(strings.ToLower(a.Name))
		if err != nil || f.String() != want || !strings.Contains(meant.note, a.Note) || IsCache(f.Names()) != (len(want) > 3) {
			t.Errorf("%s is %s, note %q, %v; expected %s", a.Name, f, meant.note, err, want)
		}
	}
}

// inLists returns what a name's lists have, the outer one first.
func inLists(name string) string {
	switch {
	case strings.HasPrefix(name, "NL_X_NP_X_"):
		return "a tuple of tensors of these dims per layer"
	case strings.HasPrefix(name, "NL_X_TWO_X_"):
		return "a pair of tensors of these dims per layer"
	case strings.HasPrefix(name, "TWO_X_NL_X_"):
		return "keys and values have lists"
	case strings.HasPrefix(name, "NL_X_"):
		return "a tensor of these dims per layer"
	}
	return "one tensor"
}

// TestCacheWorkedExamples: block 1, token 3, head 2, number 5 of 4 blocks of 16 tokens, 8 heads and 128 numbers.
func TestCacheWorkedExamples(t *testing.T) {
	for name, want := range map[string]int{"BNHC": 19717, "BHNC": 20869, "BHCN8c": 20509} {
		l, err := mustParse(t, name).Bind([]int{4, 8, 16, 128})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.At(1, 2, 3, 5); got != want {
			t.Errorf("%s: offset %d, expected %d", name, got, want)
		}
	}
}

// TestPackedKeys compares random elements of packed keys with the index of reshape_and_cache (vLLM, csrc/cache_kernels.cu).
func TestPackedKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		x := []int{4, 8, 16}[rng.IntN(3)]
		blocks, heads, tokens, size := 1+rng.IntN(5), 1+rng.IntN(9), 1+rng.IntN(33), x*(1+rng.IntN(9))
		l, err := mustParse(t, map[int]string{4: "bhcn4c", 8: "BHCN8c", 16: "B H C//16 N C%16"}[x]).Bind([]int{blocks, heads, tokens, size})
		if err != nil {
			t.Fatal(err)
		}
		b, h, n, c := rng.IntN(blocks), rng.IntN(heads), rng.IntN(tokens), rng.IntN(size)
		want := b*heads*(size/x)*tokens*x + h*(size/x)*tokens*x + c/x*tokens*x + n*x + c%x
		if got := l.At(b, h, n, c); got != want {
			t.Fatalf("x=%d of %v: [%d,%d,%d,%d] is at %d, expected %d", x, l.Shape(), b, h, n, c, got, want)
		}
	}
}
