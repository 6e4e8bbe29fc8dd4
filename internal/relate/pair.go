package relate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/sorting"
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

// Content is the elements of an item, without their order.
type Content struct {
	Type  string
	Print Fingerprint
}

// Content returns what the item has in common with the items of the same elements, whatever their names and shapes.
func (x Item) Content() Content { return Content{x.Type, x.Print} }

// key is what paired items must have in common.
type key struct {
	Content
	shape string // of empty tensors, which have nothing else
}

func keyOf(x Item) key {
	if x.Print.Count == 0 {
		return key{x.Content(), fmt.Sprint(x.Shape)}
	}
	return key{Content: x.Content()}
}

// group is the items of both sides with one key.
type group struct {
	a, b     []int
	constant bool // their elements are all equal
}

// isPair reports whether the group is a pair, whatever the names are.
func (g *group) isPair() bool { return len(g.a) == 1 && len(g.b) == 1 && !g.constant }

// Pair finds the items of b that hold the same elements as items of a, in any order and under any name. Among items with equal elements
// those of one shape go together first, then those whose neighbors are paired, then those whose names have the most words in common. A
// constant, such as a bias of zeros, is paired only if neighbors or names say so. Where there are more names than the work allows to compare,
// only equal names count. An item without a type, which could not be read, is not paired.
func Pair(a, b []Item, work *Work) []Match {
	p := pairing{sides: [2][]Item{a, b}, parents: map[string]string{}, words: [2]map[int][]int{{}, {}}, vocabulary: vocabulary{}}
	bytes := 0
	for _, items := range p.sides {
		for _, x := range items {
			bytes += len(x.Name)
		}
	}
	p.budget = work.Budget(bytes)
	groups := groupsOf(a, b)
	var all []Match
	for _, g := range groups {
		if g.isPair() {
			all = append(all, Match{A: g.a[0], B: g.b[0]})
			p.parents[parent(a[g.a[0]].Name)] = parent(b[g.b[0]].Name)
		}
	}
	for _, g := range groups {
		if !g.isPair() {
			all = append(all, p.choose(g.a, g.b, g.constant)...)
		}
	}
	sorting.By(all, func(x, y Match) int { return cmp.Compare(x.A, y.A) })
	return all
}

// groupsOf returns the groups with items of both sides, in a's order.
func groupsOf(a, b []Item) []*group {
	var all []*group
	byKey := map[key]*group{}
	for i, x := range a {
		if x.Type == "" {
			continue
		}
		g := byKey[keyOf(x)]
		if g == nil {
			g = &group{constant: x.Print.Constant()}
			byKey[keyOf(x)] = g
			all = append(all, g)
		}
		g.a = append(g.a, i)
	}
	for j, x := range b {
		if g := byKey[keyOf(x)]; g != nil {
			g.b = append(g.b, j)
		}
	}
	return slices.DeleteFunc(all, func(g *group) bool { return len(g.b) == 0 })
}

// pairing is the items of both sides.
type pairing struct {
	sides   [2][]Item
	parents map[string]string // of a's names, and those of their partners in b
	words   [2]map[int][]int  // of the names of items that were compared
	vocabulary
	budget *Budget
}

// wordsOfItem returns the words of an item's name, which is split once.
func (p *pairing) wordsOfItem(side, i int) []int {
	words, known := p.words[side][i]
	if !known {
		words = p.wordsOf(p.sides[side][i].Name)
		p.words[side][i] = words
	}
	return words
}

// maxChosen bounds the items with equal elements that are compared by name, each with each.
const maxChosen = 512

// choose pairs items that all have the same elements, the best first.
func (p *pairing) choose(ofA, ofB []int, constant bool) []Match {
	if max(len(ofA), len(ofB)) > maxChosen || !p.budget.Take(p.stepsOfNames(ofA, ofB)) {
		return p.byEqualNames(ofA, ofB, constant)
	}
	var list []candidate
	for _, i := range ofA {
		for _, j := range ofB {
			if c, ok := p.candidate(i, j, constant); ok {
				list = append(list, c)
			}
		}
	}
	return bestOf(list)
}

