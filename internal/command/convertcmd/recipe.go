//go:build !js

package convertcmd

import (
	"fmt"
	"reflect"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/relate/recipe"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

var recipeDocument = cli.Document{Schema: "tlayout/convert_recipe/v1", Prints: "convert --recipe", Type: reflect.TypeFor[recipeReport]()}

// recipeReport is convert's answer for --recipe.
type recipeReport struct {
	document.Head
	Output  document.Named `json:"checkpoint"`         // that was made
	Tensors int            `json:"checkpoint_tensors"` // tensors of the checkpoint
	Bytes   int64          `json:"made_bytes"`         // of the file
	dryRun  bool
}

// Page writes what was made.
func (r *recipeReport) Page(p *cli.Page) {
	verb := "wrote"
	if r.dryRun {
		verb = "would write"
	}
	p.Answer(fmt.Sprintf("%s %s: %s, %s", verb, r.Output.Shown(), text.Count(r.Tensors, "tensor"), text.ShortBytes(r.Bytes)))
}

// Rows has one row.
func (r *recipeReport) Rows() render.Table { return cli.TableOf("checkpoint_tensors,made_bytes", *r) }

// runRecipe makes the checkpoint that a recipe describes of a source.
func runRecipe(a *cli.App, o *options, s *settings) error {
	if err := checkRecipeOutput(s.out); err != nil {
		return err
	}
	doc, err := cli.LoadRecipe(o.recipe)
	if err != nil {
		return err
	}
	if left := doc.Unexplained(); len(left) > 0 {
		return fault.New(fault.Negative, "%s does not explain %s: %s", o.recipe, text.Count(len(left), "tensor"), text.First(4, quoted(left), ", ")).
			WithHint("diff says why")
	}
	set, pattern, err := source.Open(s.source, s.Options(a))
	if err != nil {
		return err
	}
	defer set.Close()
	if pattern != "" || !set.IsContainer() {
		return fault.New(fault.Usage, "--recipe takes all tensors of a checkpoint by their names, and %s is not one", s.source)
	}
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	header, err := headerOf(doc, set, o.align)
	if err != nil {
		return err
	}
	r := &recipeReport{document.NewHead("tlayout/convert_recipe/v1", s.source), document.NewNamed(s.out), len(doc.Tensors), header.Size, o.dryRun}
	if o.dryRun {
		return a.Write(r)
	}
	inputs := a.Inputs(append(set.Reads(), o.recipe)...)
	file, err := publish.Create(s.out, publish.Options{Replace: o.force, Inputs: inputs, Durable: o.durable, Size: header.Size})
	if err != nil {
		return err
	}
	defer file.Discard()
	maker := recipe.Maker{
		Open:    func(name string) (*source.Tensor, error) { return set.Named(name, source.Options{}) },
		Memory:  max(1, s.memory/2),
		Convert: convert.Options{Kernels: kernels, Threads: s.threads},
	}
	bar := cli.NewProgress(a.Streams, "converting", header.Size)
	err = makeAll(doc, maker, header, file, bar.Add)
	bar.End()
	if err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	return a.Write(r)
}

// makeAll writes the header and all tensors.
func makeAll(doc *recipe.Recipe, maker recipe.Maker, header *safetensors.Header, file *publish.File, done func(bytes int)) error {
	if _, err := file.WriteAt(header.Text, 0); err != nil {
		return err
	}
	for k, t := range doc.Tensors {
		err := maker.Make(t, func(at int64, window []byte) error {
			_, err := file.WriteAt(window, header.At[k]+at)
			done(len(window))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRecipeOutput refuses outputs that a recipe does not make.
func checkRecipeOutput(out name.Name) error {
	if out.IsZero() {
		return fault.New(fault.Usage, "missing --output: --recipe makes a .safetensors file").WithHint("-o model.safetensors")
	}
	if c, _ := containerOf(out); c != safetensorsFile {
		return fault.New(fault.Usage, "--recipe makes a .safetensors file, and %s is not one", out).
			WithHint("-o model.safetensors, from which convert -o model.pt makes another container")
	}
	return nil
}

// headerOf returns the header of a recipe's checkpoint, with the texts of the source's.
func headerOf(doc *recipe.Recipe, set *source.Set, align int) (*safetensors.Header, error) {
	var items []safetensors.Item
	for _, t := range doc.Tensors {
		d, err := dtype.Parse(t.DType)
		if err != nil {
			return nil, err
		}
		items = append(items, safetensors.Item{Name: t.Name, Type: d, Shape: t.Shape})
	}
	var metadata []checkpoint.Entry
	if originOf(set.Format) == tensorFiles {
		metadata = set.Metadata
	}
	return safetensors.NewHeader(items, metadata, align)
}

func quoted(tensors []recipe.Tensor) []string {
	all := make([]string, len(tensors))
	for k, t := range tensors {
		all[k] = text.Quoted(text.Cut(t.Name, 200))
	}
	return all
}
