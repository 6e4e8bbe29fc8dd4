package relate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Undo is what reads B's memory as A's elements, in their order.
type Undo int

// The ways to undo a mistake.
const (
	NotUndone Undo = iota // elements of A are missing or repeated, or their order is unknown
	ByLayout              // Relation.Layout: B's memory with A's dims
	ByInverse             // the inverse of the map, which has each element of A once
)

// mistake is a row of orderMistakes or loopMistakes: how a map of this kind is reported.
//
// To add a layout mistake: its Kind in relation.go; a row of orderMistakes if the nest is an order of A's dims, else of loopMistakes; the nests that it
// makes in hypotheses.go, where guess tries them; a mistake of random_test.go, and a thread in cmd/tlayout/testdata/script/diff_threads.txtar.
type mistake struct {
	kind     Kind
	matches  func(*facts) bool // the nest is of this kind, and of none of the rows before
	sentence string            // Relation.Sentence, with the words of facts.fill
	as       string            // Relation.As, with the same words
	undo     Undo              // if the nest allows it
}

// orderMistakes are the mistakes of loops that are an order of A's dims. The first that matches is reported.
var orderMistakes = []mistake{
	{Shifted, (*facts).skipsInOrder, "holds a's elements after {skipped}", "", ByLayout},
	{Shifted, (*facts).skips, "holds a's elements after {skipped}, in memory order {order}", "", ByLayout},
	{Part, (*facts).cutInOrder, "holds the first {total} of a's elements", "", NotUndone},
	{Part, (*facts).cut, "holds the first {total} of a's elements in memory order {order}", "", NotUndone},
	{Blocked, func(x *facts) bool { return x.blocked }, "holds a's elements in memory order {order}", "", ByLayout},
	{Followed, (*facts).followedInOrder, "begins with {a's} elements, then {rest}", "", ByLayout},
	{Followed, (*facts).followed, "begins with {a's} elements in memory order {order}, then {rest}", "", ByLayout},
	{Pitched, func(x *facts) bool { return x.padded }, "holds a's elements in memory order {order}, with padding between them", "", ByLayout},
	{Permuted, (*facts).permutesShape, "holds a's elements in memory order {order}", "as if written by transpose{dims}", ByLayout},
	{Relabeled, (*facts).permutes, "holds a's elements in memory order {order}, under the shape {b}",
		"as if written by transpose{dims} and read as {b}", ByLayout},
	{Reversed, func(x *facts) bool { return len(x.Relation.Reversed) > 0 }, "holds a's elements", "", ByLayout},
	{Reshaped, (*facts).reshapes, "holds a's elements in the same order, under the shape {b}", "", ByLayout},
	{Converted, func(x *facts) bool { return x.ChangesValues() }, "holds a's elements in the same order", "", ByLayout},
	{Same, always, "holds a's elements in the same order", "", ByLayout},
}

// loopMistakes are the mistakes of loops that do not make an order of A's dims. The first that matches is reported.
var loopMistakes = []mistake{
	{Shifted, (*facts).startsLater, "holds a's elements from element {first} on", "", NotUndone},
	{Shifted, (*facts).movesStretch, "holds a's elements after {before}", "", NotUndone},
	{Repeated, (*facts).repeats, "repeats a's elements", "", NotUndone},
	{Reread, (*facts).permutesReading, "holds a's memory as read under the shape {read} and then permuted",
		"as if a's memory was read as {read} and written by transpose{dims}", ByInverse},
	{Reread, (*facts).swapsHalves, "holds a's elements with the halves exchanged", "", ByInverse},
	{Followed, (*facts).followed, "begins with {a's} elements, then {rest}", "", NotUndone},
	{Pitched, (*facts).leavesGaps, "holds a's elements with padding between them", "", NotUndone},
	{Part, (*facts).lacksElements, "holds {elements} of a's {all} elements", "", NotUndone},
	{Reread, always, "holds a's elements in another order", "", ByInverse},
}

// facts are what the mistakes are told from.
type facts struct {
	*found
	*Relation
	b Values

	order           []int // A's dims, outermost in B first; of loopMistakes, the dims of read
	read            []int // shape under which A's memory was read; nil without one
	blocked, padded bool  // digits of a dim, or positions of B that are no elements of A, among the others
}

