package relate

import (
	"fmt"
	"math"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Values are the elements of a tensor, dense and in row-major order of its dims.
type Values struct {
	Bytes []byte
	Type  dtype.Type
	Shape []int
	Names []string // of the dims; empty: d0, d1, …
}

// Loop runs N times, each time Step elements further in A.
type Loop struct {
	N    int `json:"n"`
	Step int `json:"step"`
}

// Affine is b = Factor·a + Offset, within rounding to B's dtype.
type Affine struct {
	Factor float64 `json:"factor"` // b / a
	Offset float64 `json:"addend"` // b where a is 0
}

// Kind names a relation in one word.
type Kind string

// The kinds. A relation of several mistakes has the first that applies.
const (
	Shuffled  Kind = "shuffled"  // the same elements, each as often; no order was found
	Blocked   Kind = "blocked"   // a dim is cut into blocks
	Pitched   Kind = "pitched"   // padding after each row
	Followed  Kind = "followed"  // others follow a's elements
	Shifted   Kind = "shifted"   // the elements begin later or earlier
	Part      Kind = "part"      // some of A's elements
	Repeated  Kind = "repeated"  // elements occur several times
	Reread    Kind = "reread"    // A's memory read under another shape, then permuted
	Permuted  Kind = "permuted"  // B's dims are A's in another order, as its shape says
	Relabeled Kind = "relabeled" // A's dims in another order, under a shape that does not say so
	Reversed  Kind = "reversed"  // dims run backwards
	Converted Kind = "converted" // the same order: byte order, dtype, factor or offset differ
	Reshaped  Kind = "reshaped"  // the same elements in the same order under another shape
	Same      Kind = "same"
)

// Relation is the map from B's memory to A's, as JSON has it: B's element j is A's element
//
//	Base + Σ digit_k(j − Skip) · Loops[k].Step
//
// where the digits are in mixed radix of the N's, least significant first. Positions before Skip or beyond the loops, and those that the
// map leads out of a dim of A, are padding. Digits of Order are C//4 and C%4; it is nil if the map does not make an order of A's dims, and Loops are empty
// if Shuffled.
type Relation struct {
	Kind      Kind     `json:"kind"`
	Base      int      `json:"first_elem"`                                 // a's element under b's first
	Skip      int      `json:"skip_elems"`                                 // elements of b before a's
	Loops     []Loop   `json:"map"`                                        // innermost first; steps in elements of a
	Explained float64  `json:"explained"`                                  // share of b's elements
	Order     []string `json:"b_memory_order" jsonschema:"null of string"` // a's dims in b, outermost first
	Reversed  []string `json:"reversed_dims" jsonschema:"null of string"`  // run backwards in b
	DType     string   `json:"values_as,omitempty"`                        // dtype to which values were converted
	Swapped   bool     `json:"swapped"`                                    // bytes of each element
	Scale     *Affine  `json:"scaled"`                                     // b = factor · a + addend
	Ambiguous bool     `json:"map_ambiguous"`                              // other maps explain as much
	Why       string   `json:"why,omitempty"`

	Sentence string `json:"-"` // what B is, in terms of A: "holds a's elements in memory order N H W C, …"
	As       string `json:"-"` // how it may have come about: "as if written by transpose(0,2,3,1) and read as (2,3,4,5)", or ""
	Viewed   bool   `json:"-"` // B reads the bits of A's elements as DType

	Count   int `json:"-"` // elements of B
	Padding int `json:"-"` // of them, those outside of A
	Differ  int `json:"-"` // of the others, those that the map does not explain: Explained is 1 − Differ/(Count − Padding)

	Layout   tensor.Layout `json:"-"` // B's memory with A's dims; valid if IsLayout
	IsLayout bool          `json:"-"`
	Counted  bool          `json:"-"` // Differ is by Options.Count
}

// Options configure Find.
type Options struct {
	Threads int
	Alike   bool // both have the same elements, by their fingerprints: that a map explains them is no chance
	// Count, if not nil, counts the elements of A that differ from those of B's memory in a layout of A's dims; ok is false if it cannot.
	Count func(l tensor.Layout) (differ int, ok bool)
	// Budget bounds the search; nil is that of a command that makes no other.
	Budget *Budget

	unread *int // elements of A that searches by value may still read
}

// mostRead bounds the elements of A that searches by value read. Beyond, most float32 occur in any tensor, and only hypotheses are tried.
const mostRead = 1 << 27

// fewest is the number of elements that prove a map, unless both tensors are known to have the same.
const fewest = 4

// Find returns the relation of B to A; nil without one, and for fewer than 4 elements.
//
// A relation explains at least 90 % of the elements of B that are not padding, clearly more than chance does. The tensors are only read.
// A search whose budget ended may have missed one.
func Find(a, b Values, o Options) *Relation {
	if !a.valid() || !b.valid() {
		return nil
	}
	if !o.Alike && min(len(a.Bytes)/a.Type.ItemSize(), len(b.Bytes)/b.Type.ItemSize()) < fewest {
		return nil
	}
	unread := mostRead
	o.unread = &unread
	if o.Budget == nil {
		o.Budget = NewWork().Budget(len(a.Bytes) + len(b.Bytes))
	}
	all := lenses(a, b)
	for _, search := range []func(lens, Options) *found{lens.find, lens.behind} {
		for _, l := range all {
			if o.Budget.Out() {
				break
			}
			if f := search(l, o); f != nil {
				return describe(f, a, b)
			}
		}
	}
	return shuffled(a, b, o.Budget)
}

// valid reports whether the bytes are those of the shape's elements, at least two.
func (v Values) valid() bool {
	n, err := tensor.Numel(v.Shape)
	size := v.Type.ItemSize()
	return err == nil && n > 1 && size > 0 && len(v.Bytes)%size == 0 && len(v.Bytes)/size == n &&
		(len(v.Names) == 0 || len(v.Names) == len(v.Shape))
}

// find returns the numeral of B under the lens; nil without one. Guesses read few elements, so they come first.
func (l lens) find(o Options) *found {
	s := newSearch(l, o)
	s.permuted()
	if best := s.best(); best != nil || s.scale == nil && !s.shares() {
		return best
	}
	s.guess()
	if best := s.best(); best != nil || s.scale != nil {
		return best
	}
	s.learn()
	return s.best()
}

// behind finds the numeral of B's elements behind others, such as a header read as data.
func (l lens) behind(o Options) *found {
	var skips []int
	if longer := l.b.n - l.a.n; longer > 0 && longer <= maxShift {
		skips = append(skips, longer)
	}
	if l.scale == nil {
		skips = append(skips, newSearch(l, o).leads()...)
	}
	var best *found
	for _, skip := range skips {
		if o.Budget.Out() {
			break
		}
		rest := l
		rest.b.Bytes, rest.b.Shape, rest.b.n = l.b.Bytes[skip*l.b.size:], l.a.Shape, min(l.a.n, l.b.n-skip)
		if f := rest.find(o); f != nil {
			f.skip = f.skip + skip
			f.total = l.b.n
			if best == nil || f.unexplained() < best.unexplained() {
				best = f
			}
		}
	}
	return best
}

// leads returns how many elements B may begin with that are none of A's: up to where most are. The very next may be unmatched.
func (s *search) leads() []int {
	const most, window = 512, 8
	places, _ := s.find(ints.Range(most + window))
	for from := range min(most, s.b.n/2) {
		ours := 0
		for _, p := range places[from : from+window] {
			ours += min(1, len(p))
		}
		if ours >= window-2 {
			return []int{from, from + 1, from + 2}
		}
	}
	return nil
}

// shuffled returns the relation of two tensors of the same multiset of elements, if there are enough different ones to tell.
func shuffled(a, b Values, budget *Budget) *Relation {
	if !a.Type.Equal(b.Type) || len(a.Bytes) != len(b.Bytes) {
		return nil
	}
	f := Of(a.Bytes, a.Type)
	n := min(f.Count, 4096)
	different := map[uint64]bool{}
	for i := range n {
		different[wide(a.Bytes[i*f.Size:(i+1)*f.Size])] = true
	}
	if float64(len(different)-1)*math.Log2(float64(f.Count)) < 40 || Of(b.Bytes, b.Type) != f {
		return nil
	}
	r := &Relation{Kind: Shuffled, Count: f.Count, Loops: []Loop{}, Sentence: "holds a's elements in an unknown order"}
	if budget.Out() {
		r.Why = NotFound(budget)
	}
	return r
}

// NotFound says that a search ended with its budget.
func NotFound(b *Budget) string {
	return fmt.Sprintf("no order found within %d comparisons", b.Taken())
}
