// Package threadscmd is tlayout threads, which shows which thread of a GPU holds which element of a tile.
package threadscmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render/page"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

type options struct {
	layout string
	tile   cli.Ints
	thread cli.Ints
	value  cli.Ints
	lane   cli.Ints
	column cli.Ints
	at     cli.Ints
	dtype  cli.DType
	memory cli.Layout
	out    name.Name
	ending string // of out
	force  bool
	dark   bool
	limit  int
	given  func(flag string) bool
	// question is the command line, for the page on the web
	question string
}

// NewCmd returns the command threads.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "threads [LAYOUT]",
		Short: "Show which thread holds which element of a tile",
		Long: `Show which thread of a GPU holds which element of a tile. In the drawing, T5 V3
is value 3 of thread 5; T0 V0 ×4 means that four values hold the element.

LAYOUT is a thread-value layout of CuTe, which maps a thread and a value to the
index of an element of the tile, the first dim fastest:

  ((4,8),(2,2)):((32,1),(16,8)) --tile 16,8

or an operand of an atom of CUTLASS, PTX or AMD, which has its tile:

  SM80_16x8x16_F32F16F16F32_TN:A   ldmatrix.x4   mfma_f32_32x32x8f16

or one of Triton or Gluon, whose tile is the tensor's shape:

  '#ttg.blocked<{…}>' --tile 16,16

In tensor memory (tmem.D.n64, tcgen05.cp.32x128b.warpx4, TensorMemoryLayout(…)),
lanes and columns of 32 bits hold the elements: L5 C3, or L5 C3.1 for the second
element of a column.

Without LAYOUT, threads lists the atoms.

--thread lists what a thread holds, --lane what a lane of tensor memory holds;
--at finds the threads or lanes that hold an element.
The answer begins with how the warps access the tile in memory: elements per
access of a thread, and with --dtype the 32-byte sectors. --memory c, the
default, and fortran are part of a larger matrix; a layout with sizes such as
'(16,8):(8,1)' is exact.`,
		Example: `  tlayout threads '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8 --dtype float32
  tlayout threads SM80_16x8x16_F32F16F16F32_TN:A --thread 5
  tlayout threads mma.m16n8k16.f32.f16.f16.f32 --at 9,3
  tlayout threads '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8 -o tile.svg
  tlayout threads 'gl.BlockedLayout([1,4],[4,8],[4,1],[1,0])' --tile 16,16
  tlayout threads tmem.F.n64 --lane 33 --column 5`,
		ValidArgsFunction: complete,
		Args:              cli.Args(0, 1, "layout", "tlayout threads '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			if len(args) == 0 {
				return list(a, o)
			}
			o.layout = args[0]
			o.question = a.Typed(cmd, name.ParseAll(args))
			return run(a, o)
		},
	}
	flags := cmd.Flags()
	flags.Var(&o.tile, "tile", "sizes of the tile: 16,8")
	o.thread.Joins = true
	o.value.Joins = true
	o.lane.Joins = true
	o.column.Joins = true
	flags.Var(&o.thread, "thread", "list the elements of this thread, or of several: 5,6")
	flags.Var(&o.value, "value", "with --thread: only this value, or several: 0,1")
	flags.Var(&o.lane, "lane", "list the elements of this lane of tensor memory, or of several: 5,6")
	flags.Var(&o.column, "column", "with --lane: only this column, or several: 0,1")
	flags.Var(&o.at, "at", "list the threads that hold the element at this coordinate: 9,3")
	flags.Var(&o.dtype, "dtype", "element type, for registers and sectors")
	flags.Var(&o.memory, "memory", "memory order of the tile: c, fortran, or a layout with sizes (default c)")
	flags.VarP((*cli.File)(&o.out), "output", "o", "draw into this `file`: .svg, .png, .html or .txt")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
	flags.BoolVar(&o.dark, "dark", false, "PNG only: dark background")
	cli.CountVar(flags, &o.limit, "limit", 256, "maximum number of elements to draw; 0 means all\n(default 256, a screen, or with -o all)")
	flags.Lookup("limit").DefValue = "0" // help has it
	cli.HasSettings(cmd)
	cli.Repeatable(cmd, "thread", "value", "lane", "column")
	cli.Needs(cmd, "value", "thread")
	cli.Needs(cmd, "column", "lane")
	cli.Needs(cmd, "force", "output")
	cli.Needs(cmd, "dark", "output")
	cli.Exclusive(cmd, "thread", "at")
	cli.Exclusive(cmd, "thread", "output")
	cli.Exclusive(cmd, "at", "output")
	cli.Exclusive(cmd, "lane", "thread")
	cli.Exclusive(cmd, "lane", "at")
	cli.Exclusive(cmd, "lane", "output")
	cli.Exclusive(cmd, "lane", "limit")
	cli.Exclusive(cmd, "all", "limit")
	cli.Exclusive(cmd, "thread", "limit")
	cli.Exclusive(cmd, "at", "limit")
	cli.Group(cmd, "What is shown", "tile", "thread", "value", "lane", "column", "at", "dtype", "memory", "limit")
	cli.Group(cmd, cli.WhereTo, "output", "force", "dark")
	return cmd
}

