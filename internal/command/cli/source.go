package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Source holds the flags that define how a file is read, or a tensor without a file.
type Source struct {
	Layout      Layout
	DType       DType
	Channels    int
	MaxHeader   Bytes
	MaxUnpacked Bytes
	MaxDownload Bytes
	MaxTensors  Tensors

	Shape   Sizes
	Dims    Dims
	Strides Ints
	Offset  int
	Inner   string // --inner-blocks
	Vec     int    // values for each scale of --shape's K; 0: --shape is the tensor's own

	FromJSON bool   // the source is JSON tensor descriptions
	Planes   string // pixel format of an image of several planes
	Pitch    Bytes

	Raw           bool // the file has no header; the flags above describe it
	Skip          Bytes
	AllowTrailing bool
}

// sourceGroups are the sections of these flags in help.
//
// To add one: a field above, its name here, so that help shows it in the right section, and its line in AddReading (files), AddTyping (typed layouts),
// AddRaw or AddBlocks, of which each command takes those that apply to it.
var sourceGroups = []struct {
	rank  int
	title string
	names []string
}{
	{sourceRank, "What SRC is", []string{"from", "dtype", "shape", "dims", "strides", "offset", "inner-blocks", "vec", "raw", "pitch", "skip", "allow-trailing",
		"channels", "trust-values"}},
	{manyRank, "Names of many sources", []string{"list", "null"}},
	{limitsRank, "Limits", []string{"max-header", "max-unpacked", "max-download", "max-tensors"}},
}

// groupSource lists those of a command so far in sections of its help.
func groupSource(cmd *cobra.Command) {
	for _, g := range sourceGroups {
		groupAt(cmd, g.rank, g.title, g.names)
	}
}

// AddReading adds the flags for files.
func (f *Source) AddReading(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var((*from)(f), "from", "axis order of SRC, outermost first, such as nhwc (default: from its name, else its rank); json: a tensor description; nv12, i420, p010: planes of images")
	flags.Var(&f.DType, "dtype", "element type; a file is read as a type of the same size, bfloat16 for V2, or of 1, 2 or 4 bits, int4. f32 counts bits, <f4 bytes")
	flags.BoolVar(&f.Raw, "raw", false, "SRC is raw bytes without a header, with --shape and --dtype, and --from if it is not row-major")
	flags.Var(&pitch{&f.Pitch}, "pitch", "with --from nv12, p010 or i420: bytes from one row of luma to the next")
	flags.Var(&f.Skip, "skip", "with --raw or --from nv12: number of bytes before the tensor")
	flags.BoolVar(&f.AllowTrailing, "allow-trailing", false, "ignore bytes after the tensor, with --raw and in convert")
	PositiveVar(flags, &f.Channels, "channels", 0, "logical number of channels of a file whose last block is padded")
	flags.Var(&f.MaxHeader, "max-header", "maximum .npy header size, up to 64 MiB (default 1 MiB)")
	flags.Var(&f.MaxDownload, "max-download", "maximum size of the cache of a remote file on disk (default 8 GiB)")
	flags.Var(&f.MaxUnpacked, "max-unpacked", "maximum size of a compressed array to unpack to a temporary file (default 1 GiB)")
	flags.Var(&f.MaxTensors, "max-tensors", "maximum number of tensors in a checkpoint or members in an archive, up to 10000000 (default 1000000)")
	groupSource(cmd)
	Needs(cmd, "skip", "raw")
}

// pitch is the --pitch flag, bytes from row to row of an image of several planes.
type pitch struct{ *Bytes }

func (f *pitch) Set(s string) error {
	if strings.Contains(s, "=") {
		return fault.New(fault.Usage, "%s is not a size in bytes", text.Quoted(s)).WithHint("tlayout convert has --to-pitch %s, which pads the rows of the result", text.Shell(s))
	}
	return f.Bytes.Set(s)
}

// from is the --from flag: a layout, or json.
type from Source

func (f *from) String() string {
	if f.FromJSON {
		return "json"
	}
	if f.Planes != "" {
		return f.Planes
	}
	return f.Layout.String()
}

func (f *from) Type() string { return f.Layout.Type() }

