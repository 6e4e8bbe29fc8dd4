package printed

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// readMLIR reads memref<2x3xf32, layout, memory space>, tensor<2x3xf32>, and rocMLIR's sizes and strides, !migraphx.shaped<2x3xf32, 3x1>.
// Memory spaces do not change addresses. (mlir/include/mlir/IR/BuiltinTypes.td; MIGraphX.td)
func readMLIR(c *cursor) (*reading, error) {
	begin := c.at
	name := c.word()
	known := slices.Contains([]string{"memref", "tensor", "!migraphx.shaped"}, name)
	if known && c.sign("<") {
		c.at = len(c.terms)
		return nil, unknown()
	}
	body, ok := c.bracket("<", false)
	if !ok {
		return nil, nil
	}
	if isTriton(name, body) {
		return readTriton(scan.Span(c.terms[begin:c.at]))
	}
	if isCute(name, body) {
		return readCuteType(body)
	}
	parts := scan.Split(body.Inner)
	if !known || len(parts) == 0 {
		return nil, nil
	}
	r := &reading{}
	err := r.shaped(parts[0])
	if err != nil || len(parts) == 1 && name != "!migraphx.shaped" {
		if name == "tensor" {
			r.notes = append(r.notes, rowMajor)
		}
		return r, err
	}
	if name == "!migraphx.shaped" {
		strides := ""
		if len(parts) > 1 {
			strides = scan.Span(parts[1])
		}
		r.strides, err = counts(strings.ReplaceAll(strides, "x", ","))
		return r, err
	}
	return r, r.attributes(name, parts[1:])
}

// shaped reads 2x3xf32.
func (r *reading) shaped(terms []scan.Term) error {
	word := terms[0].Text
	r.sizes = []count{}
	for {
		size, rest, more := strings.Cut(word, "x")
		isSize := size != "" && strings.Trim(size, "0123456789-?*") == ""
		if !isSize {
			break
		}
		if !more {
			return noElements()
		}
		c, err := countOf(size)
		if err != nil {
			return err
		}
		if size == "*" {
			return fault.New(fault.Usage, "the number of dims is not known").WithHint(writeNumbers)
		}
		r.sizes = append(r.sizes, c)
		word = rest
	}
	if len(terms) == 2 && word == "complex" && terms[1].Open == '<' {
		word = map[string]string{"f32": "c64", "f64": "c128"}[terms[1].Content()]
	} else if len(terms) > 1 {
		return unknown()
	}
	if word == "index" {
		return fault.New(fault.Unsupported, "index has as many bits as an address of the target").WithHint("write i64 or i32 instead")
	}
	if word == "" {
		return noElements()
	}
	d, err := dtype.ParsePrinted(word)
	if err != nil {
		return err
	}
	if d.Packed() {
		return fault.New(fault.Unsupported, "%s may be packed or not", word).WithHint("of packed elements: --shape 8,64 --dtype %s", d)
	}
	r.element = &d
	return nil
}

func noElements() error {
	return fault.New(fault.Usage, "it has no type of elements").WithHint("write one behind the last x: memref<2x3xf32>")
}

// attributes reads the layout of a memref, its memory space, or both.
func (r *reading) attributes(name string, parts [][]scan.Term) error {
	var written []string
	for _, p := range parts {
		written = append(written, scan.Span(p))
	}
	rest := strings.Join(written, ", ")
	e := fault.New(fault.Unsupported, "the layout is %s", text.Quoted(text.Cut(rest, 40)))
	if strings.HasPrefix(rest, "#") {
		e = e.WithHint("write out what it stands for")
	} else {
		e = e.WithHint("write a layout, then a memory space: memref<2x3xf32, strided<[5, 1], offset: 2>, 3>")
	}
	if name != "memref" {
		return e
	}
	first := parts[0]
	isLayout := len(first) == 2 && first[1].Open == '<' && (first[0].Text == "strided" || first[0].Text == "affine_map")
	if isLayout {
		parts = parts[1:]
	}
	if len(parts) > 1 || len(parts) == 1 && !isMemorySpace(parts[0]) {
		return e
	}
	if !isLayout {
		return nil
	}
	if first[0].Text == "strided" {
		return r.listed(first[1])
	}
	f, err := notation.ParseAffine(scan.Span(first))
	if err != nil {
		return err
	}
	r.place = f.Bind
	return nil
}

// listed reads the strides of strided<[5, 1], offset: 2>.
func (r *reading) listed(body scan.Term) error {
	parts := scan.Split(body.Inner)
	if len(parts) == 0 || len(parts[0]) != 1 || parts[0][0].Open != '[' {
		return unknown()
	}
	var err error
	r.strides, err = counts(parts[0][0].Content())
	if err != nil || len(parts) == 1 {
		return err
	}
	offset := parts[1]
	if len(offset) != 3 || offset[0].Text != "offset" || len(parts) > 2 {
		return unknown()
	}
	r.offset, err = countOf(offset[2].Text)
	return err
}

// isMemorySpace reports whether terms are an integer, a string, or an attribute of a dialect: 3, 1 : i32, "vmem", #gpu.address_space<workgroup>.
func isMemorySpace(terms []scan.Term) bool {
	first := terms[0]
	if first.Open == '"' {
		return len(terms) == 1
	}
	if c, err := countOf(first.Text); err == nil && c.open == "" {
		return len(terms) == 1 || len(terms) == 3 && terms[1].Text == ":"
	}
	isAttribute := strings.HasPrefix(first.Text, "#") && strings.Contains(first.Text, ".")
	return isAttribute && (len(terms) == 1 || len(terms) == 2 && terms[1].Open == '<')
}
