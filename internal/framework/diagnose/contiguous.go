package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// contiguities are what messages require of strides.
var contiguities = map[string]func(tensor.Strided) tensor.Verdict{
	"row": tensor.Strided.CContiguous, "channels": tensor.Strided.ChannelsLast, "strict": tensor.Strided.StrictContiguous, "last": lastDimContiguous,
}

func lastDimContiguous(s tensor.Strided) tensor.Verdict {
	last := s.Rank() - 1
	if last < 0 || s.Strides[last] == 1 {
		return tensor.Verdict{OK: true}
	}
	return tensor.Verdict{Dim: last, Expected: 1, Found: s.Strides[last]}
}

// nameBefore matches the variable whose strides or shape follow: q of "q.stride()=(".
var nameBefore = lazy.Regexp(`([A-Za-z_]\w*)\.(?:stride|shape|size)\w*(?:\(\))?[ =:]*$`)

// notContiguous says which tensor of a message has not what a contiguity requires, and which stride.
func notContiguous(c *complaint) (Answer, bool) {
	a := Answer{Same: tensor.No, Cost: "one copy of that tensor"}
	verdict := contiguities[c.said["need"]]
	for _, m := range c.tensors {
		s := tensor.Strided{Shape: m.Shape, Strides: m.Strides}
		if m.Shape == nil || m.Strides == nil {
			continue
		}
		v := verdict(s)
		strict := s.StrictContiguous()
		if !v.OK {
			if name := nameBefore.Get().FindStringSubmatch(m.Before); name != nil {
				c.said["operand"] = name[1]
			}
			a.Facts = []string{wrongStride(s, v) + " (" + format(s) + ")"}
			a.Cost = copies(s)
			return a, true
		}
		if c.said["need"] == "row" && !strict.OK {
			a.Facts = []string{fmt.Sprintf("only dim %d, of size 1, has another stride, %d instead of %d: contiguous() returns the tensor itself", strict.Dim, strict.Found, strict.Expected)}
			a.Fixes = c.fix("fresh", nil)
			return a, true
		}
		a.Facts = append(a.Facts, "sizes "+tensor.Tuple(s.Shape)+", strides "+tensor.Tuple(s.Strides)+" meet this: the message is about another tensor")
	}
	if a.Facts != nil {
		a.Same = tensor.Yes
		a.Cost = "nothing: the memory is as required"
		a.Fixes = []string{}
		return a, true
	}
	for _, m := range c.tensors {
		if shape, _ := denseSizes(m.Strides); m.Shape == nil && shape != nil && a.Facts == nil {
			s := tensor.Strided{Shape: shape, Strides: m.Strides}
			a.Facts = []string{fmt.Sprintf("strides %s are %s: dims %s from the outermost to the innermost", tensor.Tuple(m.Strides), format(s), text.Ints(s.DimOrder(), ", "))}
		}
	}
	if a.Facts == nil {
		a.Facts = []string{"transpose, permute, expand and slices make views with other strides: the tensor is, or comes from, one of those"}
	}
	return a, true
}

var (
	requiredMajor = lazy.Regexp(`\b(row|col|column)[- _]?major (?:matrix |tensor |layout (?:for|of) )?['"\x60]?([A-Za-z_]\w*)`)
	statedMajor   = lazy.Regexp(`\b([A-Za-z_]\w*)['"\x60]?,? (?:must be |should be |to be |has to be |needs to be |is not |is |are |as |in )*(row|col|column)[- _]?major`)
	butGot        = lazy.Regexp(`(?i)\b(?:but|got|found|given|received|actual)\b`)
)

// fillers are words beside "row-major" that are not the name of an operand.
const fillers = " a an the and or be is in of for requires got layout layouts order format matrix matrices tensor storage both only not with input inputs must "

