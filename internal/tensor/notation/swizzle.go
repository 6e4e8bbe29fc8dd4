package notation

import (
	mathbits "math/bits"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// swizzled matches the start of a swizzled layout in every spelling of CUTLASS: Sw<3,4,3> as C++ prints it, S<3,4,3> in its Python DSL, where
// it counts bytes, Swizzle<3,4,3> or Swizzle<3,4,3>{} in code (the shift defaults to the bits), SW_3_4_3 and Swizzle(3,4,3) in pycute.
var swizzled = lazy.Regexp(`^(?i)(?:cute::)?(?:S(?:w|wizzle)?\s*<\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?>(?:\{\})?|` +
	`SW_(\d+)_(\d+)_(-?\d+)|Swizzle\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(-?\d+)\s*\))`)

// smemPointer matches CuTe's text between a swizzle and its layout if the swizzle is part of a pointer to elements of this many bits.
// Such a swizzle counts bytes.
var smemPointer = lazy.Regexp(`^(\s+o\s+|_)smem_ptr\[(\d+)b\]\([0-9A-Za-z]*\)`)

// composed is CuTe's sign between a swizzle, an offset and a layout.
var composed = lazy.Regexp(`^\s+[oO∘]\s+`)

// bytesNote is the note on a layout of the Python DSL, whose swizzle counts bytes in a pointer to shared memory, and elements where the layout is
// called. (base_dsl/swizzle.py of nvidia-cutlass-dsl 4.8.1; run)
const bytesNote = "S<…> of CuTe's Python DSL counts the bytes of shared memory: "

// pythonSwizzle matches the start of a swizzled layout that the Python DSL printed: S<3,4,3>.
var pythonSwizzle = lazy.Regexp(`^[sS][< ]`)

// ofBytes returns the reading of a swizzled layout that the Python DSL printed; nil for other spellings.
func ofBytes(s string, l tensor.Layout) func(bits int) (Layout, error) {
	if !pythonSwizzle.Get().MatchString(s) {
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
	if !l.CountsBytes() {
		return l, nil
	}
	if bits == 0 && l.HasFormat() {
		return l, nil
	}
	name := any(l.Exact)
	if l.HasFormat() {
		name = l.Format
	}
	if bits == 0 {
		return l, fault.New(fault.Usage, "layout %s counts bytes, and the type of the elements is not known", name).WithHint("add --dtype float16")
	}
	if mathbits.OnesCount(uint(bits)) != 1 {
		return l, fault.New(fault.Usage, "layout %s counts bytes: elements of %d bits do not fit it", name, bits)
	}
	return l.inBytes(bits)
}

// isSwizzled reports whether a name starts like a swizzled layout.
func isSwizzled(s string) bool { return strings.ContainsAny(s, "<(_") && swizzled.Get().MatchString(s) }

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
	if m := smemPointer.Get().FindStringSubmatch(p.Rest()); m != nil {
		p.At += len(m[0])
		z, err = p.ofElements(z, m[2])
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

// swizzle reads the start.
func (p *layoutParser) swizzle() (tensor.Swizzle, error) {
	m := swizzled.Get().FindStringSubmatch(p.Rest())
	p.At += len(m[0])
	var n []int
	for _, text := range m[1:] {
		if text == "" {
			continue
		}
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

func (p *layoutParser) composed() bool {
	sign := composed.Get().FindString(p.Rest())
	p.At += len(sign)
	return sign != ""
}

// middle reads the offset between two signs: "0 o ". given reports whether there is one.
func (p *layoutParser) middle() (offset int, given bool, err error) {
	rest := strings.TrimPrefix(p.Rest(), "_")
	end := len(rest) - len(strings.TrimLeft(strings.TrimPrefix(rest, "-"), numerals))
	sign := composed.Get().FindString(rest[end:])
	if sign == "" || end == 0 {
		return 0, false, nil
	}
	p.At = len(p.Text) - len(rest) + end + len(sign)
	offset, err = strconv.Atoi(rest[:end])
	if err != nil {
		return 0, false, p.fail("offset %s is too large", clip(rest[:end]))
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