func (f *from) Set(s string) error {
	if f.Planes != "" {
		f.Raw = false // it was implied
	}
	f.FromJSON = s == "json"
	f.Planes = ""
	if f.FromJSON {
		f.Layout = Layout{}
		return nil
	}
	if source.IsPixelFormat(s) {
		f.Layout = Layout{}
		f.Planes = strings.ToLower(s)
		f.Raw = true
		return nil
	}
	return f.Layout.Set(s)
}

// AddReadAs adds the flag of a reader who mistakes the layout.
func (f *Layout) AddReadAs(cmd *cobra.Command) {
	cmd.Flags().Var(f, "read-as", "show what a reader finds who assumes this layout: nchw, c")
}

// AddTyping adds the flags that describe a tensor without a file, or a file without a header.
func (f *Source) AddTyping(cmd *cobra.Command) { f.addTyping(cmd, "without a file, or with --raw") }

// AddRaw adds the same flags to a command that only takes files.
func (f *Source) AddRaw(cmd *cobra.Command) { f.addTyping(cmd, "with --raw") }

// addTyping adds these flags; when is the condition for --shape.
func (f *Source) addTyping(cmd *cobra.Command, when string) {
	flags := cmd.Flags()
	flags.Var(&f.Shape, "shape", when+": logical sizes N,C,H,W as 2,3,4,5 or 2x3x4x5, or named, N=2,H=4,W=5,C=3")
	flags.Var(&f.Dims, "dims", "names of the dims, in the order of --shape and of coordinates, not of --from: B,T,H,D or blocks,heads,dim")
	flags.Var(&f.Strides, "strides", "with --shape: strides of the logical dims, in elements")
	CountVar(flags, &f.Offset, "offset", 0, "with --shape: storage offset of the first element, in elements")
	f.AddBlocks(cmd)
	Exclusive(cmd, "from", "strides")
	Needs(cmd, "strides", "shape")
	Needs(cmd, "offset", "shape")
}

// AddBlocks adds the flag that makes --strides those of a oneDNN descriptor, and the one that makes --shape that of scaled values.
func (f *Source) AddBlocks(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Inner, "inner-blocks", "", "with --strides: inner `blocks` of the oneDNN descriptor, 16c or aBcd16b")
	PositiveVar(cmd.Flags(), &f.Vec, "vec", 0, "with --shape M,K of values: describe their scale factors, one per block of this many values of a row: 16, 32")
	groupSource(cmd)
	Needs(cmd, "inner-blocks", "strides")
	Needs(cmd, "vec", "shape")
}

// Exact reports whether --from describes a tensor without a file, by sizes, strides and offset: (2,3):(5,1)@2.
func (f *Source) Exact() bool {
	return !f.Raw && f.Layout.Layout != nil && f.Layout.Layout.Exact != nil
}

// HasShape reports whether --shape describes a tensor without a file. With --raw it describes a file.
func (f *Source) HasShape() bool { return !f.Raw && f.Shape.Given }

// Options returns the flags as options of source.Open.
func (f *Source) Options(a *App) source.Options {
	opts := source.Options{Layout: f.Layout.Layout, Dims: f.Dims, Channels: f.Channels, DType: f.DType.Value, MaxHeader: f.MaxHeader.N,
		MaxUnpacked: f.MaxUnpacked.N, MaxDownload: f.MaxDownload.N, MaxTensors: f.MaxTensors.Limit, Progress: a.reading, Skip: f.Skip.N, AllowTrailing: f.AllowTrailing, Stdin: a.Streams.In, Opened: a.opened,
		FromJSON: f.FromJSON, Pitch: f.Pitch.N}
	if f.Raw {
		y := f.typed()
		opts.Raw = &y
		opts.Planes = f.Planes
	}
	return opts
}

// scales returns the position of K in --shape, by name or else the last one, and how many scales it has; ok is false without --vec.
func (f *Source) scales() (dim, count int, ok bool) {
	if f.Vec == 0 || len(f.Shape.Values) == 0 {
		return 0, 0, false
	}
	dim = len(f.Shape.Values) - 1
	if k := slices.Index(append(slices.Clone(f.Shape.Names), f.Dims...), "K"); k >= 0 && k < dim {
		dim = k
	}
	return dim, ints.CeilDiv(f.Shape.Values[dim], f.Vec), true
}

