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
		wholes := map[Content]int{}
		others := [][]Item{b, a}[side]
		for _, i := range unpaired[side] {
			if !items[i].Print.Constant() {
				wholes[items[i].Content()] = i
			}
		}
		used := map[int]bool{}
		try := func(parts []int) {
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
		for _, series := range numbered(others, unpaired[1-side]) {
			runs(items, others, wholes, series, budget, try)
		}
		neighbors(unpaired[1-side], try)
	}
	return all
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

// runs tries the runs of a series that may be wholes by their number of elements. Sums of runs are differences of sums from the first item.
func runs(items, others []Item, wholes map[Content]int, series []int, budget *Budget, try func(parts []int)) {
	sums := []Fingerprint{{}}
	for _, i := range series {
		sums = append(sums, sums[len(sums)-1].Add(others[i].Print))
	}
	lengths := map[int]bool{}
	part := others[series[0]].Print.Count
	if part == 0 {
		return
	}
	for _, i := range wholes {
		whole := items[i].Print.Count
		if length := whole / part; whole%part == 0 && length > 1 && length <= len(series) {
			lengths[length] = true
		}
	}
	for _, length := range slices.Sorted(maps.Keys(lengths)) {
		if !budget.Take(4 * len(series)) {
			return
		}
		for from := range len(series) - length + 1 {
			if _, ok := wholes[Content{others[series[0]].Type, sums[from+length].minus(sums[from])}]; ok {
				try(series[from : from+length])
			}
		}
	}
}

// neighbors tries all of two to four items among nearby successive ones, the first of which is one of them.
func neighbors(unpaired []int, try func(parts []int)) {
	for from := range unpaired {
		near := unpaired[from:min(len(unpaired), from+nearby)]
		var pick func(parts []int, next int)
		pick = func(parts []int, next int) {
			if len(parts) > 1 {
				try(parts)
			}
			for i := next; i < len(near) && len(parts) < 4; i++ {
				pick(append(parts, near[i]), i+1)
			}
		}
		pick([]int{near[0]}, 1)
	}
}
