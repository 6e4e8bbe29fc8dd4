// Package formats is tlayout formats: the catalogue of layouts, and one of them in every spelling.
package formats

import (
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

type options struct {
	cli.Source
	framework string
}

// allFrameworks is the value of --framework that leaves none out.
const allFrameworks = "all"

func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "formats [LAYOUT]",
		Short: "List the named layouts, or spell one for every framework",
		Long: `List every named layout with its memory order; or take one and show its physical
shape, where its strides come from, its padding, its name in every framework,
what shape and strides to pass there and in which order, and code that makes it.

In a memory order C//16 is the number of a block of 16 channels, C%16 the place
in it. --shape is logical: N,C,H,W. With --strides, or a layout (2,3):(5,1), it
answers which name these strides have.`,
		Example: `  tlayout formats
  tlayout formats --framework tensorrt
  tlayout formats nChw16c --shape 1,62,5,4
  tlayout formats NHWC8 --shape 1,3,4,4 --dtype float16 --framework directml
  tlayout formats --shape 2,32,7,7 --strides 1568,1,224,32`,
		Args:              func(_ *cobra.Command, args []string) error { return o.takeLayout(args) },
		ValidArgsFunction: cli.CompleteLayouts,
		RunE:              func(*cobra.Command, []string) error { return run(a, o) },
	}
	flags := cmd.Flags()
	flags.Var(&o.Shape, "shape", "the logical sizes, N,C,H,W")
	flags.Var(&o.Strides, "strides", "with --shape: strides of the logical dims, in elements")
	flags.Var(&o.DType, "dtype", "element type, for bytes (default float32)")
	names := cli.EnumOf(&o.framework, allFrameworks, frameworkWords()...)
	flags.Var(names, "framework", "only this `framework`: pytorch, onednn, …")
	cli.Must(cmd.RegisterFlagCompletionFunc("dtype", cli.CompleteDTypes))
	cli.CompleteEnums(cmd, flags)
	cli.HasSettings(cmd)
	return cmd
}

// frameworkWords are the values of --framework.
func frameworkWords() []string {
	var names []string
	for _, f := range framework.All() {
		names = append(names, strings.ToLower(f.Name))
	}
	return names
}

// takeLayout reads the argument.
func (o *options) takeLayout(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1:
		return fault.New(fault.Usage, "formats takes one layout, found %d words", len(args)).
			WithHint("put a layout with blanks in quotes: tlayout formats %s", words.Quote(words.Shell(strings.Join(args, " "))))
	}
	err := o.Layout.Set(args[0])
	if err != nil && cli.NamesFile(args[0]) {
		return fault.New(fault.Usage, "formats takes a layout's name, not a file").
			WithHint("to look at a file: tlayout inspect %s", words.Quote(words.Shell(args[0])))
	}
	return err
}

func run(a *cli.App, o *options) error {
	switch {
	case o.Layout.Layout == nil && !o.HasShape():
		return newFormatsCatalogue(o.framework).write(a)
	case o.Strides.Given && !o.Shape.Given:
		return fault.New(fault.Usage, "--strides needs --shape").
			WithHint("tlayout formats --shape 2,32,7,7 --strides 1568,1,224,32")
	case o.Strides.Given && o.Layout.Layout != nil:
		return fault.New(fault.Usage, "the layout %s and --strides both say where elements lie", words.Quoted(o.Layout.Name)).
			WithHint("leave one of them out")
	}
	if o.Shape.Given && len(o.Shape.Values) == 0 {
		return fault.New(fault.Usage, "a tensor without dims has one element, and no layout to name").
			WithHint("--shape takes the sizes of the dims: tlayout formats --shape 2,3,4,5")
	}
	r, err := newReport(o)
	if err != nil {
		return err
	}
	return r.write(a)
}

// describeFormat is the layout in question: with sizes, or, where none are given, its memory order alone.
func (o *options) describeFormat() (*source.Tensor, error) {
	if o.Shape.Given || o.Exact() {
		return o.Describe()
	}
	t := &source.Tensor{HasFormat: true, Named: true}
	switch l := o.Layout.Layout; l.Own {
	case notation.OwnC:
		t.Format = notation.RowMajor(source.DimNames(4))
	case notation.OwnFortran:
		t.Format = notation.RowMajor(source.DimNames(4)).Reversed()
	default:
		t.Format = l.Format
		if t.Format.Positional() && t.Format.Rank() <= 5 {
			t.Format = t.Format.Rename(source.DimNames(t.Format.Rank()))
		}
	}
	return t, nil
}

func nonEmpty(texts ...string) []string {
	var kept []string
	for _, s := range texts {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// keeps reports whether --framework leaves a framework in.
func keeps(framework, name string) bool {
	return framework == allFrameworks || framework == "" || strings.EqualFold(framework, name)
}

// sizes is what follows from sizes. Strides are elements.
type sizes struct {
	ItemSize   int                       `json:"itemsize"`
	Shape      []int                     `json:"shape"`
	Physical   []int                     `json:"physical_shape"`
	Strides    []int                     `json:"strides"` // of the dims; null where they are in blocks
	Packed     bool                      `json:"packed"`
	Elems      *int                      `json:"storage_elems"`
	Bytes      *int                      `json:"storage_bytes"`
	Padding    []formatsPadding          `json:"padding"`
	PadElems   int                       `json:"pad_elems"`
	Candidates []inspect.CandidateReport `json:"candidates"`
	Ambiguity  string                    `json:"ambiguity,omitempty"`

	layout *tensor.Layout // nil without sizes
	offer  framework.Offer
}

// noSizes is that of a memory order alone.
func noSizes() sizes {
	return sizes{Packed: true, Padding: []formatsPadding{}, Candidates: []inspect.CandidateReport{}}
}

func newFormatsSizes(t *source.Tensor, byStrides bool) (sizes, error) {
	s := noSizes()
	l := t.Layout
	s.Packed = t.HasFormat && t.Format.Packs(l) && l.Offset() == 0
	if _, plain := l.Strided(); s.Packed && !plain { // to the end of the last block
		l, _ = t.Format.Bind(l.Shape())
	}
	elems, item := l.Alloc(), t.DType.ItemSize()
	if item > 0 && elems > math.MaxInt/item {
		return s, fault.New(fault.Unsupported, "shape %s of %s has more bytes than an address can count",
			tensor.Tuple(l.Shape()), t.DType)
	}
	bytes := elems * item
	s.ItemSize, s.Shape, s.Elems, s.Bytes, s.layout, s.offer = item, l.Shape(), &elems, &bytes, &l, inspect.NewOffer(t, t.Layout.Occupancy().Overlapping)
	if !t.HasFormat && l.Numel() == 0 { // of an empty tensor every order is the packed one
		s.offer.Orders = nil
	}
	if s.Packed {
		s.Padding, s.PadElems = newFormatsPadding(l), elems-l.Numel()
	}
	if strided, plain := l.Strided(); plain {
		s.Strides = strided.Strides
		if byStrides && t.HasFormat {
			s.infer(strided, l.Names())
		}
	}
	return s, nil
}

// infer lists the orders that strides agree with.
func (s *sizes) infer(strided tensor.Strided, names []string) {
	in := strided.Infer(names, source.KnownOrders(names))
	for _, c := range in.Candidates {
		s.Candidates = append(s.Candidates, inspect.CandidateReport{Layout: notation.Order(names, c.Order).String(), Why: c.Why})
	}
	s.Ambiguity = in.Ambiguity
}
