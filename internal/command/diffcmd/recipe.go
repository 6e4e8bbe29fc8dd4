//go:build !js

package diffcmd

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/relate/recipe"
	"github.com/tlayout/tlayout/internal/relate/wording"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// recipeReport is the recipe that was written.
type recipeReport struct {
	file    name.Name
	sources []name.Name
	*recipe.Recipe
}

// isWhole reports whether the recipe explains all tensors of b.
func (r *recipeReport) isWhole() bool { return len(r.Unexplained()) == 0 }

// checkRecipe refuses a recipe of what check and convert cannot read with it.
func (d *differ) checkRecipe() error {
	if !d.options.asksRecipe() {
		return nil
	}
	if d.options.recipe.IsStdin() {
		return fault.New(fault.Usage, "--recipe needs a file").WithHint("--recipe r.json")
	}
	for _, in := range d.inputs {
		isWhole := in.set != nil && in.set.IsContainer() && in.pattern == ""
		if !isWhole || batch.IsFolder(in.source) {
			return fault.New(fault.Usage, "--recipe is for whole archives and checkpoints, and %s is not one", in.source).
				WithHint("tlayout diff model.pt model.safetensors --recipe recipe.json")
		}
	}
	return nil
}

// lines say how much the recipe explains, and how to use it.
func (r *recipeReport) lines() []string {
	left := r.Unexplained()
	all := len(r.Tensors)
	first := fmt.Sprintf("wrote %s: it explains %d of %s of b", r.file.Shown(), all-len(left), text.Count(all, "tensor"))
	if len(left) > 0 {
		lines := []string{first}
		for _, t := range left[:min(len(left), shownUnexplained)] {
			lines = append(lines, "not explained: "+shownName(t.Name)+": "+t.Why)
		}
		if more := len(left) - shownUnexplained; more > 0 {
			lines = append(lines, fmt.Sprintf("… %d more", more))
		}
		return lines
	}
	return []string{first, "again: tlayout check " + r.sources[1].Arg() + " --recipe " + r.file.Arg() + " " + r.sources[0].Arg()}
}

// shownUnexplained bounds the tensors of which a page says why the recipe does not explain them.
const shownUnexplained = 4

// explanation is how a tensor of b is made of a's, or why no copies make it.
type explanation struct {
	how    string
	pieces []pairing.Piece // named as in the report, without a prefix
	change *recipe.Change
	why    string
}

// explain returns how b is made of a: by the layouts of both, or by their relation.
func (p *pair) explain(found *report) (e explanation) {
	inA := p.tensors[0]
	inB := p.tensors[1]
	if !inA.DType.Equal(inB.DType) {
		e.change = &recipe.Change{FromDType: inA.DType.String(), Factor: 1}
	}
	if found.Equal {
		e.pieces = []pairing.Piece{pairing.NewPiece(inA.OwnName(), p.layouts[0], p.layouts[1])}
		return e
	}
	if found.Relation == nil {
		return explanation{why: "no relation to a tensor of a was found"}
	}
	r := found.Relation.Relation
	e.how = r.Sentence
	if r.Tolerance != nil {
		return explanation{why: r.Sentence}
	}
	if r.Differ > 0 {
		return explanation{why: "all but " + text.Count(r.Differ, "element") + " are a's"}
	}
	if r.Swapped || r.Viewed {
		return explanation{why: "the bits of elements were changed" + r.Values}
	}
	if s := r.Scale; s != nil {
		e.change = &recipe.Change{FromDType: inA.DType.String(), Factor: s.Factor, Addend: s.Offset}
	}
	from := p.layouts[0]
	to := r.Reading
	if !r.CanRead {
		rows, err := reshaped(from, r.Rows.Shape())
		if !r.HasRows || err != nil {
			return explanation{why: "no layout has the order of the elements"}
		}
		from = rows
		to = r.Rows
	}
	e.pieces = []pairing.Piece{pairing.NewPiece(inA.OwnName(), from, to)}
	return e
}

// writeRecipe writes how each tensor of b is made of a's, after each was made and compared with b's.
func (d *differ) writeRecipe(all []tensorReport) (*recipeReport, error) {
	byName := d.explanations(all)
	r := &recipe.Recipe{Schema: recipe.Schema, A: d.options.sources[0].Shown(), B: d.options.sources[1].Shown()}
	maker := recipe.Maker{Open: d.side(0).Open, Memory: recipe.Memory, Convert: d.moving}
	for _, short := range d.inputs[1].names {
		t, err := d.side(1).Open(short)
		if err != nil {
			return nil, err
		}
		made, err := d.recipeOf(t, d.inputs[1].whole(short), byName[short], maker)
		t.Close()
		if err != nil {
			return nil, err
		}
		for k, p := range made.Pieces {
			made.Pieces[k].Tensor = d.inputs[0].whole(p.Tensor)
		}
		r.Tensors = append(r.Tensors, made)
	}
	data, err := r.Text()
	if err != nil {
		return nil, err
	}
	file, err := publish.Create(d.options.recipe, publish.Options{Replace: d.options.force, Inputs: d.Inputs(slices.Concat(d.inputs[0].set.Reads(), d.inputs[1].set.Reads())...)})
	if err != nil {
		return nil, err
	}
	defer file.Discard()
	_, err = file.Write(data)
	if err != nil {
		return nil, err
	}
	return &recipeReport{d.options.recipe, d.options.sources, r}, file.Commit()
}

