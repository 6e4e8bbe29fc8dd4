// Package drawcmd is tlayout draw: a tensor beside the memories that hold it, as a picture.
package drawcmd

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

type options struct {
	cli.Source
	look
	changed func(flag string) bool // on the command line
	given   func(flag string) bool // on the command line or by a setting
	args    []name.Name
	out     name.Name
	as      kind
	kind    kind // resolved from --output and --as
	scale   float64
	dark    bool
	force   bool
	open    bool
	stored  memoriesFlag
	readAs  cli.Layout
	screen  bool        // draw what a screen holds
	set     *source.Set // the open source; nil without a file
	// question is the command line of a tensor without a file, for the page on the web
	question string
	number   int // index of the tensor in set; negative for the only one
}

// defaultLimit is the default number of elements, and of cells of each memory, that are drawn.
const defaultLimit = 256

// screenful returns the limit for text on a screen: fewer elements if indices have five digits or more.
func screenful(elements int) int {
	if elements > 9999 {
		return 24
	}
	return 48
}

// NewCmd makes tlayout draw.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{look: look{line: cli.Line{Bytes: cli.Bytes{N: tensor.CacheLine}}}}
	cmd := &cobra.Command{
		Use:   "draw SRC [OUT]",
		Short: "Draw a tensor beside the memory that holds it",
		Long: `Draw a tensor by its indices, beside the memory that holds it, in rows of a
cache line. An element has the same color in both.

The extension of OUT, or of -o, selects the format: x.svg, x.png, x.txt, or
x.html, a page that shows the element under the pointer. The default is text, as
much of a large tensor as the screen holds; --all draws all of it.

--layouts draws the tensor in several memories: names such as nchw,nhwc,nchw4,
c and fortran, layouts with sizes such as '(2,3):(5,1)', and own, the layout of
the source.

Without a file, --shape describes a tensor; its sizes are logical: N,C,H,W.`,
		Example: `  tlayout draw x.npy
  tlayout draw x.npy x.svg --layouts nchw,nhwc,nchw4
  tlayout draw x.npy values.svg --label value --color-by value
  tlayout draw x.nchw4c.npz x.html --layouts own,nhwc
  tlayout draw --shape 2,3 --strides 5,1 --label coord,offset`,
		ValidArgsFunction: cli.CompleteSources(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = name.ParseAll(args)
			o.changed = cmd.Flags().Changed
			o.given = func(flag string) bool { return a.Given(cmd, flag) }
			if err := o.takeOut(cmd); err != nil {
				return err
			}
			if len(o.args) == 0 || len(o.args) == 1 && source.IsTyped(o.args[0]) {
				o.question = a.Typed(cmd, o.args)
			}
			return run(a, o)
		},
	}
	o.AddReading(cmd)
	o.AddTyping(cmd)
	o.addLook(cmd)
	flags := cmd.Flags()
	flags.VarP((*cli.File)(&o.out), "output", "o", "draw into this `file`: .svg, .png, .html or .txt; - for standard output")
	flags.Var(cli.EnumOf(&o.as, kindText, kindSVG, kindPNG, kindHTML), "as", "picture format if no extension selects it, as on standard output")
	flags.Var(&o.stored, "layouts", "memories to draw (default the source's own)")
	flags.Float64Var(&o.scale, "scale", 2, "PNG only: pixels per pixel of the SVG")
	flags.BoolVar(&o.dark, "dark", false, "PNG only: dark background")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
	flags.BoolVar(&o.open, "open", false, "open the file in the system's viewer")
	cli.HasSettings(cmd)
	cli.Repeatable(cmd, "layouts", "label")
	cli.Exclusive(cmd, "all", "limit")
	cli.Needs(cmd, "steps", "path")
	o.readAs.AddReadAs(cmd)
	cli.Exclusive(cmd, "read-as", "path")
	cli.Exclusive(cmd, "read-as", "banks")
	cli.Group(cmd, "What is drawn", "layouts", "read-as", "label", "color-by", "path", "steps", "banks", "limit", "line-size", "wrap")
	cli.Group(cmd, cli.WhereTo, "output", "as", "force", "open", "scale", "dark")
	cli.Details(cmd, details, moreExamples)
	cli.Frequent(cmd.Flags(), "output", "layouts", "label", "color-by", "limit", "banks", "from", "dtype", "shape", "strides", "force")
	return cmd
}

// takeOut makes the last argument the output if it has a picture's extension; with -o, a single argument is the source.
func (o *options) takeOut(cmd *cobra.Command) error {
	n := len(o.args)
	if n == 0 || n == 1 && cmd.Flags().Changed("output") {
		return nil
	}
	last := o.args[n-1]
	ext := last.Ending()
	if _, known := extensions[ext]; !known && !o.mayBeOutput(last) {
		return nil
	}
	o.args = o.args[:n-1]
	return cli.TakeOutput(cmd, &o.out, last)
}

// mayBeOutput reports whether a last argument with an unknown extension is meant as the output: it does not exist, and follows the source or a shape.
func (o *options) mayBeOutput(last name.Name) bool {
	if last.Ending() == "" || last.LooksLikeFile() {
		return false
	}
	if _, err := last.Stat(); err == nil {
		return false
	}
	switch len(o.args) {
	case 1:
		return o.HasShape()
	case 2:
		return true
	default:
		return false
	}
}