// classify sets the kind, the sentence and what undoes the mistake, by the first row that matches.
func (x *facts) classify(rows []mistake) {
	m := rows[slices.IndexFunc(rows, func(m mistake) bool { return m.matches(x) })]
	x.Kind = m.kind
	x.Sentence = x.fill(m.sentence)
	x.As = x.fill(m.as)
	switch m.undo {
	case ByLayout:
		if x.IsLayout {
			x.Undo = ByLayout
		}
	case ByInverse:
		if x.isBijection() {
			x.Undo = ByInverse
		}
	}
}

// fill replaces the words of a sentence in braces.
func (x *facts) fill(sentence string) string {
	var filled strings.Builder
	for {
		before, rest, found := strings.Cut(sentence, "{")
		filled.WriteString(before)
		if !found {
			return filled.String()
		}
		word, after, _ := strings.Cut(rest, "}")
		filled.WriteString(x.word(word))
		sentence = after
	}
}

// word returns what a word in braces stands for.
func (x *facts) word(word string) string {
	others := func(n int) string { return text.Count(n, "other") }
	switch word {
	case "order":
		return strings.Join(x.Order, " ")
	case "dims":
		return "(" + text.Ints(x.order, ",") + ")"
	case "b":
		return tensor.Tuple(x.b.Shape)
	case "read":
		return tensor.Tuple(x.read)
	case "first":
		return strconv.Itoa(x.base)
	case "skipped":
		return others(x.skip)
	case "before":
		return others(x.skip - x.base)
	case "rest":
		return others(x.found.total - x.elements)
	case "a's":
		if x.elements < x.a.n {
			return strconv.Itoa(x.elements) + " of a's"
		}
		return "a's"
	case "elements":
		return strconv.Itoa(x.elements)
	case "total":
		return strconv.Itoa(x.found.total)
	case "all":
		return strconv.Itoa(x.a.n)
	}
	panic("no word {" + word + "}")
}

func always(*facts) bool { return true }

func (x *facts) sorted() bool       { return slices.IsSorted(x.order) }
func (x *facts) permutes() bool     { return !x.sorted() }
func (x *facts) skips() bool        { return x.skip > 0 }
func (x *facts) skipsInOrder() bool { return x.skips() && x.sorted() }
func (x *facts) reshapes() bool     { return !slices.Equal(x.a.Shape, x.b.Shape) }

// cut reports whether B is shorter than A: A's last elements in the order are missing.
func (x *facts) cut() bool        { return x.total < x.a.n }
func (x *facts) cutInOrder() bool { return x.cut() && x.sorted() && !x.blocked }

// leavesGaps reports whether positions of B are no elements of A.
func (x *facts) leavesGaps() bool { return x.elements < x.total }

// followed reports whether these positions come after all elements of A that B has.
func (x *facts) followed() bool        { return x.leavesGaps() && x.comeFirst() }
func (x *facts) followedInOrder() bool { return x.followed() && x.sorted() }

// permutesShape reports whether B's shape is A's in the order of the dims.
func (x *facts) permutesShape() bool {
	return x.permutes() && slices.Equal(sizes(x.a.Shape, x.order), x.b.Shape)
}

// isStretch reports whether the elements are consecutive in A, too.
func (x *facts) isStretch() bool { return len(x.loops) == 1 && x.loops[0].Step == 1 }

// startsLater reports whether B begins with an element of A that is not the first.
func (x *facts) startsLater() bool { return x.isStretch() && x.skip == 0 && x.base > 0 }

// movesStretch reports whether A's elements are at other positions of B.
func (x *facts) movesStretch() bool { return x.isStretch() && (x.base != 0 || x.skip != 0) }

func (x *facts) repeats() bool {
	return slices.ContainsFunc(x.loops, func(l Loop) bool { return l.Step == 0 })
}

// permutesReading reports whether A's memory under another shape, with its dims permuted, is B.
func (x *facts) permutesReading() bool { return x.read != nil && x.permutes() }

func (x *facts) swapsHalves() bool {
	return len(x.loops) == 2 && x.loops[0].Step == 1 && x.loops[1] == Loop{2, -x.loops[0].N}
}

func (x *facts) lacksElements() bool { return x.elements < x.a.n }

// isBijection reports whether each position of B is another element of A, and each element of A is one.
func (x *facts) isBijection() bool { return x.skip == 0 && !x.leavesGaps() && x.total == x.a.n }
