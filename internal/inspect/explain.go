package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Derivation answers one question of --explain, line by line.
type Derivation struct {
	Title string   `json:"heading"` // heading of the lines
	Lines []string `json:"lines"`   // text, line by line
}

// Derive answers the questions of --explain.
func (r *Report) Derive() []Derivation {
	all := append([]Derivation{r.explainStrides(), r.explainAddress()}, r.explainValues()...)
	if s, plain := r.tensor.Layout.Strided(); plain {
		all = append(append(all, r.explainWalks(s)...), r.explainPyTorch(s)...)
	} else {
		all = append(all, Derivation{"Contiguous? no", []string{explain.NoStrides(r.tensor.Layout) + ": no single stride describes it"}})
	}
	return append(all, r.explainMemory())
}

// explainMemory derives elements · itemsize, the storage size, and the bytes moved by a copy.
func (r *Report) explainMemory() Derivation {
	data := int64(r.NBytes)
	count := fmt.Sprint(r.Numel)
	if sizes := r.tensor.Layout.Shape(); len(sizes) > 1 {
		count = text.Ints(sizes, " · ") + " = " + count
	}
	e := Derivation{"Memory", []string{fmt.Sprintf("elements: %s, %s each: %s", count, r.itemText(), text.ExactBytes(data))}}
	if r.Encoding != "" {
		e.Lines = append(e.Lines, "an element is a block of "+r.Encoding)
	}
	if r.Storage != r.Numel {
		e.Lines = append(e.Lines, fmt.Sprintf("storage: %d elements, %s%s", r.Storage, text.ExactBytes(r.size(r.Storage)), r.storageWhy()))
	}
	e.Lines = append(e.Lines, r.copyCost(text.Bytes(data)))
	if c := r.Container; c != nil {
		e.Lines = append(e.Lines, fmt.Sprintf("file: %d bytes of data from byte %d%s", c.DataBytes, c.DataOffset, c.Within()))
	}
	return e
}

// storageWhy explains a difference in size between storage and elements.
func (r *Report) storageWhy() string {
	shared := ""
	if r.overlaps() {
		shared = r.SharedText()
	}
	return strings.TrimSuffix(": "+joined(shared, r.WasteText()), ": ")
}

// copyCost is the cost of contiguous(): nothing if it returns self.
func (r *Report) copyCost(size string) string {
	moved := fmt.Sprintf("reads %s and writes %s", size, size)
	p := r.PyTorch
	if p != nil && p.MakeContiguous.Self {
		return "contiguous() returns self, no copy; clone() " + moved
	}
	if p != nil {
		return fmt.Sprintf("contiguous() makes a copy with strides %s: it %s", tensor.Tuple(p.MakeContiguous.Strides), moved)
	}
	return "a copy " + moved
}

// axes lists the digits that move the address, outermost first.
func (r *Report) axes() []explain.Axis {
	var order *notation.Format
	if r.tensor.HasFormat {
		order = &r.tensor.Format
	}
	return explain.InMemory(r.tensor.Layout, order)
}

// explainStrides derives each stride as the product of the sizes inside it.
func (r *Report) explainStrides() Derivation {
	e := Derivation{Title: "Strides in elements, outermost first"}
	if r.Swizzle != nil {
		e.Title = fmt.Sprintf("Strides before %s, in elements, outermost first", r.Swizzle)
	}
	if len(r.Shape) == 0 {
		e.Lines = []string{"a scalar has no dims and no strides"}
		return e
	}
	if r.Numel == 0 {
		e.Lines = []string{"the tensor is empty: its strides are never used"}
		return e
	}
	for _, s := range explain.NewStrides(r.axes()) {
		e.Lines = append(e.Lines, s.String())
	}
	e.Lines = append(e.Lines, explain.PaddedBlocks(r.tensor.Layout)...)
	if r.StridesBytes != nil {
		e.Lines = append(e.Lines, fmt.Sprintf("in bytes, as in NumPy: itemsize · stride = %d · %s = %s", r.ItemSize, tensor.Tuple(r.Strides),
			tensor.Tuple(r.StridesBytes)))
	}
	return e
}

// explainWalks decides each kind of contiguity of the rank, from the innermost dim outwards.
func (r *Report) explainWalks(s tensor.Strided) []Derivation {
	walks := []Derivation{}
	if !s.Empty() {
		walks = append(walks, explainedWalk("C-contiguous?", explain.NewWalk(s, r.Dims, explain.Packed(s.Rank()))))
	}
	if order := explain.ChannelsLast(s.Rank()); order != nil {
		walks = append(walks, explainedWalk(r.ChannelsLastFormat()+" contiguous?", explain.NewWalk(s, r.Dims, order)))
	}
	return walks
}