// dimName returns the name of a dim of --shape with --vec.
func (f *Source) dimName(dim int) string {
	names := f.dimNames()
	return names[min(dim, len(names)-1)] // too few are an error of Describe
}

// dimNames returns the names of the dims of --shape with --vec: the typed ones, those of the layout, M and K of a matrix, or defaults.
func (f *Source) dimNames() []string {
	if len(f.Shape.Names)+len(f.Dims) > 0 {
		return append(slices.Clone(f.Shape.Names), f.Dims...)
	}
	rank := len(f.Shape.Values)
	layout := f.Layout.Layout
	if layout == nil && rank == 2 {
		return []string{"M", "K"}
	}
	if layout != nil && layout.HasFormat() && !layout.Format.Positional() {
		return layout.ForRank(rank).Format.Names()
	}
	return source.DimNames(rank)
}

// unnamed reports whether neither a flag nor a layout names the dims of --shape.
func (f *Source) unnamed() bool {
	return f.Dims == nil && f.Shape.Names == nil && f.Layout.Layout == nil
}

// typed returns the described tensor, without its type and layout.
func (f *Source) typed() source.Typed {
	shape := slices.Clone(f.Shape.Values)
	note := ""
	if dim, count, ok := f.scales(); ok {
		note = fmt.Sprintf("one scale per %d values of %s: %d for %d", f.Vec, f.dimName(dim), count, shape[dim])
		shape[dim] = count
	}
	dims := []string(f.Dims)
	if f.Vec > 0 && len(shape) == 2 && f.unnamed() {
		dims = []string{"M", "K"}
	}
	return source.Typed{Shape: shape, Named: f.Shape.Names, Dims: dims, Strides: f.Strides.Values, Offset: f.Offset, Inner: f.Inner, Note: note}
}

// reading shows a bar for the bytes read from a remote file.
func (a *App) reading(total int64) (read func(bytes int), end func()) {
	bar := NewProgress(a.Streams, "reading", total)
	return bar.Add, bar.End
}

// opened reports, with --verbose, how a file was read and where its axis order came from.
func (a *App) opened(t *source.Tensor) {
	if !a.Verbose {
		return
	}
	order := "axis order unknown"
	switch t.OrderSource {
	case source.OrderUnknown:
	case source.ByStrides:
		order = "strides recorded"
	default:
		order = "axis order " + t.OrderName() + " (" + t.OrderSource.String() + ")"
	}
	format := t.Kind
	if t.Header.Major > 0 {
		format = fmt.Sprintf(".npy %d.%d", t.Header.Major, t.Header.Minor)
	}
	a.Detail("%s: %s, %s of data; %s", t.Source.Shown(), format, text.Bytes(t.Header.DataBytes), order)
}

// Describe returns the tensor described by --shape, --strides, --inner-blocks, --offset, --dtype and --from. The default dtype is the
// layout's, or float32.
func (f *Source) Describe() (*source.Tensor, error) {
	if f.Channels != 0 {
		return nil, fault.New(fault.Usage, "--channels applies to files; --shape sets the number of channels")
	}
	y := f.typed()
	typed := f.DType.Value
	usual := "float32"
	if f.Layout.Layout != nil {
		l := f.Layout.Layout.ForRank(len(y.Shape))
		y.Layout = &l
		usual = cmp.Or(l.DType, usual)
		if e := f.Layout.element; e != nil && (typed == nil || typed.String() == e.String()) {
			typed = e
		}
	}
	usual = cmp.Or(map[int]string{16: "float8_e4m3fn", 32: "float8_e8m0fnu"}[f.Vec], usual)
	if typed == nil {
		d, err := dtype.Parse(usual)
		if err != nil {
			return nil, err
		}
		typed = &d
	}
	y.DType = *typed
	return source.Describe(y)
}

// OnlySource returns the source of a command without other arguments; no name if it is missing.
func OnlySource(args []string) (name.Name, error) {
	if len(args) == 0 {
		return name.Name{}, nil
	}
	n := name.Parse(args[0])
	return n, n.Check()
}

