package relate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
)

// roles are the last words of names, by which frameworks name one thing in several ways.
var roles = map[string]string{
	"weight": "weight", "kernel": "weight", "gamma": "weight", "scale": "weight", "embeddings": "weight", "embedding": "weight", "bias": "bias",
	"beta": "bias", "running": "running", "moving": "running", "variance": "var", "var": "var", "mean": "mean", "step": "step", "num": "num",
	"batches": "batches", "tracked": "tracked",
}

var word = lazy.Regexp(`[A-Za-z]+|[0-9]+`)

// parent returns a name without its last part, which frameworks spell differently: weight, kernel, scale, gamma.
func parent(name string) string { return name[:max(0, strings.LastIndexAny(name, "./:"))] }

// vocabulary numbers the words of names: layers.0.attn.q_proj.weight and params/layers_0/attn/q_proj/kernel have layers, 0, attn, q, proj
// and weight. Roles have the numbers below 0.
type vocabulary map[string]int

// wordsOf returns the words of a name, sorted.
func (v vocabulary) wordsOf(name string) []int {
	var numbers []int
	for _, w := range word.Get().FindAllString(strings.ToLower(name), -1) {
		role := roles[w]
		if role != "" {
			w = role
		}
		n, known := v[w]
		if !known {
			n = len(v)
			if role != "" {
				n = ^n
			}
			v[w] = n
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers
}

// common counts the words that two names have in common; named says that one of them is no role, whole that these are all words of a name.
func common(a, b []int) (named, whole bool, n int) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch cmp.Compare(a[i], b[k]) {
		case -1:
			i++
		case 1:
			k++
		case 0:
			named = named || a[i] >= 0
			n++
			i++
			k++
		}
	}
	return named, n == min(len(a), len(b)), n
}