func explainedWalk(title string, w explain.Walk) Derivation {
	e := Derivation{Title: title + " " + text.YesNo(w.OK)}
	for _, step := range w.Steps {
		e.Lines = append(e.Lines, step.String())
	}
	if len(w.Steps) == 0 {
		e.Lines = []string{"a scalar is contiguous in every sense"}
	}
	return e
}

// explainPyTorch compares is_contiguous(), is_contiguous(channels_last) and suggest_memory_format(), explains differences, and shows which of them
// decides whether a call copies. (aten/src/ATen/native/TensorProperties.cpp, TensorConversions.cpp)
func (r *Report) explainPyTorch(s tensor.Strided) []Derivation {
	p := r.PyTorch
	format := r.ChannelsLastFormat()
	if p == nil || explain.ChannelsLast(s.Rank()) == nil {
		return nil
	}
	eager := explain.NewHint(s, r.Dims, explain.Eager)
	traced := explain.NewHint(s, r.Dims, explain.Traced)
	last := r.Contiguous.channelsLast()
	e := Derivation{Title: "PyTorch: contiguity and memory format", Lines: []string{
		fmt.Sprintf("is_contiguous(): %s", text.YesNo(p.Contiguous)),
		fmt.Sprintf("is_contiguous(%s): %s", format, text.YesNo(last)),
		fmt.Sprintf("suggest_memory_format(): %s; %s", p.Suggested, eager),
	}}
	if why := r.SuggestionText(); why != "" {
		e.Lines = append(e.Lines, "they differ: "+why)
	}
	e.Lines = append(e.Lines,
		fmt.Sprintf(".contiguous(%s) follows is_contiguous(%s): %s", format, format, p.ContiguousLast().text()),
		fmt.Sprintf(".to(memory_format=%s) follows suggest_memory_format(): %s", format, p.ToLast().text()))
	like := func(language string, h explain.Hint, askers ...string) Derivation {
		return Derivation{fmt.Sprintf("Strides like %s? %s, in PyTorch's %s", format, text.YesNo(h.Reason == explain.HintNested), language),
			append(askers, h.Lines()...)}
	}
	cpp := fmt.Sprintf("is_channels_last_strides_%dd, called by suggest_memory_format in eager operators (c10/core/MemoryFormat.h, PyTorch 1.13 and 2.x)",
		s.Rank()-2)
	python := "are_strides_like_channels_last, called by torch.compile's tracing for the results of convolution, pooling, pad and repeat " +
		"(torch/_prims_common/__init__.py, PyTorch 1.13 to 2.10; since pytorch #173038 with the rule of C++)"
	if slices.Equal(eager.Lines(), traced.Lines()) {
		return []Derivation{e, like("C++ and Python", eager, "C++: "+cpp, "Python: "+python)}
	}
	return []Derivation{e, like("C++", eager, cpp), like("Python", traced, python)}
}

func (c *Copy) text() string {
	if c.Self {
		return "returns self"
	}
	return "returns a copy with strides " + tensor.Tuple(c.Strides)
}

// explainAddress derives the address of one element.
func (r *Report) explainAddress() Derivation {
	l := r.tensor.Layout
	e := Derivation{Title: "Address of an element"}
	coord := explain.Example(l)
	if r.Numel == 0 {
		e.Lines = []string{"the tensor is empty: it has no elements"}
		return e
	}
	if len(coord) == 0 {
		e.Lines = []string{explain.Formula(l)}
		return e
	}
	address := explain.NewAddress(l, coord)
	e.Lines = append(append(e.Lines, explain.Formula(l)), address.DigitLines()...)
	e.Lines = append(e.Lines, fmt.Sprintf("at %s: %s", text.Brackets(coord), address))
	in := fmt.Sprintf("in bytes: %d · %d = %s", address.Total, r.ItemSize, r.InBytes(address.Total))
	if r.Bits > 0 {
		in = fmt.Sprintf("in bytes: %d · %d bits = byte %s", address.Total, r.Bits, r.tensor.DType.In(address.Total))
	}
	if r.Container != nil && r.Bits == 0 {
		in += fmt.Sprintf(", byte %d%s",
			r.Container.DataOffset+int64(address.Total)*int64(r.ItemSize), r.Container.Within())
	}
	e.Lines = append(e.Lines, in)
	return e
}