// stepsOfNames is the work of comparing each name with each.
func (p *pairing) stepsOfNames(ofA, ofB []int) int {
	const each = 16 // of a pair
	steps := each * len(ofA) * len(ofB)
	for side, items := range [][]int{ofA, ofB} {
		others := len([][]int{ofB, ofA}[side])
		for _, i := range items {
			steps += others * len(p.wordsOfItem(side, i))
		}
	}
	return steps
}

// Each common word of two names scores 1. A shape counts more than a neighbor, which is another tensor of the same parents that is paired, and
// a neighbor more than the words of any usual name.
const (
	scoreShape  = 1000
	scoreParent = 100
)

// candidate is a match, and how much speaks for it.
type candidate struct {
	Match
	score int
}

// candidate compares two items with the same elements; ok is false for constants of which neither neighbors nor names say that they belong
// together.
func (p *pairing) candidate(i, j int, constant bool) (c candidate, ok bool) {
	a, b := p.sides[0][i], p.sides[1][j]
	named, whole, score := common(p.wordsOfItem(0, i), p.wordsOfItem(1, j))
	sameShape := slices.Equal(a.Shape, b.Shape)
	if sameShape {
		score += scoreShape
	}
	if partner, known := p.parents[parent(a.Name)]; known && partner == parent(b.Name) {
		named = true
		score += scoreParent
	}
	return candidate{Match{i, j, constant && !whole}, score}, !constant || named && sameShape
}

// bestOf takes the candidates with the highest score, each item once. One is ambiguous if another of its items has as high a score.
func bestOf(list []candidate) (all []Match) {
	type top struct{ score, times int }
	best := [2]map[int]top{{}, {}}
	for _, c := range list {
		for side, k := range []int{c.A, c.B} {
			x := best[side][k]
			if x.times == 0 || c.score > x.score {
				x = top{score: c.score}
			}
			if c.score == x.score {
				x.times++
			}
			best[side][k] = x
		}
	}
	sorting.By(list, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	var usedA, usedB = map[int]bool{}, map[int]bool{}
	for _, c := range list {
		if usedA[c.A] || usedB[c.B] {
			continue
		}
		usedA[c.A] = true
		usedB[c.B] = true
		unique := top{c.score, 1}
		c.Ambiguous = c.Ambiguous || best[0][c.A] != unique || best[1][c.B] != unique
		all = append(all, c.Match)
	}
	return all
}

// byEqualNames pairs items that all have the same elements by equal names and shapes, and of others than constants the rest by equal shapes, and
// then in order.
func (p *pairing) byEqualNames(ofA, ofB []int, constant bool) []Match {
	shape := func(x Item) string { return fmt.Sprint(x.Shape) }
	all, ofA, ofB := p.byKey(ofA, ofB, func(x Item) string { return shape(x) + strings.ToLower(x.Name) })
	if constant {
		return all
	}
	byShape, ofA, ofB := p.byKey(ofA, ofB, shape)
	inOrder, _, _ := p.byKey(ofA, ofB, func(Item) string { return "" })
	for _, m := range slices.Concat(byShape, inOrder) {
		m.Ambiguous = true
		all = append(all, m)
	}
	return all
}

// byKey pairs items of equal keys in their order, and returns the others. A pair is ambiguous if other items have its key.
func (p *pairing) byKey(ofA, ofB []int, key func(Item) string) (all []Match, restA, restB []int) {
	inB := map[string][]int{}
	times := map[string]int{}
	for _, j := range ofB {
		k := key(p.sides[1][j])
		inB[k] = append(inB[k], j)
		times[k]++
	}
	for _, i := range ofA {
		times[key(p.sides[0][i])]++
	}
	taken := map[int]bool{}
	for _, i := range ofA {
		k := key(p.sides[0][i])
		if len(inB[k]) == 0 {
			restA = append(restA, i)
			continue
		}
		j := inB[k][0]
		inB[k] = inB[k][1:]
		taken[j] = true
		all = append(all, Match{i, j, times[k] > 2})
	}
	return all, restA, slices.DeleteFunc(slices.Clone(ofB), func(j int) bool { return taken[j] })
}
