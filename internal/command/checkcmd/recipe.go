//go:build !js

package checkcmd

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate/recipe"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

var recipeDocument = cli.Document{Schema: "tlayout/check_recipe/v1", Prints: "check --recipe", Type: reflect.TypeFor[recipeReport]()}

// recipeReport is check's answer for --recipe.
type recipeReport struct {
	document.Head                // the checkpoint that is checked
	A             document.Named `json:"made_of_source"`     // the checkpoint that it is made of
	OK            bool           `json:"ok"`                 // it holds or is accepted
	Checked       int            `json:"checkpoint_tensors"` // tensors of the checkpoint
	Deviations    []deviation    `json:"deviations"`         // tensors that are not
}

// deviation is a tensor that is not what the recipe makes.
type deviation struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Failed reports whether a tensor deviates.
func (r *recipeReport) Failed() bool { return !r.OK }

// Page writes the answer and the tensors that deviate.
func (r *recipeReport) Page(p *cli.Page) {
	if r.OK {
		p.Answer(fmt.Sprintf("%s: made of %s: %s, every element", r.Shown(), r.A.Shown(), text.Count(r.Checked, "tensor")))
		return
	}
	p.Answer(fmt.Sprintf("%s: not made of %s: %s", r.Shown(), r.A.Shown(), text.Count(len(r.Deviations), "deviation")))
	const shown = 14
	var lines []string
	for _, d := range r.Deviations {
		lines = append(lines, text.Quote(text.Cut(d.Name, 200))+": "+d.Why)
	}
	if more := len(lines) - shown; more > 1 && !p.All() {
		lines = append(lines[:shown], fmt.Sprintf("… %d more", more))
		p.More("--all")
	}
	p.Items(lines...)
}

// Rows has a row for each tensor that deviates.
func (r *recipeReport) Rows() render.Table { return cli.TableOf("name,why", r.Deviations...) }

// checkRecipe checks that a checkpoint is what a recipe makes of another.
func checkRecipe(a *cli.App, o *options) error {
	if o.want.any() || o.reading.HasShape() || o.reading.Exact() {
		return fault.New(fault.Usage, "--recipe is asserted alone: it is about two checkpoints").WithHint("tlayout check model.safetensors --recipe r.json model.pt")
	}
	if len(o.sources) != 2 {
		return fault.New(fault.Usage, "--recipe takes two checkpoints, B and A, found %s", text.Count(len(o.sources), "source")).
			WithHint("tlayout check model.safetensors --recipe r.json model.pt")
	}
	doc, err := cli.LoadRecipe(o.recipe)
	if err != nil {
		return err
	}
	var sets [2]*source.Set
	for k, n := range o.sources {
		set, pattern, err := source.Open(n, source.Options{})
		if err != nil {
			return err
		}
		defer set.Close()
		if pattern != "" || !set.IsContainer() {
			return fault.New(fault.Usage, "--recipe takes all tensors of a checkpoint by their names, and %s is not one", n)
		}
		sets[k] = set
	}
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	c := recipeCheck{
		b: sets[0],
		maker: recipe.Maker{
			Open:    func(name string) (*source.Tensor, error) { return sets[1].Named(name, source.Options{}) },
			Memory:  recipe.Memory,
			Convert: convert.Options{Kernels: kernels},
		},
	}
	r := &recipeReport{Head: document.NewHead("tlayout/check_recipe/v1", o.sources[0]), A: document.NewNamed(o.sources[1]), Checked: len(sets[0].Tensors), Deviations: []deviation{}}
	if err := c.run(doc, r); err != nil {
		return err
	}
	r.OK = len(r.Deviations) == 0
	if err := a.Write(r); err != nil {
		return err
	}
	if !r.OK {
		return cli.Reported(fault.New(fault.Negative, "%s not what the recipe makes", text.Plural(len(r.Deviations), "a tensor is", "tensors are")))
	}
	return nil
}

// recipeCheck compares the tensors of a checkpoint with those that a recipe makes.
type recipeCheck struct {
	b     *source.Set
	maker recipe.Maker
}

// run adds the tensors that deviate, and those of the checkpoint that the recipe does not name.
func (c recipeCheck) run(doc *recipe.Recipe, r *recipeReport) error {
	named := map[string]bool{}
	for _, t := range doc.Tensors {
		named[t.Name] = true
		why, err := c.deviation(t)
		if err != nil {
			return err
		}
		if why != "" {
			r.Deviations = append(r.Deviations, deviation{t.Name, why})
		}
	}
	for i := range c.b.Tensors {
		if name := c.b.TensorName(i); !named[name] {
			r.Deviations = append(r.Deviations, deviation{name, "the recipe does not name it"})
		}
	}
	return nil
}

// deviation returns why the checkpoint's tensor is not what the recipe makes; empty if it is.
func (c recipeCheck) deviation(want recipe.Tensor) (why string, err error) {
	t, err := c.b.Named(want.Name, source.Options{})
	if err != nil {
		return err.Error(), nil
	}
	defer t.Close()
	d, err := dtype.Parse(want.DType)
	if err != nil {
		return "", err
	}
	if !t.DType.Equal(d) || !slices.Equal(t.Layout.Shape(), want.Shape) {
		return fmt.Sprintf("%s %s, and the recipe makes %s %s", t.DType.Typestr(), tensor.Tuple(t.Layout.Shape()), d.Typestr(), tensor.Tuple(want.Shape)), nil
	}
	first, err := c.maker.Compare(want, t)
	switch fault.ClassOf(err) {
	case fault.Negative, fault.Unsupported, fault.Malformed, fault.Usage:
		return err.Error(), nil
	}
	if err != nil || first < 0 {
		return "", err
	}
	return fmt.Sprintf("differs from element %d on", first/int64(max(1, d.ItemSize()))), nil
}
