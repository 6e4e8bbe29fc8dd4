package offsetcmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Page writes each answer with its cache line if --line-size is given, else a single answer with its calculation; with --all,
// everything.
func (r *report) Page(p *cli.Page) {
	derive := p.All() || len(r.Results) == 1 && r.Results[0].Line == nil
	for i := range r.Results {
		result := &r.Results[i]
		if i > 0 && (derive || result.Line != nil) {
			p.Blank()
		}
		p.Answer(r.headline(result))
		if result.ReadAs != nil {
			p.Items(fmt.Sprintf("  read as %s: %s", text.Quote(r.readAs), result.ReadAs))
		}
		if derive {
			p.Facts(r.work(result, p.All())...)
		}
		if result.Line != nil {
			result.Line.page(p, r)
		}
	}
	p.Remarks(append(r.remarks(), cli.NoteLines(r.Notes)...)...)
	p.More(r.more()...)
}

// more returns the flags that show what the page omits.
func (r *report) more() (flags []string) {
	first := &r.Results[0]
	if len(r.Results) > 1 || r.omits(first) {
		flags = append(flags, "--all")
	}
	if first.Line == nil && r.ItemSize > 0 {
		flags = append(flags, "--line-size 64")
	}
	return flags
}

// omits reports whether --all shows more of a result: where lines are counted from, or how an offset becomes a byte.
func (r *report) omits(result *result) bool {
	if result.Line != nil {
		return true
	}
	if result.Coord == nil {
		return false
	}
	return r.ItemSize != 1 || r.hasHeader()
}

// hasHeader reports whether the data are in a file, and begin after its first byte.
func (r *report) hasHeader() bool { return r.DataOffset != nil && *r.DataOffset != 0 }

// remarks returns a line on the dims of coordinates.
func (r *report) remarks() []string {
	if len(r.Shape) == 0 {
		return nil
	}
	s := r.name() + ": " + tensor.NamedSizes(r.Dims, r.Shape)
	if r.LayoutAssumed {
		return []string{s + ", " + r.Layout + " assumed (set it with --from)"}
	}
	if r.Layout != r.layout.String() {
		return []string{s + ", memory order " + r.Layout}
	}
	return []string{s}
}

// name returns the source's name in sentences.
func (r *report) name() string { return r.Named.Shown() }

// headline returns the answer: "x.npy[1,0,1] is at offset 7, byte 28 (156 in the file), value 3.5".
func (r *report) headline(result *result) string {
	at := result.String()
	if result.Offset < 0 || result.Offset >= r.Storage {
		at += ", outside the storage of " + text.Count(r.Storage, "element")
	}
	if result.index != nil {
		return fmt.Sprintf("%s%s is value %d of the block at offset %d, %s", r.name(), text.Brackets(result.values), *result.index, result.Offset, at)
	}
	if result.Coord != nil {
		return fmt.Sprintf("%s%s is at offset %d, %s", r.name(), text.Brackets(result.Coord), result.Offset, at)
	}
	offset := fmt.Sprintf("offset %d of %s", result.Offset, r.name())
	if result.Padding != nil {
		return offset + " is padding " + result.Padding.Why
	}
	if result.Elems == 0 {
		return offset + ": no element found within the search limit; " + at
	}
	if result.Elems == 1 && result.Complete {
		return fmt.Sprintf("%s holds %s%s, %s", offset, r.name(), r.brackets(result.Coords[0]), at)
	}
	return fmt.Sprintf("%s holds %s elements, %s", offset, result.count(result.Elems), at)
}

// brackets returns a coordinate, of a block as the slice of its values: [1,32:64].
func (r *report) brackets(coord []int) string {
	d := r.tensor.BlockDim()
	if d < 0 {
		return text.Brackets(coord)
	}
	words := text.Each(coord)
	n := r.tensor.Block
	words[d] = fmt.Sprintf("%d:%d", coord[d]*n, (coord[d]+1)*n)
	return "[" + strings.Join(words, ",") + "]"
}

// bytes returns the position's first byte, and the byte of --at if it differs: "28 (156 in the file; 30B is byte 2 of it)".
func (r *result) bytes() string {
	s := strings.TrimSpace(strconv.FormatInt(r.Byte, 10) + " " + r.Part)
	var notes []string
	if r.FileByte != nil && *r.FileByte != r.Byte {
		notes = append(notes, fmt.Sprintf("%d in the file", *r.FileByte))
	}
	if r.Word != nil {
		notes = append(notes, fmt.Sprintf("word %d bits %s", *r.Word, r.wordBits()))
	}
	if r.Within > 0 {
		notes = append(notes, fmt.Sprintf("%s is byte %d of it", r.Query, r.Within))
	}
	if notes != nil {
		s += " (" + strings.Join(notes, "; ") + ")"
	}
	return s
}

