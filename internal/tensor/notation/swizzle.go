package notation

import (
	mathbits "math/bits"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// bytesNote is the note on a layout of the Python DSL, whose swizzle counts bytes in a pointer to shared memory, and elements where the layout is
// called. (base_dsl/swizzle.py of nvidia-cutlass-dsl 4.8.1; run)
const bytesNote = "S<…> of CuTe's Python DSL counts the bytes of shared memory: "

// ofBytes returns the reading of a swizzled layout that the Python DSL printed; nil for other spellings.
func ofBytes(s string, l tensor.Layout) func(bits int) (Layout, error) {
	letters := newLayoutParser(s).letters()
	if letters != "s" {
		return nil
	}
	return func(bits int) (Layout, error) {
		z := l.Swizzle().Recast(8, bits)
		exact, err := l.Plain().Swizzled(z, tensor.Unbounded)
		return Layout{Exact: &exact, Note: bytesNote + "on elements of " + text.Count(bits, "bit") + " " + z.String()}, err
	}
}

// ForElements returns the layout for elements of this many bits: a swizzle that counts bytes, S<3,4,3>, becomes one of elements, and so do
// NumPy's strides. Errors are fault.Usage: the bits are not a power of two, as with 0 for a type that is not known.
func (l Layout) ForElements(bits int) (Layout, error) {
	if l.inBytes == nil {
		return l, nil
	}
	if bits == 0 {
		return l, fault.New(fault.Usage, "layout %s counts bytes, and the type of the elements is not known", l.Exact).WithHint("add --dtype float16")
	}
	if mathbits.OnesCount(uint(bits)) != 1 {
		return l, fault.New(fault.Usage, "layout %s counts bytes: elements of %d bits do not fit it", l.Exact, bits)
	}
	return l.inBytes(bits)
}

// isSwizzled reports whether a name starts like a swizzled layout.
func isSwizzled(s string) bool {
	_, ok := newLayoutParser(s).swizzleNumbers()
	return ok
}

// parseSwizzled reads a swizzled layout, which permutes offsets that count elements:
//
//	Sw<3,3,3> o 0 o (8,64):(64,1)                     with its offset, as CuTe prints it
//	Swizzle<3,3,3> o (8,64):(64,1)                    offset 0
//	Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)  Sw<3,3,3>: the swizzle counts bytes, and elements have 2
//
// (include/cute/{swizzle,layout_composed,pointer_flagged,pointer_swizzle}.hpp and python/pycute/swizzle.py, CUTLASS 4.7)
func parseSwizzled(s string) (tensor.Layout, error) {
	p := newLayoutParser(s)
	z, err := p.swizzle()
	if err != nil {
		return tensor.Layout{}, err
	}
	width := p.pointer()
	if width != "" {
		z, err = p.ofElements(z, width)
		if err != nil {
			return tensor.Layout{}, err
		}
	}
	if !p.composed() {
		return tensor.Layout{}, p.fail("expected an o and a layout after the swizzle").
			WithHint("write Sw<3,3,3> o (8,64):(64,1), or with an offset Sw<3,3,3> o 5 o (8,64):(64,1)")
	}
	offset, given, err := p.middle()
	if err != nil {
		return tensor.Layout{}, err
	}
	if isSwizzled(p.Rest()) {
		return tensor.Layout{}, p.fail("it has more than one swizzle")
	}
	l, err := p.layout()
	if err != nil {
		return l, err
	}
	if given {
		if l.Offset() != 0 {
			return l, p.fail("it has two offsets, %d and @%d", offset, l.Offset())
		}
		l, err = l.With(dimsOf(l), offset, tensor.Unbounded)
		if err != nil {
			return l, err
		}
	}
	return l.Swizzled(z, tensor.Unbounded)
}

// pointedType returns the unsigned type of smem_ptr's elements, for their size; empty if the text has none, or elements over 64 bits.
func pointedType(s string) string {
	_, after, _ := strings.Cut(s, "smem_ptr[")
	width, _, _ := strings.Cut(after, "b]")
	if n, err := strconv.Atoi(width); err == nil && n <= 64 {
		return "uint" + strconv.Itoa(n)
	}
	return ""
}

// letters reads the name of a swizzle, in lower case and without its scope.
func (p *layoutParser) letters() string {
	if strings.HasPrefix(strings.ToLower(p.Rest()), "cute::") {
		p.At += len("cute::")
	}
	return strings.ToLower(p.While(func(c byte) bool { return scan.IsLetter(c) && c != '_' }))
}

// swizzleNumbers reads the start of a swizzled layout in every spelling of CUTLASS: Sw<3,4,3> as C++ prints it, S<3,4,3> in its Python DSL,
// Swizzle<3,4,3> or Swizzle<3,4,3>{} in code (the shift defaults to the bits), SW_3_4_3 and Swizzle(3,4,3) in pycute.
func (p *layoutParser) swizzleNumbers() (numbers []string, ok bool) {
	name := p.letters()
	separator := byte(',')
	closing := byte(0)
	opening := p.Next()
	switch name + string(rune(opening)) {
	case "s<", "sw<", "swizzle<":
		closing = '>'
	case "swizzle(":
		closing = ')'
	case "sw_":
		separator = '_'
	default:
		return nil, false
	}
	p.At++
	for {
		n := p.Integer()
		isShift := len(numbers) == 2
		if n == "" || n[0] == '-' && !isShift {
			return nil, false
		}
		numbers = append(numbers, n)
		if len(numbers) == 3 || !p.Take(separator) {
			break
		}
	}
	if closing != 0 && !p.Take(closing) {
		return nil, false
	}
	if closing == '>' && strings.HasPrefix(p.Rest(), "{}") {
		p.At += 2
	}
	return numbers, len(numbers) == 3 || len(numbers) == 2 && closing == '>'
}

// pointer reads CuTe's text between a swizzle and its layout if the swizzle is part of a pointer, smem_ptr[16b](unset), and returns the bits of its
// elements; empty if there is none. Such a swizzle counts bytes.
func (p *layoutParser) pointer() (width string) {
	begin := p.At
	if p.composed() || p.Take('_') {
		rest, found := strings.CutPrefix(p.Rest(), "smem_ptr[")
		bits, rest, isWidth := strings.Cut(rest, "b](")
		address, _, isAddress := strings.Cut(rest, ")")
		isPointer := found && isWidth && isAddress
		if isPointer && isNumber(bits) {
			p.At += len("smem_ptr[b]()") + len(bits) + len(address)
			return bits
		}
	}
	p.At = begin
	return ""
}

// swizzle reads the start.
func (p *layoutParser) swizzle() (tensor.Swizzle, error) {
	numbers, _ := p.swizzleNumbers() // isSwizzled has read them
	var n []int
	for _, text := range numbers {
		x, err := strconv.Atoi(text)
		if err != nil {
			return tensor.Swizzle{}, p.fail("%s is too large for a swizzle", clip(text))
		}
		n = append(n, x)
	}
	if len(n) == 2 {
		n = append(n, n[0])
	}
	z, err := tensor.NewSwizzle(n[0], n[1], n[2])
	if err != nil {
		return z, p.fail("%s", err)
	}
	return z, nil
}

// ofElements converts a swizzle of bytes to one of elements of this many bits.
func (p *layoutParser) ofElements(z tensor.Swizzle, width string) (tensor.Swizzle, error) {
	n, err := strconv.Atoi(width)
	if err != nil || n > 1024 || mathbits.OnesCount(uint(n)) != 1 {
		return z, p.fail("elements of %s bits do not fit the swizzle", clip(width))
	}
	return z.Recast(8, n), nil
}

// composed reads CuTe's sign between a swizzle, an offset and a layout: o or ∘, with blanks around it.
func (p *layoutParser) composed() bool {
	begin := p.At
	p.Skip()
	sign := p.Char()
	isSign := sign == "o" || sign == "O" || sign == "∘"
	end := p.At + len(sign)
	if p.At > begin && isSign && strings.HasPrefix(p.Text[end:], " ") {
		p.At = end + 1
		p.Skip()
		return true
	}
	p.At = begin
	return false
}

// middle reads the offset between two signs: "0 o ". given reports whether there is one.
func (p *layoutParser) middle() (offset int, given bool, err error) {
	begin := p.At
	_ = p.Take('_')
	digits := p.Integer()
	if digits == "" || !p.composed() {
		p.At = begin
		return 0, false, nil
	}
	offset, err = strconv.Atoi(digits)
	if err != nil {
		return 0, false, p.fail("offset %s is too large", clip(digits))
	}
	return offset, true, nil
}

func dimsOf(l tensor.Layout) []tensor.Dim {
	dims := make([]tensor.Dim, l.Rank())
	for i := range dims {
		dims[i] = l.Dim(i)
	}
	return dims
}
