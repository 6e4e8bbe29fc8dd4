package inspect

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// Derivation is one question of --explain, answered line by line.
type Derivation struct {
	Title string   `json:"title"`
	Lines []string `json:"lines"`
}

// Derive answers the questions of --explain.
func (r *Report) Derive() []Derivation {
	all := []Derivation{r.explainStrides(), r.explainAddress()}
	if s, plain := r.tensor.Layout.Strided(); plain {
		all = append(all, r.explainWalks(s)...)
		if q, asked := r.explainPyTorch(s); asked {
			all = append(all, q)
		}
	} else {
		all = append(all, Derivation{"Contiguous? no", []string{"a dim is split into blocks: one stride cannot say where its elements lie"}})
	}
	return append(all, r.explainMemory())
}

// explainMemory: elements × item size, what the storage takes, and what a copy moves.
func (r *Report) explainMemory() Derivation {
	data := int64(r.NBytes)
	count := fmt.Sprint(r.Numel)
	if len(r.Shape) > 1 {
		count = words.Ints(r.Shape, " · ") + " = " + count
	}
	e := Derivation{"Memory", []string{fmt.Sprintf("elements: %s, of %s each: %s", count, words.Bytes(int64(r.ItemSize)), words.ExactBytes(data))}}
	if r.Storage != r.Numel {
		e.Lines = append(e.Lines, fmt.Sprintf("storage: %d elements, %s%s", r.Storage, words.ExactBytes(int64(r.Storage)*int64(r.ItemSize)), r.storageWhy()))
	}
	e.Lines = append(e.Lines, r.copyCost(words.Bytes(data)))
	if c := r.Container; c != nil {
		e.Lines = append(e.Lines, fmt.Sprintf("file: %d bytes of data from byte %d%s", c.DataBytes, c.DataOffset, c.Within()))
	}
	return e
}

// storageWhy says why the storage is not as large as the elements.
func (r *Report) storageWhy() string {
	var why []string
	if text, yes := strings.CutPrefix(r.OverlapText(), "yes: "); yes {
		why = append(why, text)
	}
	if text := r.PaddedText(); text != "no" {
		_, text, _ = strings.Cut(text, ": ")
		why = append(why, "padding: "+text)
	}
	return strings.TrimSuffix(": "+strings.Join(why, "; "), ": ")
}

// copyCost says what contiguous() costs: nothing where it returns the tensor itself.
func (r *Report) copyCost(size string) string {
	moved := fmt.Sprintf("reads %s and writes %s", size, size)
	switch p := r.PyTorch; {
	case p != nil && p.MakeContiguous.Self:
		return "contiguous() copies nothing and returns the tensor itself; clone() " + moved
	case p != nil:
		return fmt.Sprintf("contiguous() makes a copy of strides %s: it %s", tensor.Tuple(p.MakeContiguous.Strides), moved)
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

// explainStrides shows each stride as the product of the sizes inside it.
func (r *Report) explainStrides() Derivation {
	e := Derivation{Title: "How the strides come about, outermost first, in elements"}
	switch {
	case len(r.Shape) == 0:
		e.Lines = []string{"a scalar has no dims, and so no strides"}
		return e
	case r.Numel == 0:
		e.Lines = []string{"the tensor is empty: no stride is ever used"}
		return e
	}
	for _, s := range explain.NewStrides(r.axes()) {
		e.Lines = append(e.Lines, s.String())
	}
	e.Lines = append(e.Lines, explain.PaddedLanes(r.tensor.Layout)...)
	if r.StridesBytes != nil {
		e.Lines = append(e.Lines, fmt.Sprintf("in bytes, as NumPy counts: itemsize · stride, %d · %s = %s", r.ItemSize, tensor.Tuple(r.Strides),
			tensor.Tuple(r.StridesBytes)))
	}
	return e
}

// explainWalks walks the senses of contiguous that have a meaning for the rank, each from the innermost dim out.
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
	e := Derivation{Title: title + " " + words.YesNo(w.OK)}
	for _, step := range w.Steps {
		e.Lines = append(e.Lines, step.String())
	}
	if len(w.Steps) == 0 {
		e.Lines = []string{"a scalar is contiguous in every sense"}
	}
	return e
}

// explainPyTorch puts the three questions side by side, with the reason where they part, and says which of them each
// call asks.
func (r *Report) explainPyTorch(s tensor.Strided) (e Derivation, asked bool) {
	p, format := r.PyTorch, r.ChannelsLastFormat()
	if p == nil || explain.ChannelsLast(s.Rank()) == nil {
		return e, false
	}
	last := r.Contiguous.CL || r.Contiguous.CL3D
	e = Derivation{Title: "What PyTorch's three questions answer", Lines: []string{
		fmt.Sprintf("is_contiguous(): %s", words.YesNo(p.Contiguous)),
		fmt.Sprintf("is_contiguous(%s): %s", format, words.YesNo(last)),
		fmt.Sprintf("suggest_memory_format(): %s; %s", p.Suggested, explain.NewHint(s, r.Dims)),
	}}
	if why := r.SuggestionText(); why != "" {
		e.Lines = append(e.Lines, "they differ: "+why)
	}
	return Derivation{e.Title, append(e.Lines,
		fmt.Sprintf(".contiguous(%s) asks the second: %s", format, p.MakeChannelsLast.text()),
		fmt.Sprintf(".to(memory_format=%s) asks the third: %s", format, p.ToChannelsLast.text()))}, true
}

func (c *Copy) text() string {
	if c.Self {
		return "it returns the tensor itself"
	}
	return "it returns a copy of strides " + tensor.Tuple(c.Strides)
}

// explainAddress works out the address of one element.
func (r *Report) explainAddress() Derivation {
	l, e := r.tensor.Layout, Derivation{Title: "Where an element lies"}
	coord := explain.Example(l)
	switch {
	case r.Numel == 0:
		e.Lines = []string{"the tensor is empty: there is none"}
		return e
	case len(coord) == 0:
		e.Lines = []string{explain.Formula(l)}
		return e
	}
	address := explain.NewAddress(l, coord)
	e.Lines = append(append(e.Lines, explain.Formula(l)), address.DigitLines()...)
	e.Lines = append(e.Lines, fmt.Sprintf("at %s: %s", words.Brackets(coord), address))
	in := fmt.Sprintf("in bytes: %d · %d = %s", address.Total, r.ItemSize, explain.InBytes(address.Total, r.ItemSize))
	if r.Container != nil {
		in += fmt.Sprintf(" from the first byte of the data, byte %d%s",
			r.Container.DataOffset+int64(address.Total)*int64(r.ItemSize), r.Container.Within())
	}
	e.Lines = append(e.Lines, in)
	return e
}
