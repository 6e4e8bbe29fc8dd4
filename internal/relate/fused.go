package relate

import (
	"maps"
	"slices"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Fused says that the item Whole of one checkpoint holds the elements of several items of the other.
type Fused struct {
	Whole int
	Parts []int
	InA   bool // the whole is in a
}

// nearby is the number of neighboring items among which the parts of a fused tensor are searched: q, k and v with their biases and norms.
const nearby = 8

// FindFused finds items of one side that hold the elements of several of the other: of two to four neighbors, such as q, k and v in qkv,
// or of any number of items whose names differ in a number, such as experts. unpaired are the items of both sides without a partner.
//
// A fingerprint is a sum over elements, so that F(whole) = Σ F(part).
func FindFused(a, b []Item, unpaired [2][]int, work *Work) (all []Fused) {
	budget := work.Budget(leastBytes * (len(unpaired[0]) + len(unpaired[1])))
	for side, items := range [][]Item{a, b} {
		f := fusing{items: items, inA: side == 0, others: [][]Item{b, a}[side], wholes: map[Content]int{}, used: map[int]bool{}, budget: budget}
		for _, i := range unpaired[side] {
			if !items[i].Print.Constant() {
				f.wholes[items[i].Content()] = i
			}
		}
		if len(f.wholes) == 0 {
			continue
		}
		for _, series := range numbered(f.others, unpaired[1-side]) {
			f.tryRuns(series)
		}
		f.tryNeighbors(unpaired[1-side])
		all = append(all, f.found...)
	}
	return all
}

// fusing searches for the parts of one side's items among those of the other.
type fusing struct {
	items  []Item
	inA    bool
	others []Item
	wholes map[Content]int // items whose parts are not found yet
	used   map[int]bool    // others that are parts
	budget *Budget
	found  []Fused
}

// try takes items of the other side as parts, if they are together a whole.
func (f *fusing) try(parts []int) {
	content := sum(f.others, parts)
	whole, ok := f.wholes[content]
	if !ok || slices.ContainsFunc(parts, func(i int) bool { return f.used[i] }) {
		return
	}
	for _, i := range parts {
		f.used[i] = true
	}
	delete(f.wholes, content)
	f.found = append(f.found, Fused{whole, slices.Clone(parts), f.inA})
}

// sum returns the content of items together.
func sum(items []Item, parts []int) Content {
	whole := Content{Type: items[parts[0]].Type}
	for _, i := range parts {
		if items[i].Type != whole.Type || items[i].Print.Count == 0 {
			return Content{}
		}
		whole.Print = whole.Print.Add(items[i].Print)
	}
	return whole
}

var digits = lazy.Regexp(`\d+`)

// numbered returns the items of one type whose names are equal but for numbers, in series of at least two: experts.0.w1, experts.1.w1.
func numbered(items []Item, unpaired []int) (all [][]int) {
	at := map[string]int{}
	for _, i := range unpaired {
		name := items[i].Type + digits.Get().ReplaceAllString(items[i].Name, "#")
		k, ok := at[name]
		if !ok {
			k = len(all)
			at[name] = k
			all = append(all, nil)
		}
		all[k] = append(all[k], i)
	}
	return slices.DeleteFunc(all, func(series []int) bool { return len(series) < 2 })
}

// tryRuns tries the runs of a series that may be wholes by their number of elements. Sums of runs are differences of sums from the first item.
func (f *fusing) tryRuns(series []int) {
	sums := []Fingerprint{{}}
	for _, i := range series {
		sums = append(sums, sums[len(sums)-1].Add(f.others[i].Print))
	}
	first := f.others[series[0]].Content()
	if first.Print.Count == 0 {
		return
	}
	lengths := map[int]bool{}
	for _, i := range f.wholes {
		whole, part := f.items[i].Print.Count, first.Print.Count
		if length := whole / part; whole%part == 0 && length > 1 && length <= len(series) {
			lengths[length] = true
		}
	}
	for _, length := range slices.Sorted(maps.Keys(lengths)) {
		if !f.budget.Take(4 * len(series)) {
			return
		}
		for from := range len(series) - length + 1 {
			if _, ok := f.wholes[Content{first.Type, sums[from+length].minus(sums[from])}]; ok {
				f.try(series[from : from+length])
			}
		}
	}
}

// tryNeighbors tries all of two to four items among nearby successive ones, the first of which is one of them.
func (f *fusing) tryNeighbors(unpaired []int) {
	for from := range unpaired {
		near := unpaired[from:min(len(unpaired), from+nearby)]
		var pick func(parts []int, next int)
		pick = func(parts []int, next int) {
			if len(parts) > 1 {
				f.try(parts)
			}
			for i := next; i < len(near) && len(parts) < 4; i++ {
				pick(append(parts, near[i]), i+1)
			}
		}
		pick([]int{near[0]}, 1)
	}
}
