package framework

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Answer is whether a framework accepts a tensor without a copy.
type Answer struct {
	OK        bool
	Unchecked bool     // no one has tried the type there: neither a yes nor a no
	Why       string   // the reason of a no, or a remark on a yes
	Brief     []string // Why for a narrow screen: without asides, workarounds and the framework's own words
	As        As
}

// Result is the answer in a word.
func (a Answer) Result() tensor.Answer {
	if a.Unchecked {
		return tensor.Unknown
	}
	if a.OK {
		return tensor.Yes
	}
	return tensor.No
}

// clause is a part of a reason; brief is its short form for a narrow screen, which may be empty.
type clause struct{ full, brief string }

// uncut returns a clause whose short form is itself.
func uncut(text string) clause { return clause{text, text} }

// and adds the non-empty clauses to the answer.
func (a Answer) and(clauses ...clause) Answer {
	for _, c := range clauses {
		a.Why = strings.Join(nonEmpty(a.Why, c.full), "; ")
		if c.brief != "" {
			a.Brief = append(a.Brief, c.brief)
		}
	}
	return a
}

// And adds a clause.
func (a Answer) And(text string) Answer { return a.and(uncut(text)) }

// As says which dims the framework is given.
type As string

// The values of As.
const (
	Logical  As = "logical"  // the tensor's own, in logical order
	Physical As = "physical" // the axes of memory
	Split    As = "split"    // a dim per digit, next to the dim that it belongs to
)

func yes(as As, why ...clause) Answer { return Answer{OK: true, As: as}.and(why...) }

func no(format string, args ...any) Answer { return Answer{}.And(fmt.Sprintf(format, args...)) }

// instead adds a workaround to a no.
func (a Answer) instead(format string, args ...any) Answer {
	return a.and(clause{full: fmt.Sprintf(format, args...)})
}

const (
	noName   = "no name for this order"
	noOrder  = "its blocks have no order"
	noBlocks = "its shapes cannot express blocks"
	untyped  = "its types are not checked"
)

// Offer is a tensor to be accepted by a framework.
type Offer struct {
	Layout      tensor.Layout     // of the logical tensor
	Stored      tensor.Layout     // the array in its file, over the file's own axes; Layout without a file
	Orders      []notation.Format // the memory orders with this dense layout: several if strides are ambiguous, none if there are gaps
	Order       *notation.Format  // the order of its axes, with or without gaps; nil if they have none
	Overlapping tensor.Answer     // Layout.Occupancy().Overlapping, which may be slow to count
	DType       dtype.Type
	Header      int    // characters of the .npy file's header; 0 without a file
	Copy        string // size of a copy, as text
}

// Supported returns the orders whose names the framework accepts if strides are ambiguous. A name that goes with the shape of memory
// must be the first one's.
func (f *Framework) Supported(orders []notation.Format) []notation.Format {
	if f.as() == Physical && len(orders) > 1 {
		return orders[:1]
	}
	return orders
}

// blocked reports whether the order has blocks, even if a size needs only one and strides could describe it.
func (o Offer) blocked() bool {
	_, plain := o.Layout.Strided()
	return !plain || len(o.Orders) > 0 && !o.Orders[0].Plain()
}

// axes returns the sizes of memory's axes; nil if they have no order.
func (o Offer) axes() []int {
	if o.Order == nil {
		return nil
	}
	shape := []int{}
	for _, a := range o.Order.Axes() {
		shape = append(shape, a.DigitOf(o.Layout).Extent)
	}
	return shape
}

// Dims returns the sizes and strides, in elements, of the dims that a framework is given. Blocked dims have no strides of their own: as
// Logical, they are zero.
func (o Offer) Dims(as As) tensor.Strided {
	s, _ := o.Layout.Strided()
	switch as {
	case Split:
		return notation.SplitDims(o.Layout)
	case Physical:
		s = tensor.Strided{Offset: o.Layout.Offset()}
		order := o.Order
		if len(o.Orders) > 0 {
			order = &o.Orders[0]
		}
		for _, a := range order.Axes() {
			g := a.DigitOf(o.Layout)
			s.Shape = append(s.Shape, g.Extent)
			s.Strides = append(s.Strides, g.Stride)
		}
	}
	return s
}

// Accepts returns whether the framework accepts a tensor without a copy: by its type, and by its strides, the name of its order or
// format, or, if its dims are in blocks, as a tensor of other dims over the same memory. A framework for arrays is given the array as
// stored.
func (f *Framework) Accepts(o Offer) Answer {
	if f == PyTorch && o.DType.Packed() && o.DType.String() == "float4_e2m1fn" {
		return acceptsPairs(o)
	}
	if a, decided := f.answersType(o.DType); decided {
		return a
	}
	if f.MaxHeader > 0 && o.Header > f.MaxHeader {
		return no("np.load refuses a header of %d characters, over the limit of %d", o.Header, f.MaxHeader).
			instead("np.load(f, max_header_size=%d) reads it; so does allow_pickle=True, for a trusted file", o.Header)
	}
	seen := o
	if f.Stored {
		seen = o.asStored()
	}
	a := f.acceptsLayout(seen)
	if !a.OK {
		return a
	}
	for _, why := range []clause{f.refusesAddress(seen), f.refusesParts(seen), f.refusesHalves(seen)} {
		if why.full != "" {
			return Answer{}.and(why)
		}
	}
	return a.and(f.remarks(o, a)...)
}

