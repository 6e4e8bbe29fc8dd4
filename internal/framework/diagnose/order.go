package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

var (
	orderList    = lazy.Regexp(`(expected|order must be|but got|major.to.minor|minor.to.major|dim_order|perm(?:utation)?)(?: dim\w*)?\s*[=:]?\s*([\[({][\d, ]*[\])}])`)
	dimOrderItem = lazy.Regexp(`dim_order\((\d+)\): (\d+)`)
)

// otherOrder answers an order of dims that is not the one that was asked for.
func otherOrder(c *complaint) (Answer, bool) {
	// The wanted order comes first.
	var orders [][]int
	// Triton's order lists the fastest dim first, as minor_to_major does.
	minor := c.name == "Triton" || strings.Contains(c.message, "minor_to_major") || strings.Contains(c.message, "minor-to-major")
	for _, m := range orderList.Get().FindAllStringSubmatch(c.message, 4) {
		order, ok := mention.Sizes(m[2])
		if !ok || !isPermutation(order) {
			continue
		}
		if minor {
			slices.Reverse(order)
		}
		if m[1] == "expected" || m[1] == "order must be" {
			orders = append([][]int{order}, orders...)
			continue
		}
		if !slices.ContainsFunc(orders, func(o []int) bool { return slices.Equal(o, order) }) {
			orders = append(orders, order)
		}
	}
	if len(orders) == 0 {
		return Answer{}, false
	}
	c.said["order"] = tensor.Tuple(orders[0])
	a := Answer{What: "the order of dims that a layout names is not the order that the tensor has", Same: tensor.No, Cost: "one copy of that tensor, into the wanted order"}
	if len(orders) == 2 {
		a.What = fmt.Sprintf("the tensor has major-to-minor order %s (%s), expected %s (%s)", tensor.Tuple(orders[1]), major(orders[1]), tensor.Tuple(orders[0]), major(orders[0]))
	}
	return a, true
}

func isPermutation(order []int) bool {
	return slices.Equal(slices.Sorted(slices.Values(order)), ints.Range(len(order)))
}

// major names an order of dims from the outermost on.
func major(order []int) string {
	if slices.IsSorted(order) {
		return "row-major"
	}
	if len(order) == 2 {
		return "column-major"
	}
	return "permuted"
}

// ambiguous says which dims have size 1.
func ambiguous(c *complaint) (Answer, bool) {
	s, ok := c.strided()
	if !ok {
		return Answer{}, true
	}
	var ones []string
	for d, n := range s.Shape {
		if n == 1 {
			ones = append(ones, strconv.Itoa(d))
		}
	}
	of := fmt.Sprintf("sizes %s, strides %s", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides))
	if len(ones) == 0 {
		return Answer{Facts: []string{of + " are " + format(s)}}, true
	}
	return Answer{Facts: []string{fmt.Sprintf("%s: %s %s of size 1", of, text.Plural(len(ones), "dim", "dims"), text.And(ones)+text.Plural(len(ones), " is", " are"))}}, true
}

// dimOrder answers ExecuTorch's kernels, which print the actual order.
func dimOrder(c *complaint) (Answer, bool) {
	a := Answer{What: "an ExecuTorch kernel got a tensor that is neither contiguous nor channels_last", Same: tensor.Unknown, Cost: "one copy, to make that tensor contiguous",
		Fixes: []string{"x = x.clone(memory_format=torch.contiguous_format)  # before torch.export"}}
	var order []int
	for i, m := range dimOrderItem.Get().FindAllStringSubmatch(c.message, 16) {
		if parsed(m[1]) == i {
			order = append(order, parsed(m[2]))
		}
	}
	last := map[int][]int{4: {0, 2, 3, 1}, 5: {0, 2, 3, 4, 1}}[len(order)]
	if last == nil || !isPermutation(order) {
		return a, true
	}
	a.Facts = []string{fmt.Sprintf("dims, outermost first: %s; channels_last is %s", tensor.Tuple(order), tensor.Tuple(last))}
	var sets []string
	for _, dims := range tensor.SameMemory(order, last) {
		sets = append(sets, "dim "+text.Ints(dims, " and "))
	}
	if len(sets) > 0 {
		a.What = "an ExecuTorch kernel got dim order " + tensor.Tuple(order) + ", which may be channels_last with a size of 1"
		a.Facts = append(a.Facts, "both are the same memory if the size is 1 for "+strings.Join(sets, ", or for ")+": then strides cannot distinguish them")
		a.Cost = "nothing if those sizes are 1: only the recorded order must change; otherwise one copy of that tensor"
	}
	return a, true
}
