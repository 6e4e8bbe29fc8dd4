package picture

import (
	"sort"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
)

// Inside is the part of a storage, from one offset to before another, in which a place without an element is padding:
// from the first element to the last, and as far behind that one as its row, its block or its pitch goes. What lies before
// and behind is outside of the tensor. In an empty tensor's storage all is padding.
//
//	(5):(1)@3 of 10      3, 8
//	(2,3):(5,1) of 12    0, 10: two places behind each row
func Inside(l tensor.Layout) (from, end int) {
	low, high, ok := l.Span()
	if !ok {
		return 0, l.Alloc()
	}
	from, end = min(max(low, 0), l.Alloc()), max(0, min(high+1, l.Alloc()))
	return from, max(from, end+sort.Search(l.Alloc()-end, func(n int) bool {
		p := explain.NewPadding(l, end+n)
		return p.Kind == explain.PadAfter && p.Over == nil
	}))
}
