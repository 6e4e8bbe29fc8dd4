package printed

import (
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// readPointer reads a tensor of CuTe in C++: a pointer with the bits of an element, and a layout:
//
//	gmem_ptr[16b](0x7f…) o (8,64):(64,1)    tmem_[32b](0x0000.0000) o …    smem_[16b] o …    ArithTuple(0,0) o (128,64):(_1@1,_1@0)
//
// (include/cute/pointer.hpp and tensor_impl.hpp, CUTLASS at 18422531)
func readPointer(c *cursor) (*reading, error) {
	name := c.word()
	if name == "" {
		return nil, nil
	}
	width := ""
	if bits, ok := c.bracket("[", false); ok {
		width = strings.TrimSuffix(bits.Content(), "b")
		if width == bits.Content() || width == "" || strings.Trim(width, "0123456789") != "" {
			return nil, nil
		}
	}
	_, addressed := c.bracket("(", false)
	if width == "" && !addressed || !c.isComposed() {
		return nil, nil
	}
	hasType := !strings.HasPrefix(width, "0") && elementOf("uint"+width) != nil // uint0 is NumPy's uint64
	if width != "" && !hasType {
		return nil, fault.New(fault.Usage, "elements of %s bits have no type", text.Cut(width, 20))
	}
	r, err := readComposed(c, "")
	if err != nil || r == nil {
		return r, err
	}
	if width != "" {
		r.width = "uint" + width
	}
	if strings.HasPrefix(name, "tmem") {
		r.notes = append(r.notes, "tensor memory: 65536 is a step of one lane, 1 of one column; no framework reads it")
	}
	return r, nil
}

// isComposed takes CuTe's sign of composition, o.
func (c *cursor) isComposed() bool {
	return c.peek().Apart && (c.sign("o") || c.sign("O") || c.sign("∘"))
}

// readComposed reads what stands behind an o: an offset with another o, and a layout, swizzled or not. swizzle is one of the pointer, S<3,4,3>.
func readComposed(c *cursor, swizzle string) (*reading, error) {
	begin := c.at
	offset := count{}
	for k := range 2 {
		before := c.at
		word := c.word()
		_, _ = c.bracket("<", false)
		if !c.isComposed() {
			c.at = before
			break
		}
		n, err := countOf(word)
		if err == nil && n.open == "" {
			offset = n
		} else if k > 0 || swizzle != "" {
			return nil, unknown()
		} else {
			swizzle = scan.Span(c.terms[before : c.at-1])
		}
		begin = c.at
	}
	shape := c.peek()
	c.at++
	strides := scan.Term{}
	if c.sign(":") {
		strides = c.peek()
		c.at++
	}
	c.at = min(c.at, len(c.terms))
	if shape.Text == "" {
		return nil, fault.New(fault.Usage, "it has no layout behind the o")
	}
	layout := strings.ReplaceAll(scan.Span(c.terms[begin:c.at]), " ", "")
	if strings.Contains(strides.Text, "@") {
		return nil, fault.New(fault.Unsupported, "%s are coordinates, not memory: 1@0 steps dim 0 of the tensor that they index", text.Quote(text.Cut(layout, 40))).
			WithHint("paste the tensor itself, with its pointer: gmem_ptr[16b](…) o (128,64):(64,1)")
	}
	if strings.Contains(layout, "?") {
		return readOpen(shape, strides, offset, swizzle)
	}
	if offset.n != 0 && swizzle == "" {
		layout += "@" + text.Ints([]int{offset.n}, "")
	}
	if swizzle != "" {
		layout = swizzle + " o " + text.Ints([]int{offset.n}, "") + " o " + layout
	}
	return readNamed(layout)
}

// readNamed reads a layout in a notation of its own.
func readNamed(layout string) (*reading, error) {
	l, err := notation.Parse(layout)
	if err != nil {
		return nil, err
	}
	return &reading{named: &l}, nil
}

// readOpen reads a layout whose sizes or strides only the running program knows: (?,1024):(1024,1), (?,8):(?{i64 div=8},1).
func readOpen(shape, strides scan.Term, offset count, swizzle string) (*reading, error) {
	r := &reading{offset: offset}
	var err error
	r.sizes, err = openCounts(shape)
	if err == nil && strides.Text != "" {
		r.strides, err = openCounts(strides)
	}
	if err != nil {
		return nil, err
	}
	open := r.open()
	if open == nil {
		return nil, unknown()
	}
	if swizzle != "" || strides.Text == "" {
		return nil, open.WithHint(writeNumbers)
	}
	return r, nil
}

// openCounts reads a tuple of numbers and ?, one for each dim.
func openCounts(tuple scan.Term) ([]count, error) {
	all := []count{}
	for _, part := range scan.Split(tuple.Inner) {
		if part[0].Open != 0 {
			return nil, fault.New(fault.Unsupported, "%s has ? in a dim of several digits", text.Quoted(text.Cut(tuple.Text, 40))).WithHint(writeNumbers)
		}
		n, err := countOf(part[0].Text)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// isCute reports whether a type is a tensor of CuTe's Python DSL: tensor<ptr<…> o …>, tensor<(0,0) o …>, !cute.memref<…>.
func isCute(name string, body scan.Term) bool {
	if strings.HasSuffix(name, "cute.memref") {
		return true
	}
	return name == "tensor" && (strings.Contains(body.Text, "> o ") || strings.Contains(body.Text, ") o "))
}

// readCuteType reads the types of the DSL, whose swizzle counts bytes:
//
//	ptr<f16, smem, align<128>, S<3,4,3>> o (8,64):(64,1)     f16, smem, align<128>, S<3,4,3>, "(8,64):(64,1)"
//
// (nvidia-cutlass-dsl 4.8.1: str of a tensor, and the types of its IR)
func readCuteType(body scan.Term) (*reading, error) {
	c := &cursor{terms: body.Inner}
	pointer := body.Inner
	_ = c.word()
	inner, isPointer := c.bracket("<(", false)
	if !isPointer {
		inner, isPointer = c.bracket("(", true)
	}
	layout := c
	if isPointer && c.isComposed() {
		pointer = inner.Inner
	} else {
		last := scan.Term{}
		if len(body.Inner) > 0 {
			last = body.Inner[len(body.Inner)-1]
		}
		if last.Open != '"' {
			return nil, unknown()
		}
		layout = &cursor{terms: last.Inner}
	}
	swizzle := ""
	r := &reading{}
	for _, part := range scan.Split(pointer) {
		if len(part) == 2 && part[0].Text == "S" {
			swizzle = scan.Span(part)
		}
		if r.element == nil && part[0].IsWord() && !scan.IsDigit(part[0].Text[0]) {
			word := part[len(part)-1].Text
			r.element = elementOf(word)
			if r.element == nil {
				return nil, fault.New(fault.Usage, "element type %s is unknown", text.Quoted(text.Cut(word, 20)))
			}
		}
	}
	composed, err := readComposed(layout, swizzle)
	if err != nil {
		return nil, err
	}
	composed.element = r.element
	if composed.named != nil && r.element != nil {
		_, err = composed.named.ForElements(r.element.Bits())
	}
	return composed, err
}

// readMojo reads layouts of Mojo, ((4, 2):(1, 4)), row_major[4,8]() and Layout.row_major(4, 8), and TIRx' of memory, S[(2,4):(4@m,1@m)].
func readMojo(c *cursor) (*reading, error) {
	name := c.word()
	body, ok := c.bracket("([", name == "")
	if !ok {
		return nil, nil
	}
	if name == "" || name == "S" {
		isLayout := len(body.Inner) == 3 && body.Inner[1].Text == ":" && (name == "S" || body.Inner[0].Open == '(' && body.Inner[2].Open == '(')
		if !isLayout || threads.IsPrinted(name+body.Text) {
			return nil, nil
		}
		return readNamed(strings.NewReplacer(" ", "", "@m", "").Replace(body.Content()))
	}
	order := name[strings.LastIndexByte(name, '.')+1:]
	if order != "row_major" && order != "col_major" || !isList([]scan.Term{body}) {
		return nil, nil
	}
	_, _ = c.bracket("(", false)
	r := &reading{isC: yes}
	if order == "col_major" {
		r.isC = unsaid
		r.isF = yes
	}
	var err error
	r.sizes, err = counts(body.Content())
	return r, err
}

// readQuoted reads what a program prints in quotes: relu: "f32[8, 64][64, 1]cuda:0".
func readQuoted(c *cursor) (*reading, error) {
	quoted, ok := c.bracket(`"'`, true)
	if !ok {
		return nil, nil
	}
	r, n, err := read(quoted.Inner)
	if n != len(quoted.Inner) && err == nil {
		return nil, nil
	}
	return r, err
}
