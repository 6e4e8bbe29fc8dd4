// Package printed reads tensors as frameworks, compilers and runtimes print them: their sizes, strides, offset and elements, in any brackets.
//
//	text ─scan.Terms─► words and brackets ─forms─► reading ─bind─► layout
//
//	array.go   f32[8,4]{1,0:T(8,128)} of XLA, f32[8, 4][4, 1]cuda:0 of FX and Inductor, %x[FLOAT16, 1x3] of ONNX
//	mlir.go    memref<2x3xf32, strided<[5, 1]>>, tensor<2x3xf32>, !migraphx.shaped<2x3xf32, 3x1>; triton.go: Triton's
//	fields.go  names and values: FixedLayout(…), TensorMetadata(…), NumPy's __array_interface__ and flags, ndarray, candle, tinygrad
//	cute.go    gmem_ptr[16b](0x…) o (8,64):(64,1), tensor<ptr<f16, smem, S<3,4,3>> o …>; Mojo's ((4, 2):(1, 4)) and row_major[4,8]()
//	order.go   MRtrix's -1,+2,+3
//
// Layouts that have no type and no sizes are notation's; those that GPUs alone have, ParseName's.
package printed

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Type is a printed type.
type Type struct {
	DType  dtype.Type
	Layout tensor.Layout // in elements; Alloc includes the padding that the type implies
	Note   string        // what the text leaves open; may be empty
}

// Bytes returns the size of the storage.
func (t Type) Bytes() int64 { return t.DType.Size(int64(t.Layout.Alloc())) }

// maxBytes bounds a printed text, or the instruction that has it.
const maxBytes = 4096

// forms are what a text may be. Each reads from the cursor; a nil reading without an error is another form.
//
// To add one that has its own grammar: a row here, its spelling and its errors in this package's tests, a line in types.txtar. Another word
// for sizes, strides or an offset is a case of setter.
func forms() [7]func(c *cursor) (*reading, error) {
	return [...]func(c *cursor) (*reading, error){readTuple, readArray, readPointer, readMLIR, readMojo, readClass, readQuoted}
}

// read reads the first of the terms, and how many they are; a nil reading without an error is no printed tensor.
func read(terms []scan.Term) (r *reading, n int, err error) {
	if !hasBracket(terms) {
		return nil, 0, nil
	}
	c := &cursor{terms: terms}
	for _, form := range forms() {
		c.at = 0
		r, err = form(c)
		if r != nil || err != nil {
			return r, c.at, err
		}
	}
	return nil, 0, nil
}

// hasBracket reports whether the terms begin with a bracket, a word and a bracket, or a bracket without its partner.
func hasBracket(terms []scan.Term) bool {
	if len(terms) == 0 {
		return false
	}
	if terms[0].Open != 0 {
		return true
	}
	return len(terms) > 1 && strings.ContainsAny(terms[1].Text[:1], "([{<")
}

// readText reads a whole text: a tensor, or the line of a program that has one.
func readText(s string) (*reading, error) {
	s = strings.TrimSpace(s)
	if !strings.ContainsAny(s, "[<({:=") { // a name
		return nil, nil
	}
	terms := scan.Terms(s)
	for _, start := range starts(terms) {
		r, n, err := read(terms[start:])
		if r == nil && err == nil {
			continue
		}
		rest := terms[start+n:]
		if goesOn(rest) {
			continue
		}
		if err == nil && start == 0 && !mayFollow(rest) {
			end := terms[start+n-1].End()
			err = fault.New(fault.Usage, "text follows the type: %s", text.Quoted(text.Cut(strings.TrimSpace(s[end:]), 40))).
				WithHint("paste the type alone: %s", text.Quote(text.Cut(s[terms[start].At:end], 81)))
		}
		return r, err
	}
	return ofFields(terms, true)
}

// goesOn reports whether a type is the beginning of a file's name: f32[8,4].npy.
func goesOn(rest []scan.Term) bool {
	if len(rest) == 0 || rest[0].Apart || rest[0].Open != 0 {
		return false
	}
	return rest[0].Text != "," && rest[0].Text != ";"
}

// starts are where the type of a line may begin: at its beginning, behind the name of a value, and, in MLIR, with the last type.
//
//	ROOT %x = f32[8] add(…)    y: "f32[8][1]cpu" = …    a:f32[8]    %a = memref.alloc() : memref<8xf32>
func starts(terms []scan.Term) []int {
	all := []int{0}
	name := 0
	if len(terms) > 0 && terms[0].Text == "ROOT" {
		name = 1
	}
	if len(terms) > name+2 && terms[name].IsWord() {
		sign := terms[name+1]
		short := len(terms[name].Text) <= 3 && strings.ToLower(terms[name].Text) == terms[name].Text
		isAssigned := sign.Text == "=" && sign.Apart
		isTyped := sign.Text == ":" && (terms[name+2].Apart || short)
		if isAssigned || isTyped {
			all = append(all, name+2)
		}
	}
	for k := len(terms) - 2; k > 0; k-- {
		isType := terms[k].IsWord() && terms[k+1].Open == '<'
		if isType && slices.Contains([]string{":", "->", "to"}, terms[k-1].Text) {
			return append(all, k)
		}
	}
	return all
}

