package printed

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// reading is what a text says of a tensor.
type reading struct {
	sizes    []count // nil: it says none
	strides  []count // nil: row-major, or place
	offset   count
	inBytes  bool // the strides count bytes
	guessed  bool // the strides count bytes where they may, as NumPy's
	lone     bool // strides without sizes, or an order: the sizes are a flag's
	element  *dtype.Type
	width    string // the usual type for elements whose size is known alone; empty: unknown
	notes    []string
	isMasked bool // elements outside of a mask are not in memory

	place func(sizes []int) (tensor.Layout, error) // of layouts that are no strides
	named *notation.Layout                         // a layout that needs nothing else of the text
	isC   claim                                    // C_CONTIGUOUS
	isF   claim                                    // F_CONTIGUOUS
}

// claim is what a text says of an order.
type claim int

const (
	unsaid claim = iota
	yes
	no
)

// count is a printed number, or the text of one that only the running program knows: ?, s0, 64*s1.
type count struct {
	n    int
	open string // that text; empty: n
}

// counts reads a list of numbers.
func counts(list string) ([]count, error) {
	all := []count{}
	for _, word := range notation.SplitList(list) {
		c, err := countOf(word)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func countOf(word string) (count, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(word, "_")) // CuTe's _4
	if err == nil {
		return count{n: n}, nil
	}
	if errors.Is(err, strconv.ErrRange) {
		return count{}, fault.New(fault.Usage, "%s overflows a 64-bit address", text.Quote(text.Cut(word, 40)))
	}
	return count{open: word}, nil
}

// numbers returns the counts as numbers; ok is false if one is open.
func numbers(all []count) (ns []int, ok bool) {
	ns = make([]int, len(all))
	for k, c := range all {
		if c.open != "" {
			return nil, false
		}
		ns[k] = c.n
	}
	return ns, true
}

// value returns the number, with those of names: a product of names and numbers.
func (c count) value(names map[string]int) (int, bool) {
	if c.open == "" {
		return c.n, true
	}
	product := 1
	for _, factor := range strings.Split(strings.Trim(c.open, "()"), "*") {
		n, known := names[factor]
		if !known {
			var err error
			n, err = strconv.Atoi(factor)
			if err != nil {
				return 0, false
			}
		}
		var fits bool
		product, fits = tensor.Mul(product, n)
		if !fits {
			return 0, false
		}
	}
	return product, true
}

// writeNumbers is the hint for a number that only the running program knows.
const writeNumbers = "write a number for each dynamic size, stride and offset"

// open returns the error for the first number that is open; nil if all are known.
func (r *reading) open() *fault.Error {
	if r.lone {
		return fault.New(fault.Usage, "it has no sizes")
	}
	for _, list := range []struct {
		what string
		all  []count
	}{{"size", r.sizes}, {"stride", r.strides}} {
		for d, c := range list.all {
			if c.open != "" {
				return fault.New(fault.Usage, "%s %s of dim %d is no number", list.what, text.Quote(text.Cut(c.open, 20)), d)
			}
		}
	}
	if r.offset.open != "" {
		return fault.New(fault.Usage, "offset %s is no number", text.Quote(text.Cut(r.offset.open, 20)))
	}
	return nil
}

// layout returns the layout of text s: with sizes, or, where the text leaves numbers open, one that takes the sizes of a tensor.
func (r *reading) layout(s string) (notation.Layout, error) {
	if r.named != nil {
		l, err := r.elements(*r.named)
		l.DType = cmp.Or(l.DType, r.width)
		l.Note = joined(append([]string{l.Note}, r.notes...))
		return l, err
	}
	open := r.open()
	if open == nil {
		sizes, _ := numbers(r.sizes)
		l, err := r.bound(sizes)
		l.DType = cmp.Or(l.DType, r.width)
		return l, err
	}
	example := r.example()
	if example == "" {
		return notation.Layout{}, open.WithHint(writeNumbers)
	}
	sized := func(sizes []int) (tensor.Layout, error) {
		l, err := r.bound(sizes)
		if err != nil {
			return tensor.Layout{}, about(s, err)
		}
		if l.Exact == nil {
			return tensor.Layout{}, about(s, unknown())
		}
		return *l.Exact, nil
	}
	hint := writeNumbers + ", or the sizes: tlayout inspect --shape " + example + " --from " + text.Shell(strings.TrimSpace(s))
	if r.lone {
		hint = strings.TrimPrefix(hint, writeNumbers+", or the sizes: ")
	}
	lacks := about(s, open.WithHint("%s", hint))
	fits := func(int, string) error { return nil }
	return notation.Layout{Sized: sized, Fits: fits, Lacks: lacks, DType: r.width, Note: joined(r.notes)}, nil
}

// elements returns a named layout for elements of the text's type.
func (r *reading) elements(l notation.Layout) (notation.Layout, error) {
	if r.element == nil {
		return l, nil
	}
	return l.ForElements(r.element.Bits())
}

// example returns sizes for a hint, 8 for those that are open; empty if sizes would not help: a stride of no name is open.
func (r *reading) example() string {
	if r.lone {
		rank := max(1, len(r.strides), len(r.sizes))
		return strings.TrimSuffix(strings.Repeat("8,", rank), ",")
	}
	sizes := make([]int, len(r.sizes))
	for d, c := range r.sizes {
		sizes[d] = c.n
		if c.open != "" {
			sizes[d] = 8
		}
	}
	if r.place == nil {
		_, err := r.strided(sizes)
		if err != nil {
			return ""
		}
	}
	return text.Ints(sizes, ",")
}

// bound returns the layout for sizes, which must be those of the text where it has them.
func (r *reading) bound(sizes []int) (notation.Layout, error) {
	if !r.lone && len(sizes) != len(r.sizes) {
		return notation.Layout{}, fault.New(fault.Usage, "it has %s, the sizes are %s", text.Count(len(r.sizes), "dim"), tensor.Tuple(sizes))
	}
	for d, c := range r.sizes {
		if c.open == "" && c.n != sizes[d] {
			return notation.Layout{}, fault.New(fault.Usage, "size %d of dim %d is not %d", c.n, d, sizes[d])
		}
	}
	if r.place != nil {
		l, err := r.place(sizes)
		return notation.Layout{Exact: &l, Note: joined(r.notes)}, err
	}
	s, err := r.strided(sizes)
	if err != nil {
		return notation.Layout{}, err
	}
	l, err := r.counted(s)
	if err != nil {
		return l, err
	}
	l.Note = joined(append([]string{l.Note}, append(r.notes, r.contradictions(l)...)...))
	return l, nil
}

// strided returns sizes, strides and offset as numbers.
func (r *reading) strided(sizes []int) (tensor.Strided, error) {
	if r.strides == nil {
		if r.isC != yes && r.isF == yes {
			return tensor.ColumnMajor(sizes)
		}
		return tensor.Packed(sizes)
	}
	if len(r.strides) != len(sizes) {
		return tensor.Strided{}, fault.New(fault.Usage, "%d strides for %s", len(r.strides), text.Count(len(sizes), "dim"))
	}
	names := map[string]int{}
	for d, c := range r.sizes {
		if scan.NameLength(c.open) == len(c.open) {
			names[c.open] = sizes[d]
		}
	}
	strides := make([]int, len(sizes))
	for d, c := range r.strides {
		n, known := c.value(names)
		if !known {
			return tensor.Strided{}, fault.New(fault.Usage, "stride %s of dim %d is no number", text.Quote(text.Cut(c.open, 20)), d).WithHint(writeNumbers)
		}
		strides[d] = n
	}
	offset, known := r.offset.value(names)
	if !known {
		return tensor.Strided{}, fault.New(fault.Usage, "offset %s is no number", text.Quote(text.Cut(r.offset.open, 20))).WithHint(writeNumbers)
	}
	return tensor.NewStrided(sizes, strides, offset)
}

// counted returns the layout of strides in elements or bytes.
func (r *reading) counted(s tensor.Strided) (notation.Layout, error) {
	if r.strides == nil || !r.inBytes && !r.guessed {
		return notation.InElements(s)
	}
	l, err := notation.InBytes(s, r.guessed)
	if err != nil {
		return l, err
	}
	return r.elements(l)
}

// contradictions returns a remark on each flag that the layout does not have.
func (r *reading) contradictions(l notation.Layout) (notes []string) {
	if l.Exact == nil {
		return nil
	}
	s, ok := l.Exact.Strided()
	if !ok {
		return nil
	}
	for _, c := range []struct {
		name string
		said claim
		is   bool
	}{{"C_CONTIGUOUS", r.isC, s.CContiguous().OK}, {"F_CONTIGUOUS", r.isF, s.FContiguous().OK}} {
		if c.said == yes && !c.is {
			notes = append(notes, c.name+" is said to be true, but the strides "+tensor.Tuple(s.Strides)+" are not")
		}
		if c.said == no && c.is && !r.isMasked {
			notes = append(notes, c.name+" is said to be false, but the strides "+tensor.Tuple(s.Strides)+" are")
		}
	}
	return notes
}

// joined joins remarks, without empty ones.
func joined(notes []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(notes), func(s string) bool { return s == "" }), "; ")
}