// OpenOnly opens that source, or returns the tensor that the flags describe. With headerOnly it reads only the header from standard input.
func (f *Source) OpenOnly(a *App, n name.Name, headerOnly bool) (*source.Tensor, error) {
	described := f.HasShape()
	if !n.IsZero() && described {
		return nil, f.ShapeOfFile(n)
	}
	if !n.IsZero() {
		return f.open(a, n, headerOnly)
	}
	if described || f.Exact() {
		return f.Describe()
	}
	return nil, f.MissingSource("")
}

// OpenFirst opens the first argument, or returns the tensor that the flags describe, for a command whose other arguments, rest, are not sources.
// headerOnly is as above.
func (f *Source) OpenFirst(a *App, args []string, headerOnly bool) (t *source.Tensor, rest []string, err error) {
	named := len(args) > 0 && name.Parse(args[0]).LooksLikeFile()
	if named && f.HasShape() {
		return nil, nil, f.ShapeOfFile(name.Parse(args[0]))
	}
	described := f.HasShape() || f.Exact() && !f.Raw
	if described && !named {
		t, err = f.Describe()
		return t, args, err
	}
	if len(args) == 0 {
		return nil, nil, f.MissingSource("")
	}
	t, err = f.open(a, name.Parse(args[0]), headerOnly)
	return t, args[1:], err
}

func (f *Source) open(a *App, n name.Name, headerOnly bool) (*source.Tensor, error) {
	opts := f.Options(a)
	opts.HeaderOnly = headerOnly
	return source.OpenOnly(n, opts)
}

// MissingSource is the error for a command line without a source, or for --from nv12 that a plane is of a file; before is what was found
// instead.
func (f *Source) MissingSource(before string) error {
	if err := f.Layout.Layout.NeedsSizes(); err != nil && !f.Shape.Given {
		return err
	}
	if f.Planes == "" || !f.Shape.Given {
		return MissingSource(before)
	}
	return fault.New(fault.Usage, "--from %s is several planes: missing SOURCE", f.Planes).
		WithHint("name a plane of a file, x.raw:Y, or tlayout inspect --shape %s --from %s", text.Ints(f.Shape.Values, ","), f.Planes)
}

// MissingSource is the error for a command line without a source; before is what was found instead.
func MissingSource(before string) error {
	return fault.New(fault.Usage, "missing SOURCE%s", before).
		WithHint("pass a .npy file, - for standard input, or --shape to describe a tensor")
}

// ShapeOfFile is the error for a command line with both --shape and args, the first of which is a source.
func (f *Source) ShapeOfFile(args ...name.Name) error {
	e := fault.New(fault.Usage, "--shape describes a tensor without a file, but SOURCE is given too")
	if len(args) == 0 {
		return e.WithHint("remove one of them; --raw is for files without a header")
	}
	if sizes := f.sizesWith(args); sizes != nil {
		return e.WithHint("put commas between the sizes: --shape %s", strings.Join(sizes, ","))
	}
	if !args[0].LooksLikeFile() {
		return e.WithHint("--raw reads %s as the bytes of such a tensor, without a header", args[0].Quote())
	}
	return e.WithHint("remove one of them; --raw is for files without a header")
}

// sizesWith returns the sizes of --shape and those in args, for a shape that was typed with blanks; nil if an argument is not a number.
func (f *Source) sizesWith(args []name.Name) []string {
	sizes := text.Each(f.Shape.Values)
	for _, arg := range args {
		if _, err := strconv.Atoi(arg.Typed()); err != nil {
			return nil
		}
		sizes = append(sizes, arg.Typed())
	}
	return sizes
}

// isSource reports whether an argument that is not a command is a source: it looks like a file or a path, is an existing file or a tensor in one,
// a layout with sizes, or a printed type.
func isSource(arg string) bool {
	n := name.Parse(arg)
	if mayBeFile(n, arg) {
		return true
	}
	if _, err := n.Stat(); err == nil {
		return true
	}
	_, _, ofTensors := n.Resolve()
	return ofTensors || source.IsTyped(n)
}
