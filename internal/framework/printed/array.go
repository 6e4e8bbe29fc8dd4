package printed

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// readTuple refuses a tuple of XLA: (f32[8,4]{1,0}, s32[]).
func readTuple(c *cursor) (*reading, error) {
	t, ok := c.bracket("(", true)
	if !ok || len(t.Inner) < 2 {
		return nil, nil
	}
	first := t.Inner[0]
	sizes := t.Inner[1]
	if !first.IsWord() || sizes.Open != '[' || sizes.Apart {
		return nil, nil
	}
	return nil, fault.New(fault.Usage, "a tuple is several tensors").WithHint("paste one of its types: f32[8,4]{1,0}")
}

// readArray reads a type of elements with sizes in brackets, and perhaps a layout of XLA or strides of FX, which a device follows:
//
//	f32[8,4]    f32[8,4]{1,0:T(8,128)}    f32[8, 4][4, 1]cuda:0    %x[FLOAT16, 1x3x224x224]
//
// A name that a file may have, conv[1], is a type if the word is one of elements.
func readArray(c *cursor) (*reading, error) {
	word := c.word()
	if len(word) > 1 && c.sign("[") {
		return unclosed(c, word)
	}
	sizes, ok := c.bracket("[", false)
	if word == "" || !ok {
		return nil, nil
	}
	if parts := scan.Split(sizes.Inner); len(parts) == 2 && len(parts[0]) == 1 && len(parts[1]) == 1 {
		r, err := readValue(word, parts[0][0], parts[1][0].Text)
		if r != nil || err != nil {
			return r, err
		}
	}
	layout, ofXLA := c.bracket("{", false)
	element, err := dtype.ParsePrinted(word)
	if !ofXLA && (err != nil || len(word) == 1) {
		return nil, nil
	}
	if ofXLA && !isXLA(layout) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &reading{element: &element}
	r.sizes, err = counts(sizes.Content())
	if err != nil {
		return nil, err
	}
	if ofXLA {
		return r, r.ofXLA(layout.Text)
	}
	strides, ok := c.bracket("[", false)
	if !ok {
		return r, r.ofXLA("")
	}
	c.device()
	r.strides, err = counts(strides.Content())
	return r, err
}

// unclosed is the error for a type without its last bracket; nil for what is no type.
func unclosed(c *cursor, word string) (*reading, error) {
	if elementOf(word) == nil {
		return nil, nil
	}
	for _, t := range c.terms[c.at:] {
		if t.Text != "," && !scan.IsDigit(t.Text[0]) {
			return nil, nil
		}
	}
	written := scan.Span(c.terms)
	c.at = len(c.terms)
	return nil, fault.New(fault.Usage, "a bracket is not closed").WithHint("write %s]", written)
}

// isXLA reports whether a bracket begins as a layout of XLA does.
func isXLA(layout scan.Term) bool {
	inner := strings.TrimSpace(layout.Content())
	return inner == "" || scan.IsDigit(inner[0]) || inner[0] == ':'
}

// device takes the device behind the strides: cuda:0.
func (c *cursor) device() {
	if t := c.peek(); t.Apart || c.word() == "" {
		return
	}
	if t := c.peek(); !t.Apart && c.sign(":") {
		c.word()
	}
}

// readValue reads a value of ONNX, whose first part is a type in capitals: printable_value_info of onnx/helper.py, ONNX 1.23.
func readValue(word string, element scan.Term, sizes string) (*reading, error) {
	name := element.Text
	if element.Open != 0 || strings.ToUpper(name) != name || !scan.IsLetter(name[0]) {
		return nil, nil
	}
	d, err := dtype.ParsePrinted(name)
	if err != nil && !strings.HasPrefix(word, "%") {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &reading{element: &d}
	r.sizes, err = counts(strings.ReplaceAll(strings.TrimPrefix(sizes, "scalar"), "x", ","))
	if err != nil {
		return nil, err
	}
	return r, r.ofXLA("")
}

// ofXLA gives a reading XLA's layout; row-major if it is not printed.
func (r *reading) ofXLA(layout string) error {
	order := ints.Range(len(r.sizes))
	slices.Reverse(order)
	plain := "{" + text.Ints(order, ",") + "}"
	if layout == "" {
		r.notes = append(r.notes, rowMajor)
		layout = plain
	}
	if sizes, known := numbers(r.sizes); known {
		_, err := tensor.Numel(sizes)
		if err != nil {
			return err
		}
	}
	x, err := notation.ParseXLA(layout)
	if err != nil {
		return err
	}
	if n := x.Format.Rank(); n != len(r.sizes) {
		return fault.New(fault.Usage, "layout %s has %d dims, the array %d", text.Quoted(text.Cut(layout, 40)), n, len(r.sizes)).
			WithHint("list each dim, the innermost first: %s", plain)
	}
	r.place = x.Bind
	return r.store(x.Bits)
}

// store makes elements take so many bits in memory; 0: whole bytes. Packed ones begin with the lowest bits, as in jaxlib 0.10.2.
// (ShapeUtil::ArraySize and ByteSizeOfPrimitiveType of xla/shape_util.cc)
func (r *reading) store(bits int) error {
	value := *r.element
	wholeBytes := bits == 0 || bits == 8
	if value.Packed() && wholeBytes {
		bytes, _ := dtype.Parse("V1")
		stored, err := bytes.Opaque(value)
		r.element = &stored
		return err
	}
	if bits == 0 || bits == value.Bits() {
		return nil
	}
	name := ""
	if bits > value.Bits() && bits%8 == 0 && bits <= 128 {
		r.notes = append(r.notes, text.Count(bits, "bit")+" for each element of "+value.String())
		name = "V" + text.Ints([]int{bits / 8}, "")
	} else if bits == 1 && value.Kind() == dtype.Bool {
		name = "uint1"
	}
	if name == "" {
		return fault.New(fault.Unsupported, "E(%d) of %s: want its %s, or whole bytes of more, up to 128 bits", bits, value, text.Count(value.Bits(), "bit")).
			WithHint("remove E(%d)", bits)
	}
	stored, err := dtype.Parse(name)
	r.element = &stored
	return err
}
