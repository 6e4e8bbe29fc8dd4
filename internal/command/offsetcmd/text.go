package offsetcmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/source"
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
	if len(r.Results) > 1 || first.Line != nil || first.Coord != nil && (r.ItemSize != 1 || r.DataOffset != nil && *r.DataOffset != 0) {
		flags = append(flags, "--all")
	}
	if first.Line == nil && r.ItemSize > 0 {
		flags = append(flags, "--line-size 64")
	}
	return flags
}

// remarks returns a line on the dims of coordinates.
func (r *report) remarks() []string {
	if len(r.Shape) == 0 {
		return nil
	}
	s := r.name() + ": " + tensor.NamedSizes(r.Dims, r.Shape)
	switch {
	case r.LayoutAssumed:
		s += ", " + r.Layout + " assumed (set it with --from)"
	case r.Layout != r.layout.String():
		s += ", memory order " + r.Layout
	}
	return []string{s}
}

// name returns the source's name in sentences.
func (r *report) name() string { return source.DisplayName(r.Source) }

// headline returns the answer: "x.npy[1,0,1] is at offset 7, byte 28 (156 in the file), value 3.5".
func (r *report) headline(result *result) string {
	at := result.String()
	if result.Offset < 0 || result.Offset >= r.Storage {
		at += ", outside the storage of " + text.Count(r.Storage, "element")
	}
	switch n := result.Elems; {
	case result.index != nil:
		return fmt.Sprintf("%s%s is value %d of the block at offset %d, %s", r.name(), text.Brackets(result.values), *result.index, result.Offset, at)
	case result.Coord != nil:
		return fmt.Sprintf("%s%s is at offset %d, %s", r.name(), text.Brackets(result.Coord), result.Offset, at)
	case result.Padding != nil:
		return fmt.Sprintf("offset %d of %s is padding %s", result.Offset, r.name(), result.Padding.Why)
	case n == 0:
		return fmt.Sprintf("offset %d of %s: no element found within the search limit; %s", result.Offset, r.name(), at)
	case n == 1 && result.Complete:
		return fmt.Sprintf("offset %d of %s holds %s%s, %s", result.Offset, r.name(), r.name(), r.brackets(result.Coords[0]), at)
	default:
		return fmt.Sprintf("offset %d of %s holds %s elements, %s", result.Offset, r.name(), result.count(n), at)
	}
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
	switch {
	case r.Quantized != nil:
		s += ", value " + r.Quantized.Value
	case r.index == nil && r.Value != nil:
		s += ", value " + text.Shorten(*r.Value)
	}
	return s
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
	var facts []cli.Fact
	add := func(label string, code bool, texts ...string) {
		for _, text := range texts {
			facts = append(facts, cli.Fact{Label: label, Text: text, Code: code})
		}
	}
	switch {
	case result.Coord != nil:
		add("digits", true, result.digits...)
		add("offset", true, result.Formula)
		add("swizzle", true, result.permuted...)
		if q := result.Quantized; q != nil {
			add("code", false, fmt.Sprintf("%d, in %s of the block%s", q.Code, q.Where(), result.inFile()))
			add("value", true, q.Sum())
		}
		if all && r.ItemSize > 1 {
			add("byte", true, result.ByteFormula)
		}
		if start := r.DataOffset; all && start != nil && *start != 0 {
			add("in file", false, fmt.Sprintf("%d + %d = %d: the data start at byte %d", *start, result.Byte, *result.FileByte, *start))
		}
	case result.Division != nil:
		add("swizzle", true, result.permuted...)
		add("division", true, result.Division.lines(r.Offset)...)
	default:
		for _, coord := range result.Coords[:min(len(result.Coords), maxShown)] {
			add("offset", true, explain.NewAddress(r.layout, coord).String())
		}
	}
	if result.Padding != nil {
		add("byte", false, result.bytes())
		if result.Value != nil {
			add("value", false, text.Shorten(*result.Value))
		}
	}
	add("shared", false, r.sharers(result)...)
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
	switch {
	case result.Elems == 0 || result.Elems == 1 && result.Complete:
		return nil
	case result.Elems == 1:
		return []string{"search limit reached: other elements may be at this offset"}
	}
	all := result.Coords
	n := result.Elems
	line := "by "
	if result.Coord != nil {
		all = result.Aliases
		n = result.Elems - 1
		line = "with "
	}
	shown := all[:min(len(all), maxShown)]
	parts := make([]string, len(shown))
	for i, c := range shown {
		parts[i] = text.Brackets(c)
	}
	line += strings.Join(parts, ", ")
	if n > len(shown) {
		line += fmt.Sprintf(" and %s more", result.count(n-len(shown)))
	}
	lines := []string{line}
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
	if broadcast < result.Elems {
		lines = append(lines, "the strides overlap: different coordinates have the same offset")
	}
	return lines
}