// String returns the position's byte and value: "byte 28 (156 in the file), value 3.5".
func (r *result) String() string {
	s := "byte " + r.bytes()
	if r.Quantized != nil {
		return s + ", value " + r.Quantized.Value
	}
	if r.index == nil && r.Value != nil {
		return s + ", value " + text.Shorten(*r.Value)
	}
	return s
}

// calculation is the steps of an answer.
type calculation []cli.Fact

// addCode adds formulas.
func (c *calculation) addCode(label string, texts ...string) {
	for _, text := range texts {
		*c = append(*c, cli.Fact{Label: label, Text: text, Code: true})
	}
}

// add adds sentences.
func (c *calculation) add(label string, texts ...string) {
	for _, text := range texts {
		*c = append(*c, cli.Fact{Label: label, Text: text})
	}
}

// count returns a number of elements, "at least" it if the search is incomplete.
func (r *result) count(n int) string {
	if r.Complete {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("at least %d", n)
}

// work returns the calculation of an answer; all adds that of its byte, and of its byte in the file.
func (r *report) work(result *result, all bool) []cli.Fact {
	var facts calculation
	if result.Coord != nil {
		facts = r.coordWork(result, all)
	} else {
		facts = r.offsetWork(result)
	}
	if result.Padding != nil {
		facts.add("byte", result.bytes())
		if result.Value != nil {
			facts.add("value", text.Shorten(*result.Value))
		}
	}
	facts.add("shared", r.sharers(result)...)
	return facts
}

// coordWork returns how a coordinate becomes an offset, and a byte.
func (r *report) coordWork(result *result, all bool) (facts calculation) {
	facts.addCode("digits", result.digits...)
	facts.addCode("offset", result.Formula)
	facts.addCode("swizzle", result.permuted...)
	if q := result.Quantized; q != nil {
		facts.add("code", fmt.Sprintf("%d, in %s of the block%s", q.Code, q.Where(), result.inFile()))
		facts.addCode("value", q.Sum())
	}
	if all && r.ItemSize > 1 {
		facts.addCode("byte", result.ByteFormula)
	}
	if all && r.hasHeader() {
		start := *r.DataOffset
		facts.add("in file", fmt.Sprintf("%d + %d = %d: the data start at byte %d", start, result.Byte, *result.FileByte, start))
	}
	return facts
}

// offsetWork returns how an offset becomes a coordinate: by division, or, if it was searched for, the formulas of the coordinates found.
func (r *report) offsetWork(result *result) (facts calculation) {
	if result.Division != nil {
		facts.addCode("swizzle", result.permuted...)
		facts.addCode("division", result.Division.lines(r.Offset)...)
		return facts
	}
	for _, coord := range result.Coords[:min(len(result.Coords), maxShown)] {
		facts.addCode("offset", explain.NewAddress(r.layout, coord).String())
	}
	return facts
}

// inFile returns the bytes of the file that hold the code of a quantized value: ", byte 285 of the file".
func (r *result) inFile() string {
	if r.FileByte == nil {
		return ""
	}
	var bytes []string
	for _, p := range r.Quantized.Pieces {
		bytes = append(bytes, strconv.FormatInt(*r.FileByte+int64(p.Byte), 10))
	}
	return ", " + text.Plural(len(bytes), "byte ", "bytes ") + text.And(bytes) + " of the file"
}

// sharers returns lines on the elements that share the offset, and why.
func (r *report) sharers(result *result) []string {
	if result.Elems == 0 {
		return nil
	}
	if result.Elems > 1 {
		return append([]string{result.others()}, r.whyShared(result.Elems)...)
	}
	if result.Complete {
		return nil
	}
	return []string{"search limit reached: other elements may be at this offset"}
}

// others lists the elements at an offset, or those that share it with the element at a coordinate.
func (r *result) others() string {
	all := r.Coords
	n := r.Elems
	line := "by "
	if r.Coord != nil {
		all = r.Aliases
		n = r.Elems - 1
		line = "with "
	}
	shown := all[:min(len(all), maxShown)]
	parts := make([]string, len(shown))
	for i, c := range shown {
		parts[i] = text.Brackets(c)
	}
	line += strings.Join(parts, ", ")
	if n > len(shown) {
		line += fmt.Sprintf(" and %s more", r.count(n-len(shown)))
	}
	return line
}

// whyShared returns why n elements share an offset: strides of 0, and strides that overlap if there are more elements than those explain.
func (r *report) whyShared(n int) (lines []string) {
	broadcast := 1 // elements that differ only in indices of stride 0
	for _, i := range r.layout.BroadcastDims() {
		d := r.layout.Dim(i)
		for k, g := range d.Digits {
			if g.Stride == 0 && g.Extent > 1 && d.Size > g.Div {
				lines = append(lines, explain.DigitName(d, k)+" has stride 0 (broadcast): its index does not change the offset")
				broadcast *= g.Extent
			}
		}
	}
	if broadcast < n {
		lines = append(lines, "the strides overlap: different coordinates have the same offset")
	}
	return lines
}