// otherMajor answers a matrix whose other dim must have stride 1.
func otherMajor(c *complaint) (Answer, bool) {
	major := cmp.Or(c.said["major"], "col")
	if c.said["major"] == "" {
		c.said["operand"], major = c.wrongMajor()
	}
	x := c.operand()
	a := Answer{What: x + " must be column-major, stride 1 in its first dim: a transposed row-major matrix", Same: tensor.No,
		Cost:  "nothing where .t() of a contiguous matrix has the wanted sizes; otherwise one copy of that matrix",
		Facts: []string{"of sizes (K, N): row-major has strides (N, 1), column-major (1, K); contiguous() makes it row-major", "a contiguous (N, K) weight becomes column-major (K, N) by .t(), without a copy"}, Fixes: c.fix("column", nil)}
	if major == "row" {
		a.What = x + " must be row-major, stride 1 in its last dim, and is transposed"
		a.Fixes = c.fix("contiguous", nil)
	}
	if s, ok := c.strided(); ok {
		a.Facts = append([]string{"sizes " + tensor.Tuple(s.Shape) + ", strides " + tensor.Tuple(s.Strides) + " are " + format(s)}, a.Facts...)
	}
	return a, true
}

// wrongMajor returns the operand that is not as required, and how it should be: "row" or "col". Without names it is the second operand,
// which BLAS libraries want column-major.
func (c *complaint) wrongMajor() (x, major string) {
	required := c.message
	found := map[string]string{}
	if at := butGot.Get().FindStringIndex(c.message); at != nil {
		required = c.message[:at[0]]
		_, found = majors(c.message[at[0]:])
	}
	names, wanted := majors(required)
	for _, name := range names {
		if found[name] != wanted[name] {
			return name, wanted[name]
		}
	}
	if strings.Contains(c.message, "matrices") {
		return "b", "col"
	}
	return "", "col"
}

// majors returns the operands that a text calls row- or column-major, in their order.
func majors(s string) (names []string, major map[string]string) {
	major = map[string]string{}
	add := func(name, word string) {
		if major[name] == "" && !strings.Contains(fillers, " "+strings.ToLower(name)+" ") {
			names = append(names, name)
			major[name] = word[:3]
		}
	}
	for _, m := range requiredMajor.Get().FindAllStringSubmatch(s, 8) {
		add(m[2], m[1])
	}
	for _, m := range statedMajor.Get().FindAllStringSubmatch(s, 8) {
		add(m[1], m[2])
	}
	return names, major
}

// modulus is what a size, a stride or an address must be a multiple of.
type modulus struct {
	n       int
	bytes   bool // otherwise elements
	assumed bool // the message only says aligned
}

func (m modulus) String() string {
	return text.Count(m.n, map[bool]string{true: "byte", false: "element"}[m.bytes])
}

var (
	multipleOf = lazy.Regexp(`(?i)(?:multiples? of|divisible by|in chunks of|aligned (?:to|by|on|at)|alignment (?:of|is|to|=)|align(?:ed)? *[=:])[^\d,;.\[\]<>]{0,40}?(\d+)[ -]?(bytes?|bits?|elements?|B\b)?`)
	nMultiple  = lazy.Regexp(`(?i)\b(\d+)[ -]?(bytes?|bits?|elements?|B)?[- ](?:align|multiple|boundar)`)
	modulo     = lazy.Regexp(`% ?\(?(\d+)\)? ?[!=]= ?0()`)
	otherSizes = lazy.Regexp(`shapes .* not aligned|\d vs\.? \d`) // of a product of NumPy, and of a convolution's channels
	notAligned = lazy.Regexp(`(?i)\b(?:not|mis|un)[- ]?(?:\w+ly )?aligned|alignment does not|unaligned`)
	offending  = lazy.Regexp(`(?i)(?:\bgot|\bbut|\bhas|\bhave|\bis|\bwas|\bfound|received|actual|with|given|[^=!<>]=|:)(?:[^\d%]{0,24}?[^\w%.])?(-?\d+)\b`)
	preceding  = lazy.Regexp(`(?i)\b(\d+)[^\d]{0,12}(?:\b(?:must|should|is not|isn't|not|needs|has to|to be)\b|%)`)
	ofDim      = lazy.Regexp(`\((-?\d)\)|\[-?\d\]|\.\w{1,4}"?:\d+(?::\d+)?|(?i)\b(?:stride|dim|dimension|axis|index|argument|operand|element) \d\b|\bV\d\b`) // which are no numbers of elements
	ofLast     = lazy.Regexp(`(?i)last|trailing|innermost|shape\[-1\]|hidden|head|columns|in_features|\bK\b`)
)

