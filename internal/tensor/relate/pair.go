package relate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Item is a tensor of a checkpoint, known by its elements without their order.
type Item struct {
	Name  string
	Type  string // of the elements: only items of one type are paired
	Shape []int
	Print Fingerprint
}

// Match says that the item A of one checkpoint holds the elements of the item B of another.
type Match struct {
	A, B      int
	Ambiguous bool // other items have the same elements, and names do not tell which is meant
}

// Fused says that the item Whole of one checkpoint holds the elements of several items of the other.
type Fused struct {
	Whole int
	Parts []int
	InA   bool // the whole is in a
}

// content is what two items must have in common.
type content struct {
	dtype string
	print Fingerprint
}

// contentOf returns the content of an item; empty tensors are told apart by their shapes.
func contentOf(x Item) content {
	if x.Print.Count == 0 {
		return content{dtype: x.Type + fmt.Sprint(x.Shape)}
	}
	return content{x.Type, x.Print}
}

// Pair finds the items of b that hold the same elements as items of a, in any order and under any name. Among items with equal elements
// those of one shape go together first, then those whose neighbors are paired, then those whose names have the most words in common. A
// constant, such as a bias of zeros, is paired only if neighbors or names say so. An item without a type, which could
// not be read, is not paired.
func Pair(a, b []Item) []Match {
	groups := [2]map[content][]int{{}, {}}
	for side, items := range [][]Item{a, b} {
		for i, x := range items {
			if x.Type != "" {
				groups[side][contentOf(x)] = append(groups[side][contentOf(x)], i)
			}
		}
	}
	var all []Match
	parents := map[string]string{} // of a's names, and those of their partners in b
	for i, x := range a {
		ofA, ofB := groups[0][contentOf(x)], groups[1][contentOf(x)]
		if len(ofA) == 1 && len(ofB) == 1 && !x.Print.Constant() {
			all = append(all, Match{A: i, B: ofB[0]})
			parents[parent(x.Name)] = parent(b[ofB[0]].Name)
		}
	}
	for i, x := range a {
		ofA, ofB := groups[0][contentOf(x)], groups[1][contentOf(x)]
		if len(ofA) > 0 && ofA[0] == i && len(ofB) > 0 && (len(ofA)+len(ofB) > 2 || x.Print.Constant()) {
			all = append(all, choose(a, b, ofA, ofB, parents)...)
		}
	}
	slices.SortFunc(all, func(x, y Match) int { return cmp.Compare(x.A, y.A) })
	return all
}

// maxChosen bounds the items with equal elements that are compared by name, each with each; more are paired in their order.
const maxChosen = 512