// recipeOf returns the tensor of a recipe, whose pieces were made and compared with b's.
func (d *differ) recipeOf(t *source.Tensor, name string, e explanation, maker recipe.Maker) (made recipe.Tensor, err error) {
	made = recipe.Tensor{Name: name, DType: t.DType.String(), Shape: t.Layout.Shape(), How: e.how, Change: e.change, Why: e.why}
	if t.DType.Packed() {
		made.Why = "its elements share bytes"
	}
	if len(e.pieces) == 0 && made.Why == "" {
		made.Why = "no relation to a tensor of a was found"
	}
	if made.Why != "" {
		return unexplained(made), nil
	}
	for _, p := range e.pieces {
		to, ok := inRowMajor(p.To, t)
		if !ok {
			made.Why = "b stores it with strides that no copy of rows has"
			return unexplained(made), nil
		}
		made.Pieces = append(made.Pieces, recipe.Piece{Tensor: p.Name, From: p.From.String(), To: to.String()})
	}
	first, err := maker.Compare(made, t)
	if err == nil && first >= 0 {
		made.Why = fmt.Sprintf("made of a's elements, it would differ at byte %d", first)
	}
	switch fault.ClassOf(err) {
	case fault.Malformed, fault.Unsupported, fault.Negative, fault.Usage:
		made.Why = err.Error()
		err = nil
	}
	if made.Why != "" {
		made = unexplained(made)
	}
	return made, err
}

func unexplained(t recipe.Tensor) recipe.Tensor {
	t.How = ""
	t.Pieces = nil
	t.Change = nil
	return t
}

// inRowMajor returns a layout of a tensor's storage as one of its elements in row-major order of its dims. ok is false if a digit of it is
// none of the tensor's strides.
func inRowMajor(l tensor.Layout, t *source.Tensor) (rows tensor.Layout, ok bool) {
	own, plain := t.Layout.Strided()
	packed, err := tensor.Packed(t.Layout.Shape())
	if !plain || err != nil {
		return l, false
	}
	if own.IsContiguous(tensor.ContiguousFormat) {
		rows, err = l.Moved(l.Offset() - own.Offset)
		return rows, err == nil
	}
	offset := l.Offset() - own.Offset
	dims := make([]tensor.Dim, l.Rank())
	for d := range dims {
		dims[d] = l.Dim(d)
		dims[d].Digits = slices.Clone(dims[d].Digits)
		for k, g := range dims[d].Digits {
			of := dimOfStride(own, g.Stride)
			if of < 0 && g.Extent > 1 {
				return l, false
			}
			if g.Extent > 1 {
				dims[d].Digits[k].Stride = g.Stride / own.Strides[of] * packed.Strides[of]
			}
		}
	}
	rows, err = tensor.New(dims, 0, packed.Numel())
	return rows, err == nil && offset == 0
}

// dimOfStride returns the dim with the largest stride that divides a digit's, and that reaches as far; −1 without one.
func dimOfStride(v tensor.Strided, stride int) int {
	best := -1
	for d, s := range v.Strides {
		divides := s > 0 && stride%s == 0 && stride/s < v.Shape[d]
		if divides && (best < 0 || s > v.Strides[best]) {
			best = d
		}
	}
	return best
}

// explanations returns how the tensors of b are made, by their names.
func (d *differ) explanations(all []tensorReport) map[string]explanation {
	byName := map[string]explanation{}
	for _, t := range all {
		inB := t.Name
		if t.MovedTo != nil {
			inB = *t.MovedTo
		}
		switch t.outcome {
		case onlyInA, onlyInB, unreadable:
		case tied:
			if t.OnlyIn == "b" {
				byName[t.Name] = d.explainTied(*t.TiedTo, t.Name)
			}
		case made:
			if t.OnlyIn != "a" { // d.made has it
				continue
			}
			for _, p := range t.Pieces {
				e := byName[p.Name]
				e.how = "elements of " + t.Name
				e.pieces = append(e.pieces, pairing.NewPiece(t.Name, p.To, p.From))
				byName[p.Name] = e
			}
		default:
			e := t.explained
			if t.Pieces != nil {
				e = explanation{how: t.How, pieces: t.Pieces}
			}
			for k := range e.pieces {
				e.pieces[k].Name = t.Name
			}
			byName[inB] = e
		}
	}
	for inB, m := range d.made {
		e := explanation{how: wording.Of(m).How, pieces: m.Pieces}
		if m.Cast != nil {
			e.change = &recipe.Change{FromDType: m.Cast.From, Factor: 1}
		}
		byName[inB] = e
	}
	return byName
}

// explainTied returns how a second name of b is made of the tensor that has its elements.
func (d *differ) explainTied(inA, inB string) explanation {
	t, err := d.compareNamed(inA, inB, sameElements)
	if err != nil {
		return explanation{why: err.Error()}
	}
	for k := range t.explained.pieces {
		t.explained.pieces[k].Name = inA
	}
	return t.explained
}

// whole returns the name of a tensor with the prefix that the report leaves out.
func (in *input) whole(short string) string {
	full, ok := in.sources[short].MemberOf(in.source)
	if !ok {
		return short
	}
	return full
}