// mayFollow reports whether the rest of a line does not change what the type before it says: nothing, a comment, or the operation of HLO.
func mayFollow(rest []scan.Term) bool {
	if len(rest) == 0 || strings.HasPrefix(rest[0].Text, "#") || strings.HasPrefix(rest[0].Text, "//") {
		return true
	}
	if len(rest) == 1 && (rest[0].Text == "," || rest[0].Text == ";") {
		return true
	}
	operation := len(rest) > 1 && rest[0].IsWord() && rest[1].Open == '(' && !rest[1].Apart
	return operation || strings.HasPrefix(rest[0].Text, "%") || rest[0].Text == "="
}

// Is reports whether a text looks like a printed type, valid or not.
func Is(s string) bool {
	r, err := readText(s)
	return r != nil || err != nil
}

// Parse reads a printed type, or the result of an instruction. Errors are Usage, and Unsupported for layouts and elements that are not
// supported.
func Parse(s string) (Type, error) {
	l, element, err := parse(s)
	if err == nil {
		err = l.NeedsSizes()
	}
	if err == nil && (element == nil || l.Exact == nil) {
		err = about(s, unknown())
	}
	if err != nil {
		return Type{}, err
	}
	return Type{*element, *l.Exact, l.Note}, nil
}

// ParseLayout reads a layout's name, as ParseName does, or a printed type; element is the type of its elements, nil for a name.
func ParseLayout(s string) (l notation.Layout, element *dtype.Type, err error) {
	if !Is(s) {
		l, err = ParseName(s)
		return l, nil, err
	}
	return parse(s)
}

// parse reads a printed type.
func parse(s string) (l notation.Layout, element *dtype.Type, err error) {
	if len(s) > maxBytes {
		return l, nil, about(s, unknown())
	}
	r, err := readText(s)
	if err == nil && r == nil {
		err = unknown()
	}
	if err == nil {
		l, err = r.layout(s)
	}
	if err == nil && l.Exact != nil && r.element != nil {
		err = l.Exact.CheckBytes(r.element.ItemSize(), *r.element)
	}
	if err != nil {
		return l, nil, about(s, err)
	}
	if r.element != nil {
		l.Element = r.element.String()
		if !r.element.Unpacked() {
			l.DType = l.Element // the word alone is the packed type
		}
	}
	return l, r.element, nil
}

// about says of which text an error is.
func about(s string, err error) error {
	return fault.In("type "+text.Quoted(text.Cut(strings.TrimSpace(s), 81)), err)
}

func unknown() error {
	return fault.New(fault.Usage, "unknown form").WithHint("tlayout help layouts lists the types of compilers")
}

// Found is a printed tensor or layout in a text.
type Found struct {
	Begin, End     int    // bytes of the text
	Text           string // what Parse or ParseLayout reads
	Shape, Strides []int  // strides if the text lists them, in elements; shape if it has sizes
	Element        string // type of the elements; empty: not said
}

// maxFind bounds the text in which printed tensors are looked for: its terms take 64 bytes each.
const maxFind = 16 << 10

// Find returns the printed tensors of the first 16 KiB of a text, at most limit, wherever they are in its brackets.
func Find(s string, limit int) []Found {
	s = s[:min(len(s), maxFind)]
	var all []Found
	var walk func(terms []scan.Term)
	walk = func(terms []scan.Term) {
		for k := 0; k < len(terms) && len(all) < limit; {
			r, n, err := read(terms[k:])
			if err != nil || r == nil {
				walk(terms[k].Inner)
				k++
				continue
			}
			f := Found{Begin: terms[k].At, End: terms[k+n-1].End()}
			f.Text = s[f.Begin:f.End]
			all = append(all, f.of(r))
			k += n
		}
	}
	walk(scan.Terms(s))
	return all
}

// of adds what a reading says.
func (f Found) of(r *reading) Found {
	if r.element != nil {
		f.Element = r.element.String()
	}
	l, err := r.layout(f.Text)
	if err != nil || l.Exact == nil {
		return f
	}
	f.Shape = l.Exact.Shape()
	if s, ok := l.Exact.Strided(); ok && r.place == nil {
		f.Strides = s.Strides
	}
	return f
}

// rowMajor is the note on a type that has sizes alone.
const rowMajor = "the type has no layout: read as row-major"

// cursor reads terms from left to right.
type cursor struct {
	terms []scan.Term
	at    int
}

// peek returns the next term; an empty one at the end.
func (c *cursor) peek() scan.Term {
	if c.at < len(c.terms) {
		return c.terms[c.at]
	}
	return scan.Term{}
}

// word takes a word; "" if none comes next.
func (c *cursor) word() string {
	t := c.peek()
	if t.Text == "" || !t.IsWord() {
		return ""
	}
	c.at++
	return t.Text
}

// sign takes a sign or a word with this text.
func (c *cursor) sign(s string) bool {
	if t := c.peek(); t.Open != 0 || t.Text != s {
		return false
	}
	c.at++
	return true
}

// bracket takes a bracket of these kinds, right behind the last term unless it may stand apart.
func (c *cursor) bracket(kinds string, apart bool) (scan.Term, bool) {
	t := c.peek()
	isKind := t.Open != 0 && strings.IndexByte(kinds, t.Open) >= 0
	if !isKind || t.Apart && !apart {
		return t, false
	}
	c.at++
	return t, true
}

// elementOf returns the type of elements that a word names; nil if it names none.
func elementOf(word string) *dtype.Type {
	d, err := dtype.ParsePrinted(word)
	if err != nil {
		return nil
	}
	return &d
}