// choose pairs items that all have the same elements, best first.
func choose(a, b []Item, ofA, ofB []int, parents map[string]string) (all []Match) {
	constant := a[ofA[0]].Print.Constant()
	if max(len(ofA), len(ofB)) > maxChosen && !constant {
		for n := range min(len(ofA), len(ofB)) {
			all = append(all, Match{ofA[n], ofB[n], true})
		}
		return all
	}
	type candidate struct {
		Match
		score int
	}
	best := [2]map[int][2]int{{}, {}} // for each item, the best score, and how many candidates have it
	var list []candidate
	for _, i := range ofA[:min(len(ofA), maxChosen)] {
		for _, j := range ofB[:min(len(ofB), maxChosen)] {
			named, whole, score := common(a[i].Name, b[j].Name)
			sameShape := slices.Equal(a[i].Shape, b[j].Shape)
			if sameShape {
				score += 1000
			}
			if p, ok := parents[parent(a[i].Name)]; ok && p == parent(b[j].Name) {
				named, score = true, score+100
			}
			if !constant || named && sameShape {
				list = append(list, candidate{Match{i, j, constant && !whole}, score})
				for side, k := range []int{i, j} {
					switch x := best[side][k]; {
					case score > x[0]:
						best[side][k] = [2]int{score, 1}
					case score == x[0]:
						best[side][k] = [2]int{score, x[1] + 1}
					}
				}
			}
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	gone := [2]map[int]bool{{}, {}}
	for _, c := range list {
		if !gone[0][c.A] && !gone[1][c.B] {
			gone[0][c.A], gone[1][c.B] = true, true
			c.Ambiguous = c.Ambiguous || best[0][c.A] != [2]int{c.score, 1} || best[1][c.B] != [2]int{c.score, 1}
			all = append(all, c.Match)
		}
	}
	return all
}

// roles are the last words of names, by which frameworks name one thing in several ways.
var roles = map[string]string{
	"weight": "weight", "kernel": "weight", "gamma": "weight", "scale": "weight", "embeddings": "weight", "embedding": "weight", "bias": "bias",
	"beta": "bias", "running": "running", "moving": "running", "variance": "var", "var": "var", "mean": "mean", "step": "step", "num": "num",
	"batches": "batches", "tracked": "tracked",
}

var word = lazy.Regexp(`[A-Za-z]+|[0-9]+`)

// wordsOf splits a name: layers.0.attn.q_proj.weight and params/layers_0/attn/q_proj/kernel have layers, 0, attn, q, proj and weight.
func wordsOf(name string) []string {
	words := word.Get().FindAllString(strings.ToLower(name), -1)
	for i, w := range words {
		if role := roles[w]; role != "" {
			words[i] = role
		}
	}
	return words
}

// parent returns a name without its last part, which frameworks spell differently: weight, kernel, scale, gamma.
func parent(name string) string { return name[:max(0, strings.LastIndexAny(name, "./:"))] }

// common counts the words that two names have in common; named says that one of them is no role, whole that these are all words of a name.
func common(a, b string) (named, whole bool, n int) {
	ofA, ofB := wordsOf(a), wordsOf(b)
	rest := slices.Clone(ofB)
	for _, w := range ofA {
		if i := slices.Index(rest, w); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			named, n = named || roles[w] == "", n+1
		}
	}
	return named, n == min(len(ofA), len(ofB)), n
}

// nearby is the number of neighboring items among which the parts of a fused tensor are searched: q, k and v with their biases and norms.
const nearby = 8

// FindFused finds items of one side that hold the elements of several of the other: of two to four neighbors, such as q, k and v in qkv,
// or of any number of items whose names differ in a number, such as experts. left are the unpaired items of both sides.
//
// A fingerprint is a sum over elements, so that F(whole) = Σ F(part).
func FindFused(a, b []Item, left [2][]int) (all []Fused) {
	for side, items := range [][]Item{a, b} {
		wholes := map[content]int{}
		others := [][]Item{b, a}[side]
		for _, i := range left[side] {
			if !items[i].Print.Constant() {
				wholes[contentOf(items[i])] = i
			}
		}
		used := map[int]bool{}
		take := func(parts []int) {
			whole, ok := wholes[sum(others, parts)]
			if !ok || slices.ContainsFunc(parts, func(i int) bool { return used[i] }) {
				return
			}
			for _, i := range parts {
				used[i] = true
			}
			delete(wholes, sum(others, parts))
			all = append(all, Fused{whole, slices.Clone(parts), side == 0})
		}
		if len(wholes) == 0 {
			continue
		}
		for _, series := range numbered(others, left[1-side]) {
			runs(items, others, wholes, series, take)
		}
		neighbors(left[1-side], take)
	}
	return all
}

// sum returns the content of items together.
func sum(items []Item, parts []int) content {
	whole := content{dtype: items[parts[0]].Type}
	for _, i := range parts {
		if items[i].Type != whole.dtype || items[i].Print.Count == 0 {
			return content{}
		}
		whole.print = whole.print.Add(items[i].Print)
	}
	return whole
}

var digits = lazy.Regexp(`\d+`)

// numbered returns the items of one type whose names are equal but for numbers, in series of at least two: experts.0.w1, experts.1.w1.
func numbered(items []Item, left []int) (all [][]int) {
	at := map[string]int{}
	for _, i := range left {
		name := items[i].Type + digits.Get().ReplaceAllString(items[i].Name, "#")
		k, ok := at[name]
		if !ok {
			k = len(all)
			at[name], all = k, append(all, nil)
		}
		all[k] = append(all[k], i)
	}
	return slices.DeleteFunc(all, func(series []int) bool { return len(series) < 2 })
}

// runs tries the runs of a series that may be wholes by their number of elements. Sums of runs are differences of sums from the first item.
func runs(items, others []Item, wholes map[content]int, series []int, take func(parts []int)) {
	sums := []Fingerprint{{}}
	for _, i := range series {
		sums = append(sums, sums[len(sums)-1].Add(others[i].Print))
	}
	lengths := map[int]bool{}
	n := others[series[0]].Print.Count
	for _, i := range wholes {
		if count := items[i].Print.Count; n > 0 && count%n == 0 && count/n > 1 && count/n <= len(series) {
			lengths[count/n] = true
		}
	}
	for length := range lengths {
		for from := range len(series) - length + 1 {
			if _, ok := wholes[content{others[series[0]].Type, sums[from+length].minus(sums[from])}]; ok {
				take(series[from : from+length])
			}
		}
	}
}

// neighbors tries all of two to four items among nearby successive ones, the first of which is one of them.
func neighbors(left []int, take func(parts []int)) {
	for from := range left {
		near := left[from:min(len(left), from+nearby)]
		var pick func(parts []int, next int)
		pick = func(parts []int, next int) {
			if len(parts) > 1 {
				take(parts)
			}
			for i := next; i < len(near) && len(parts) < 4; i++ {
				pick(append(parts, near[i]), i+1)
			}
		}
		pick([]int{near[0]}, 1)
	}
}