func run(a *cli.App, o *options) error {
	if !o.HasShape() && len(o.args) == 1 {
		picked, err := o.openSet(a)
		if err != nil {
			return cmp.Or(o.resolve(a), err)
		}
		defer o.set.Close()
		if len(picked) > 1 {
			return runEach(a, o, picked)
		}
	}
	return runOne(a, o, a.Reports(true))
}

// runOne draws one tensor. It checks what it can before it reads the source.
func runOne(a *cli.App, o *options, out *cli.Reports) error {
	if err := o.resolve(a); err != nil {
		return err
	}
	t, err := o.openSource(a)
	if err != nil {
		return err
	}
	defer t.Close()
	j := job{app: a, reports: out, options: o, tensor: t}
	if err := j.prepare(); err != nil {
		return err
	}
	if !o.out.IsZero() {
		return j.writeFile()
	}
	if err := a.RefuseStdout(a.Inputs(t.Reads()...)); err != nil {
		return err
	}
	if a.Format == cli.Table && o.kind != kindText {
		a.Warn(j.warnings())
		_, err := j.draw(a.Stdout)
		return err
	}
	return j.write()
}

// openSource reads only the header if no values are drawn.
func (o *options) openSource(a *cli.App) (*source.Tensor, error) {
	if n := len(o.args); n > 1 {
		if o.HasShape() {
			return nil, o.ShapeOfFile(o.args...)
		}
		return nil, fault.New(fault.Usage, "draw takes one source, found %d", n).
			WithHint("to draw one tensor in several memories: --layouts nchw,nhwc")
	}
	var from name.Name
	if len(o.args) > 0 {
		from = o.args[0]
		if err := from.Check(); err != nil {
			return nil, err
		}
	}
	if o.set == nil {
		return o.OpenOnly(a, from, !o.wantsValues())
	}
	opts := o.Options(a)
	opts.HeaderOnly = !o.wantsValues()
	if o.number < 0 {
		return o.set.Only("", opts)
	}
	return o.set.Tensor(o.number, opts)
}

// job draws one tensor.
type job struct {
	app      *cli.App
	reports  *cli.Reports
	options  *options
	tensor   *source.Tensor
	subject  picture.Subject
	memories []picture.Memory
	look     picture.Options
}

// warnings returns the source's warnings, and one if the sizes contradict the assumed order.
func (j *job) warnings() []string {
	t := j.tensor
	warnings := append([]string{}, t.Warnings...)
	if t.LooksLike() != "" {
		doubt := "drawn as " + notation.JoinDims(t.Layout.Names()) + " by default, but " + t.Doubt()
		if t.Member != nil {
			doubt = t.Source.Subject() + " is " + doubt
		}
		warnings = append(warnings, doubt)
	}
	return warnings
}

// prepare determines what to draw.
func (j *job) prepare() (err error) {
	j.memories, err = j.options.stored.memoriesOf(j.tensor)
	if err != nil {
		return err
	}
	j.subject = picture.Subject{Name: j.title(), Layout: j.tensor.Layout, Size: j.tensor.DType.ItemSize(), Shared: j.tensor.DType.PerByte(), Byte: j.tensor.DType.In,
		Assumed: j.tensor.Assumed() && j.tensor.FileShape != nil, Numeric: dtype.IsNumber(j.tensor.DType)}
	j.subject.Reader, err = j.tensor.Reader(j.options.readAs.Layout)
	if err != nil {
		return err
	}
	if j.subject.Reader != nil {
		j.subject.Name += ", read as " + text.Quote(j.options.readAs.Name)
	}
	if j.options.wantsValues() {
		j.subject.Value, err = storedValues(j.tensor)
		if err != nil {
			return err
		}
	}
	if o := j.options; o.banks == "" && o.changed("banks") {
		_, err = shared.Parse(o.banks, j.tensor.Layout, max(1, j.subject.Size))
		return err
	}
	j.look, err = j.options.choose(j.tensor, j.subject.Value)
	if j.options.screen {
		j.look.Limit = screenful(j.tensor.Layout.Numel())
	}
	j.look.Exact = j.app.Format == cli.JSON || j.app.Format == cli.CSV
	return err
}

// details is what --help --all of draw adds.
const details = `draw x.npz draws every array, 'x.npz:conv*' those with matching names; -o
'x-%s.svg' names a file for each.

--path numbers accesses in their order, and marks the cache lines that they
fetch: channel visits all channels of a pixel, then the next pixel; spatial
visits all pixels of a channel, then the next channel.

--banks draws each element's bank of shared memory, and counts the bank
conflicts of warps: h:16 has threads along H that take 16 bytes each, rows and
columns are along the last dim or the one before, ldmatrix and stmatrix.x4 take
8 rows of 16 bytes at a time, and '((4,8),(2,2)):((32,1),(16,8))' is a
thread-value layout of the tensor. 3×8 means that one access needs 8 words of
bank 3. plan --shared finds the swizzle.

Cells round values to three significant digits; tooltips, JSON and CSV do not.
-f json writes the picture cell by cell; csv and markdown write the cells of
memory. With -o, they describe the file that was written.`

// moreExamples are the examples that it adds.
const moreExamples = `  tlayout draw photo.npy --from nhwc --path channel -o photo.png --dark
  tlayout draw --from 'Sw<3,3,3> o (8,64):(64,1)' --dtype fp16 --banks ldmatrix
  tlayout draw --shape 2,64,3,3 --layouts nchw,nhwc,nchw32,chwn4 --limit 64`