func run(a *cli.App, o *options) error {
	if err := o.checkOutput(); err != nil {
		return err
	}
	l, err := threads.Parse(o.layout, o.tile.Values)
	if err != nil {
		return err
	}
	if err := o.setBits(&l); err != nil {
		return err
	}
	if err := o.checkFlags(l); err != nil {
		return err
	}
	r, err := newReport(a, o, l)
	if err != nil {
		return err
	}
	if !o.out.IsZero() {
		if err := o.publish(a, r); err != nil {
			return err
		}
	}
	return a.Write(r)
}

// checkFlags refuses flags of threads for a layout of tensor memory, and the other way round.
func (o *options) checkFlags(l threads.Layout) error {
	if l.InMemory {
		for _, flag := range []string{"thread", "memory"} {
			if o.given(flag) {
				return fault.New(fault.Usage, "--%s: %s is in tensor memory", flag, text.Quoted(text.Cut(o.layout, 81))).WithHint("--lane 5 --column 3")
			}
		}
		return l.CheckMemory()
	}
	if o.given("lane") {
		return fault.New(fault.Usage, "--lane: %s is not in tensor memory", text.Quoted(text.Cut(o.layout, 81))).WithHint("--thread 5 --value 3")
	}
	return nil
}

// setBits sets the bits of an element by --dtype.
func (o *options) setBits(l *threads.Layout) error {
	if o.dtype.Value == nil {
		return nil
	}
	width := o.dtype.Value.Bits()
	if l.Bits > 0 && width != l.Bits {
		return fault.New(fault.Usage, "elements of %s have %d bits, those of %s %d", text.Quoted(text.Cut(o.layout, 81)), l.Bits, o.dtype.Value, width).
			WithHint("leave out --dtype")
	}
	if width > 128 || width&(width-1) != 0 {
		return fault.New(fault.Unsupported, "a thread cannot access %s of %d bits at once", o.dtype.Value, width).WithHint("threads access 1, 2, 4, 8 or 16 bytes")
	}
	l.Bits = width
	return nil
}

// checkOutput selects the format of the output.
func (o *options) checkOutput() error {
	if o.out.IsZero() {
		return nil
	}
	o.ending = o.out.Ending()
	if !slices.Contains([]string{".svg", ".png", ".html", ".txt"}, o.ending) {
		return cli.UnknownEnding(o.out, ".svg, .png, .html or .txt")
	}
	if o.dark && o.ending != ".png" {
		return fault.New(fault.Usage, "--dark applies to PNG, not to %s", o.ending).WithHint("use -o x.png")
	}
	return nil
}

// publish draws into the output, which appears whole or not at all.
func (o *options) publish(a *cli.App, r *report) error {
	limit := o.limit
	if a.All || !o.given("limit") {
		limit = 0
	}
	drawn, err := r.scene(limit, nil)
	if err != nil {
		return err
	}
	file, err := publish.Create(o.out, publish.Options{Replace: o.force, Inputs: a.Inputs()})
	if err != nil {
		return err
	}
	defer file.Discard()
	switch o.ending {
	case ".svg":
		err = drawn.Drawing().SVG(file)
	case ".html":
		err = page.Write(file, drawn.Drawing(), page.Address(o.question))
	case ".png":
		err = drawn.Drawing().PNG(file, vector.PNGOptions{Scale: 2, Dark: o.dark})
	default:
		err = drawn.Text(file, scene.TextOptions{Width: cli.FileWidth, Unicode: true})
	}
	if err != nil {
		return err
	}
	r.Picture = text.OrNull(o.out.Redacted())
	return file.Commit()
}

// order returns the memory that the tile is in: its name, and the offset of a coordinate in elements.
func (o *options) order(l threads.Layout) (name string, offset func([]int) int, err error) {
	if o.memory.Layout == nil {
		return "row-major", inLargerTensor(l.Tile, false), nil
	}
	bits := 0
	if o.dtype.Value != nil {
		bits = o.dtype.Value.Bits()
	}
	m, err := o.memory.Layout.For(l.Tile, bits)
	if err != nil {
		return "", nil, fault.In("--memory", err)
	}
	switch m.Own {
	case notation.OwnC:
		return "row-major", inLargerTensor(l.Tile, false), nil
	case notation.OwnFortran:
		return "column-major", inLargerTensor(l.Tile, true), nil
	}
	if m.Exact == nil {
		return "", nil, fault.New(fault.Usage, "--memory %s is not c, fortran, or a layout with sizes", text.Quoted(o.memory.Name)).
			WithHint("--memory '%s:(…)'", tensor.Tuple(l.Tile))
	}
	if !slices.Equal(m.Exact.Shape(), l.Tile) {
		return "", nil, fault.New(fault.Usage, "--memory %s has another shape than the tile %s", text.Quoted(o.memory.Name), tensor.Tuple(l.Tile))
	}
	return m.Exact.String(), func(coord []int) int { return m.Exact.At(coord...) }, nil
}

// inLargerTensor returns the offsets of a tile in a larger tensor, whose other dims are further apart than any sector or vector is long.
func inLargerTensor(tile []int, fortran bool) func([]int) int {
	const far = 1 << 10 // elements: a multiple of each vector and sector
	return func(coord []int) int {
		offset := 0
		stride := 1
		for k := range tile {
			d := len(tile) - 1 - k
			if fortran {
				d = k
			}
			offset += coord[d] * stride
			stride *= ints.CeilDiv(tile[d], far) * far
		}
		return offset
	}
}
