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
	Kind      Kind       `json:"kind"`
	Base      int        `json:"first_elem"`                                 // a's element under b's first
	Skip      int        `json:"skip_elems"`                                 // elements of b before a's
	Loops     []Loop     `json:"map"`                                        // innermost first; steps in elements of a
	Explained float64    `json:"explained"`                                  // share of b's elements
	Order     []string   `json:"b_memory_order" jsonschema:"null of string"` // a's dims in b, outermost first
	Reversed  []string   `json:"reversed_dims" jsonschema:"null of string"`  // run backwards in b
	DType     string     `json:"values_as,omitempty"`                        // dtype to which values were converted
	Swapped   bool       `json:"swapped"`                                    // bytes of each element
	Scale     *Affine    `json:"scaled"`                                     // b = factor · a + addend
	Tolerance *Tolerance `json:"tolerance"`                                  // null if b has a's numbers, but for rounding to its dtype
	Ambiguous bool       `json:"map_ambiguous"`                              // other maps explain as much
	Why       string     `json:"why,omitempty"`

	Sentence string `json:"-"` // what B is, in terms of A: "holds a's elements in memory order N H W C, …"
	As       string `json:"-"` // how it may have come about: "as if written by transpose(0,2,3,1) and read as (2,3,4,5)", or ""
	Values   string `json:"-"` // how its values were changed, each change after a comma: ", as bfloat16, times 2"
	Undo     Undo   `json:"-"` // what reads A's elements in B's memory
	Viewed   bool   `json:"-"` // B reads the bits of A's elements as DType

	Count   int `json:"-"` // elements of B
	Padding int `json:"-"` // of them, those outside of A
	Differ  int `json:"-"` // of the others, those that the map does not explain: Explained is 1 − Differ/(Count − Padding)

	Layout   tensor.Layout `json:"-"` // B's memory with A's dims; valid if IsLayout
	IsLayout bool          `json:"-"`
	Counted  bool          `json:"-"` // Differ is by Options.Count
}

// ChangesValues reports whether elements of B are not those of A bit for bit: their dtype, byte order, factor or offset differ.
func (r *Relation) ChangesValues() bool {
	return r.DType != "" || r.Scale != nil || r.Swapped || r.Tolerance != nil
}

// IsPart reports whether B lacks elements of A, or has others.
func (r *Relation) IsPart() bool {
	switch r.Kind {
	case Followed, Shifted, Part, Repeated:
		return true
	}
	return false
}

// Options configure Find.
type Options struct {
	Threads int
	Alike   bool // both have the same elements, by their fingerprints: that a map explains them is no chance
	// Count, if not nil, counts the elements of A that differ from those of B's memory in a layout of A's dims; ok is false if it cannot.
	Count func(l tensor.Layout) (differ int, ok bool)
	// Near, if not nil, is how far numbers may be apart. Without it, as far as most are found to be.
	Near *Near
	// Budget bounds the search; nil is that of a command that makes no other.
	Budget *Budget

	unread *int // elements of A that searches by value may still read
}

// maxRead bounds the elements of A that searches by value read. Beyond, most float32 occur in any tensor, and only hypotheses are tried.
const maxRead = 1 << 27

// minElements is the number of elements that prove a map, unless both tensors are known to have the same.
const minElements = 4

// Find returns the relation of B to A; nil without one, and for fewer than 4 elements.
//
// A relation explains at least 90 % of the elements of B that are not padding, clearly more than chance does. The tensors are only read.
// A search whose budget ended may have missed one.
func Find(a, b Values, o Options) *Relation {
	if !a.valid() || !b.valid() {
		return nil
	}
	if !o.Alike && min(len(a.Bytes)/a.Type.ItemSize(), len(b.Bytes)/b.Type.ItemSize()) < minElements {
		return nil
	}
	unread := maxRead
	o.unread = &unread
	if o.Budget == nil {
		o.Budget = NewWork().Budget(len(a.Bytes) + len(b.Bytes))
	}
	if f := firstFound(lenses(a, b), o); f != nil {
		return describe(f, a, b)
	}
	if r := shuffled(a, b, o.Budget); r != nil {
		return r
	}
	if o.Alike {
		return nil
	}
	rest := o
	rest.Budget = o.Budget.another()
	defer o.Budget.add(rest.Budget)
	if f := firstFound(noisyLenses(a, b, o.Near), rest); f != nil {
		return describe(f, a, b)
	}
	return nil
}

// firstFound returns the nest of the first lens that has one, of B's elements as they are before those behind others.
func firstFound(all []lens, o Options) *found {
	for _, search := range []func(lens, Options) *found{lens.find, lens.findAfter} {
		for _, l := range all {
			if o.Budget.Out() {
				return nil
			}
			if f := search(l, o); f != nil {
				return f
			}
		}
	}
	return nil
}

// valid reports whether the bytes are those of the shape's elements, at least two.
func (v Values) valid() bool {
	n, err := tensor.Numel(v.Shape)
	if err != nil || n < 2 {
		return false
	}
	size := v.Type.ItemSize()
	if size == 0 || len(v.Bytes)%size != 0 || len(v.Bytes)/size != n {
		return false
	}
	return len(v.Names) == 0 || len(v.Names) == len(v.Shape)
}

// find returns the nest of B under the lens; nil without one. Guesses read few elements, so they come first.
func (l lens) find(o Options) *found {
	s := newSearch(l, o)
	s.permuted()
	if best := s.best(); best != nil {
		return best
	}
	byLine := s.scale != nil // elements are near, and cannot be looked up by their values
	if !byLine && !s.shares() {
		return nil
	}
	s.guess()
	if best := s.best(); best != nil || byLine {
		return best
	}
	if s.raw {
		s.rows()
		if best := s.best(); best != nil {
			return best
		}
	}
	s.learn()
	return s.best()
}

// findAfter finds the nest of B's elements behind others, such as a header read as data.
func (l lens) findAfter(o Options) *found {
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

// leads returns how many elements B may begin with that are none of A's: up to where most of the next ones are. One or two unknown elements may
// come before those.
func (s *search) leads() []int {
	const maxLead = 512 // a header of 2 KiB of float32
	const window = 8
	const unknown = 2 // of a window: elements that occur too often, or were changed
	places, _ := s.find(ints.Range(maxLead + window))
	for from := range min(maxLead, s.b.n/2) {
		ofA := 0
		for _, p := range places[from : from+window] {
			ofA += min(1, len(p))
		}
		if ofA >= window-unknown {
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
	const sample = 4096
	// minBits is what it takes, at least, to state how often each of the different elements occurs: of fewer, equal multisets are a coincidence, as
	// of masks.
	const minBits = 40
	f := Of(a.Bytes, a.Type)
	different := map[uint64]bool{}
	for i := range min(f.Count, sample) {
		different[wide(a.Bytes[i*f.Size:(i+1)*f.Size])] = true
	}
	bits := float64(len(different)-1) * math.Log2(float64(f.Count))
	if bits < minBits || Of(b.Bytes, b.Type) != f {
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
