// Package draw is tlayout draw: a tensor beside the memories that hold it, as a picture.
package draw

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

type options struct {
	cli.Source
	look
	args   []string
	out    string
	as     kind
	kind   kind // what --out and --as come to
	scale  float64
	dark   bool
	force  bool
	open   bool
	stored memoriesFlag
}

// usualCells is how many elements, and cells of each memory, are drawn unless told otherwise.
const usualCells = 256

func NewCmd(a *cli.App) *cobra.Command {
	o := &options{look: look{line: cli.Bytes{N: tensor.CacheLine}}}
	cmd := &cobra.Command{
		Use:   "draw SRC",
		Short: "Draw a tensor beside the memory that holds it",
		Long: `Draw a tensor as it is indexed, beside the linear memory that holds it. An
element has the same colour in both. Memory is wrapped at a cache line; padding
is hatched, and an address of several elements marked.

The file's name says what is drawn: x.svg, x.png, x.txt, or x.html, a page in
which one can play with the layout. Without -o it is text for the terminal. Of a
large tensor the ends are drawn, with what is left out said.

--layouts draws the same tensor in several memories, one after the other: names
such as nchw,nhwc,nchw4, c and fortran, layouts with their sizes such as
'(2,3):(5,1)', and own, which is the source's own.

--path draws the order in which elements are visited, and the cache lines that
this fetches: channel is all channels of a pixel, then those of the next one;
spatial is all pixels of a channel, then those of the next one.

-f json writes what is in the picture, cell by cell; csv and markdown write the
cells of memory. Where a file is written, they say which.

Without a file, --shape describes a tensor; its sizes are logical: N,C,H,W.`,
		Example: `  tlayout draw x.npy
  tlayout draw x.npy --layouts nchw,nhwc,nchw4 -o x.svg
  tlayout draw photo.npy --layout nhwc --path channel -o photo.png --dark
  tlayout draw x.nchw4c.npy --layouts own,nhwc -o x.html
  tlayout draw --shape 2,3 --strides 5,1 --label coord,offset
  tlayout draw --shape 2,64,3,3 --layouts nchw,nhwc,nchw32,chwn4 --limit 64`,
		Args: func(_ *cobra.Command, args []string) error {
			o.args = args
			return nil
		},
		ValidArgsFunction: cli.CompleteSources(1),
		RunE:              func(cmd *cobra.Command, _ []string) error { return run(a, o, cmd.Flags().Changed) },
	}
	o.AddReading(cmd, "layout")
	o.AddTyping(cmd)
	o.addLook(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "out", "o", "", "draw into this `file`: .svg, .png, .html or .txt; - for standard output")
	flags.Var(cli.EnumOf(&o.as, kindText, kindSVG, kindPNG, kindHTML), "as", "what to draw where no file's name tells")
	flags.Var(&o.stored, "layouts", "memories to draw (default the source's own)")
	flags.Float64Var(&o.scale, "scale", 2, "of a PNG: pixels to each that the SVG has")
	flags.BoolVar(&o.dark, "dark", false, "of a PNG: on a dark ground")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
	flags.BoolVar(&o.open, "open", false, "show the file with the system's viewer")
	cli.Must(cmd.RegisterFlagCompletionFunc("layouts", cli.CompleteLayouts))
	cli.CompleteEnums(cmd, flags)
	cli.HasSettings(cmd, "layout,strides")
	return cmd
}

// run refuses everything that can be refused before the source is read.
func run(a *cli.App, o *options, typed func(flag string) bool) error {
	if err := o.settle(a, typed); err != nil {
		return err
	}
	t, err := o.openSource(a)
	if err != nil {
		return err
	}
	defer t.Close()
	job := drawJob{app: a, options: o, tensor: t}
	if err := job.prepare(); err != nil {
		return err
	}
	if err := job.refuseInput(); err != nil {
		return err
	}
	a.Warn(append(append([]string{}, t.Warnings...), doubts(t)...))
	if o.out != "" {
		return job.writeFile()
	}
	return job.write()
}

// openSource reads no more than the header where no value is drawn.
func (o *options) openSource(a *cli.App) (*source.Tensor, error) {
	if o.HasShape() && len(o.args) > 0 {
		return nil, fault.New(fault.Usage, "--shape describes a tensor without a file, but a file is named too").
			WithHint("leave one of them out")
	}
	t, rest, err := o.Open(a, o.args, !o.wantsValues())
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		t.Close()
		return nil, fault.New(fault.Usage, "draw takes one source, found %d", len(o.args)).
			WithHint("--layouts draws one tensor in several memories")
	}
	return t, nil
}

// doubts warn of an order that was only guessed, and that the sizes speak against.
func doubts(t *source.Tensor) []string {
	if t.LooksLike() == "" {
		return nil
	}
	return []string{"drawn as " + strings.Join(t.Layout.Names(), "") + " by default, but " + t.Notes[len(t.Notes)-1]}
}

// drawJob is a picture of a source.
type drawJob struct {
	app      *cli.App
	options  *options
	tensor   *source.Tensor
	subject  picture.Subject
	memories []memory
	look     picture.Options
}

// prepare decides on everything that is drawn.
func (j *drawJob) prepare() (err error) {
	if j.memories, err = j.options.stored.of(j.tensor); err != nil {
		return err
	}
	j.subject = picture.Subject{Name: j.title(), Layout: j.tensor.Layout, Size: j.tensor.DType.ItemSize()}
	if j.options.wantsValues() {
		if j.subject.Value, err = storedValues(j.tensor); err != nil {
			return err
		}
	}
	j.look, err = j.options.choose(j.tensor, j.subject.Value)
	return err
}