// modulus reads the multiple that a message requires, of several the first that one of the last sizes, bad, is not; bits are made bytes.
func (c *complaint) modulus() (m modulus, bad int, ok bool) {
	if otherSizes.Get().MatchString(c.message) {
		return modulus{}, 0, false
	}
	all := multipleOf.Get().FindAllStringSubmatch(c.message, 4)
	if len(all) > 1 { // one of each of the last dims
		for _, t := range c.tensors {
			for i, found := range all {
				d := len(t.Shape) - len(all) + i
				n := parsed(found[1])
				isMultiple := d < 0 || n <= 0 || t.Shape[d]%n == 0
				if !isMultiple {
					return modulus{n: n}, t.Shape[d], true
				}
			}
		}
	}
	for _, e := range []*lazy.Expression{nMultiple, multipleOf, modulo} {
		found := e.Get().FindStringSubmatch(c.message)
		if found == nil {
			continue
		}
		n := parsed(found[1])
		unit := strings.ToLower(found[2])
		if strings.HasPrefix(unit, "bit") {
			return modulus{n: n / 8, bytes: true}, 0, n >= 8
		}
		return modulus{n: n, bytes: strings.HasPrefix(unit, "b") || unit == "" && e == nMultiple}, 0, n > 0
	}
	return modulus{n: 16, bytes: true, assumed: true}, 0, notAligned.Get().MatchString(c.message)
}

// notMultiple answers a size, a stride or an address that is not the multiple that is required.
func notMultiple(c *complaint) (Answer, bool) {
	m, bad, ok := c.modulus()
	if !ok {
		return Answer{}, false
	}
	subject := "the " + c.said["of"]
	a := Answer{What: subject + " must be a multiple of " + m.String(), Same: tensor.No, Cost: "one copy of the tensor"}
	if bad == 0 && !m.assumed {
		bad = c.offending(m.n)
	}
	if bad > 0 {
		next := ints.CeilDiv(bad, m.n) * m.n
		a.What = fmt.Sprintf("%s %d is not a multiple of %s: the next one is %d", subject, bad, m, next)
		if next > m.n {
			a.What += fmt.Sprintf(", the one before %d", next-m.n)
		}
		if c.said["of"] != "address" {
			a.Cost = fmt.Sprintf("one copy of the tensor, padded: %d instead of %d", next, bad)
		}
	}
	c.said["n"] = strconv.Itoa(m.n)
	if m.bytes {
		c.said["n"] = fmt.Sprintf("(%d // $itemsize)", m.n)
		a.Facts = []string{fmt.Sprintf("%s: %d elements of 1 byte, %d of 2 bytes, %d of 4 bytes", m, m.n, max(1, m.n/2), max(1, m.n/4))}
		if d, err := dtype.ParseTyped(onlyType(c.message)); err == nil {
			c.said["n"] = strconv.Itoa(max(1, m.n/max(1, d.ItemSize())))
		}
	}
	isLast := ofLast.Get().MatchString(c.message) || slices.ContainsFunc(c.tensors, func(m mention.Tensor) bool { return len(m.Shape) > 0 && m.Shape[len(m.Shape)-1] == bad })
	if c.said["of"] == "size" && !isLast {
		a.Fixes = []string{}
		a.Facts = append(a.Facts, "pad that dim, or choose another size; the message does not say which dim it is")
	}
	if m.assumed {
		a.Facts = append(a.Facts, "the message does not say of what: 16 bytes is what vector loads of GPUs need at most, 64 those of CPUs")
	}
	return a, true
}

// offending returns the number that is no multiple: one after "got" or before "must be", or the innermost such size or stride of a list; 0 if
// there is none.
func (c *complaint) offending(n int) int {
	for _, t := range c.tensors {
		for i := len(t.Strides) - 2; i >= 0 && c.said["of"] == "stride"; i-- {
			if bad := t.Strides[i]; bad > 0 && bad%n != 0 {
				return bad
			}
		}
	}
	for _, e := range []*lazy.Expression{offending, preceding} {
		for _, found := range e.Get().FindAllStringSubmatch(ofDim.Get().ReplaceAllString(c.message, ""), 8) {
			if bad := parsed(found[1]); bad > 0 && bad%n != 0 {
				return bad
			}
		}
	}
	for _, t := range c.tensors {
		for i := len(t.Shape) - 1; i >= 0; i-- {
			if bad := t.Shape[i]; bad > 1 && bad%n != 0 {
				return bad
			}
		}
	}
	return 0
}