// remarks returns what to add to a yes.
func (f *Framework) remarks(o Offer, a Answer) []clause {
	if f.Types == "" && a.Why == "" {
		return []clause{uncut("by its layout"), uncut(untyped)}
	}
	if f.Types == "" {
		return []clause{uncut(untyped)}
	}
	if f.remark == nil {
		return nil
	}
	return f.remark(f, o)
}

// convention returns how the framework is told an order, whose dims may be in blocks.
//
// To add a rule of acceptance: a field of Framework and the Convention, or the refusal, that follows from it; a word in TestConventions and in
// testdata/headers.txt. Alignment and pitch are in align.go. Readers of DLPack are asked: testdata/dlpack.py writes dlpack.txt, with which a test
// compares every answer.
func (f *Framework) convention(blocked bool) Convention {
	if blocked {
		return f.Blocks
	}
	return f.Order
}

// as returns which dims the framework is given of a tensor without blocks.
func (f *Framework) as() As {
	if f.Sizes == OfTensor {
		return Logical
	}
	return Physical
}

// acceptsLayout answers for the sizes and strides of a tensor by the framework's convention, as AcceptsOrder does for an order without
// sizes.
func (f *Framework) acceptsLayout(o Offer) Answer {
	s, plain := o.Layout.Strided()
	convention := f.convention(!plain || f.Blocks == ByAxes && o.blocked())
	if convention == ByOwnDigits {
		return yes(Logical)
	}
	if !o.Layout.Swizzle().IsZero() {
		return no("%s", f.refusesSwizzle(o))
	}
	switch convention {
	case ByName, ByWholeName:
		return f.acceptsNamed(o)
	case ByFormat:
		return f.acceptsFormat(o)
	case ByAxes:
		return f.acceptsAxes(o)
	case ByDigits:
		return f.acceptsDigits(o)
	case Unsupported:
		return o.refusesBlocks()
	case ByShape:
		if !s.CContiguous().OK {
			return f.needsCopy(o)
		}
	case ByDense:
		if !s.Empty() && !s.NonOverlappingAndDense() {
			return f.needsCopy(o)
		}
	}
	return f.acceptsStrides(o, s)
}

// refusesBlocks refuses blocked dims.
func (o Offer) refusesBlocks() Answer {
	a := no(noBlocks)
	if shape := o.axes(); shape != nil {
		return a.instead("it can store this memory as an array of shape %s", tensor.Tuple(shape))
	}
	return a
}

// needsCopy refuses strides, and says which view or copy has others.
func (f *Framework) needsCopy(o Offer) Answer {
	return f.refusesOrder(o).and(rowMajorView(o)).instead(".contiguous() copies %s and makes it row-major", o.Copy)
}

// refusesOrder refuses an order without a name, or strides. A framework that would refuse gaps in any order says so in brief.
func (f *Framework) refusesOrder(o Offer) Answer {
	why := clause{f.Nameless, f.Nameless}
	if f.Message != "" {
		why.full += ` ("` + f.Message + `")`
	}
	if s, plain := o.Layout.Strided(); f.Message != "" && plain && !s.NonOverlappingAndDense() {
		why.brief = "the tensor is not dense"
	}
	return Answer{}.and(why)
}

// acceptsStrides answers for a strided layout.
func (f *Framework) acceptsStrides(o Offer, s tensor.Strided) Answer {
	as := Logical
	if len(o.Orders) > 0 {
		as = f.as()
	}
	why := f.refusesStrides(s)
	if f.Forward != "" && why == f.Negative {
		return no("%s", why).And(f.Forward + " copies " + o.Copy)
	}
	if why != "" {
		return no("%s", why)
	}
	if f.Overlap != "" && o.Overlapping != tensor.No {
		return yes(as, uncut(f.Overlap))
	}
	if f.Pitch > 0 {
		return f.acceptsPitch(o, s, o.Layout.Names())
	}
	return yes(as)
}

// refusesStrides returns why the framework refuses sizes and strides; empty if it accepts them.
func (f *Framework) refusesStrides(s tensor.Strided) string {
	rank := f.refusesRank(s.Rank())
	if f.Empty != "" && s.Empty() {
		return f.Empty
	}
	if rank != "" {
		return rank
	}
	if f.Negative != "" && f.negative(s) {
		return f.Negative
	}
	if f.MaxElems > 0 && !s.DirectMLCounts() {
		return fmt.Sprintf("it addresses at most %d elements", f.MaxElems)
	}
	if f.Order == ByNesting && !s.OneDNNAccepts() {
		return "a stride is smaller than the extent of the dims inside it"
	}
	return ""
}

// negative reports whether strides that the framework reads are negative: some ignore those of size-1 dims, and all of an empty tensor.
func (f *Framework) negative(s tensor.Strided) bool {
	if f.Units {
		return s.Backwards()
	}
	return s.Negative()
}

// AcceptsRank reports whether the framework accepts tensors of this rank.
func (f *Framework) AcceptsRank(rank int) bool { return f.refusesRank(rank) == "" }

// refusesRank returns which ranks the framework accepts; empty if this is one of them.
func (f *Framework) refusesRank(rank int) string {
	if rank >= f.MinDims && (f.MaxDims == 0 || rank <= f.MaxDims) {
		return ""
	}
	if f.MinDims == 0 {
		return fmt.Sprintf("it accepts at most %d dims", f.MaxDims)
	}
	return fmt.Sprintf("it accepts %d to %d dims", f.MinDims, f.MaxDims)
}

// acceptsNamed answers by the names of the tensor's orders; blocks are whole if the framework requires that.
func (f *Framework) acceptsNamed(o Offer) Answer {
	orders := f.Supported(o.Orders)
	a := f.acceptsNames(orders, &o.DType)
	if !a.OK || f.Blocks != ByWholeName {
		return a
	}
	if part := o.partBlock(); part != "" {
		_, accepted := f.namesOf(orders, &o.DType)
		return no("%s must be in whole blocks: %s", accepted[0].spelled(), part)
	}
	return a
}

// acceptsNames answers by the names of orders: one of them must go with the type, if it is known.
func (f *Framework) acceptsNames(orders []notation.Format, d *dtype.Type) Answer {
	named, accepted := f.namesOf(orders, d)
	if len(named) == 0 {
		return no("%s", f.Nameless)
	}
	if len(accepted) == 0 {
		return no("%s", acceptedTypes(named))
	}
	return yes(f.as())
}

// namesOf returns the rows of the names of orders, and those among them that go with the type.
func (f *Framework) namesOf(orders []notation.Format, d *dtype.Type) (named, accepted []Entry) {
	for _, order := range orders {
		named = append(named, f.entriesOf(order)...)
	}
	for _, e := range named {
		if d == nil || acceptsType(e.Types, *d) {
			accepted = append(accepted, e)
		}
	}
	return named, accepted
}

// partBlock returns which dim ends inside a block, C is 5, not a multiple of 4; empty if none does.
func (o Offer) partBlock() string {
	for d, padded := range o.Layout.PaddedShape() {
		dim := o.Layout.Dim(d)
		if last := dim.Digits[len(dim.Digits)-1]; padded > dim.Size {
			return fmt.Sprintf("%s is %d, not a multiple of %d", dim.Name, dim.Size, last.Div)
		}
	}
	return ""
}

func (f *Framework) acceptsAxes(o Offer) Answer {
	shape := o.axes()
	if shape == nil {
		return no(noOrder)
	}
	if why := f.refusesStrides(notation.SplitDims(o.Layout)); why != "" {
		return no("%s", why)
	}
	array := o.Dims(Physical)
	switch f.Order {
	case ByDense, ByShape:
		if !array.CContiguous().OK {
			return f.refusesOrder(o)
		}
	}
	if f.Pitch > 0 {
		if pitch := f.acceptsPitch(o, array, strings.Fields(o.Order.Explicit())); !pitch.OK {
			return pitch
		}
	}
	return yes(Physical, arrayOf(shape))
}

// arrayOf says that a framework is given the axes of memory.
func arrayOf(shape []int) clause {
	array := "as an array of shape " + tensor.Tuple(shape)
	return clause{array + ", the axes of memory", array}
}

func (f *Framework) acceptsDigits(o Offer) Answer {
	if o.Order == nil {
		return no(noOrder)
	}
	s := notation.SplitDims(o.Layout)
	if why := f.refusesStrides(s); why != "" {
		return no("%s", why)
	}
	dims := "as dims " + tensor.Tuple(s.Shape)
	users := ", for elementwise operators"
	return yes(Split, clause{dims + ", one per digit" + users, dims + users})
}

// rowMajorView returns the permutation of a strided tensor that is row-major, if there is one.
func rowMajorView(o Offer) clause {
	if len(o.Orders) == 0 || !o.Orders[0].Plain() {
		return clause{}
	}
	axes := []int{}
	for _, a := range o.Orders[0].Axes() {
		axes = append(axes, a.Dim)
	}
	return clause{full: fmt.Sprintf("x.permute(%s), a view of shape %s, is row-major", text.Ints(axes, ", "), tensor.Tuple(o.Dims(Physical).Shape))}
}
