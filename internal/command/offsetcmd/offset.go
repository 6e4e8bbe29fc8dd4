// Package offsetcmd is tlayout offset, which converts coordinates to offsets and back.
package offsetcmd

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

type options struct {
	cli.Source
	args     []string // a source unless --shape describes one, then coordinates
	at       targets
	lineSize cli.Line
	readAs   cli.Layout
	reader   *tensor.Layout // of --read-as; may be nil
	word     int            // bits of --word; 0 without
	line     bool           // the cache line is shown: --line-size was given
}

// NewCmd returns the command offset, whose arguments are a source and coordinates.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "offset SRC COORD…",
		Short: "Compute the offset of an element, or find the element at an offset",
		Long: `Compute the offset of an element: the sum of index times stride, the storage
offset in elements and bytes, the byte in the file, and the value. --at is the
inverse: it finds the element at an offset, or explains why that is padding.

A coordinate has one index per logical dim, in any of these forms:

  x.npy 1 0 1                      one coordinate
  x.npy 1,0,1 0,0,0                several
  'x.npy[1,0,1]'  '{1,0,1}'  '[1][0][1]'
  c=1,w=1                          by name: the other indices are 0

Negative indices count from the end and need brackets: 'x.npy[-1,0,0]'.

--at 7 is offset 7 in elements; --at 28B is byte 28 of the storage, which starts
after the file's header. --line-size shows what else is in the cache line; lines
are counted from byte 0 of the file, or of the storage without a file.

Without a file, --shape describes a tensor; its sizes are logical: N,C,H,W.`,
		Example: `  tlayout offset x.npy 1 2 3 4
  tlayout offset 'x.npy[-1,0,0,2]' c=1,w=1
  tlayout offset x.nchw4c.npz --at 3,28B
  tlayout offset x.npy 1,2,3,4 --line-size 64
  tlayout offset --shape 2,64,3,3 --from CHWN4 n=1 c=17`,
		ValidArgsFunction: cli.CompleteSources(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			o.line = a.Given(cmd, "line-size")
			return run(a, o)
		},
	}
	o.AddReading(cmd)
	o.AddTyping(cmd)
	flags := cmd.Flags()
	flags.Var(&o.at, "at", "find the element at this offset or byte: 7, 28B, or a list")
	flags.Var(&o.lineSize, "line-size", "show the element's cache line of this many bytes: 64")
	flags.IntVar(&o.word, "word", 0, "also show the element's word of this many bits: 8, 16, 32 or 64")
	o.readAs.AddReadAs(cmd)
	cli.Group(cmd, "What to find", "at", "line-size", "word", "read-as")
	cli.Frequent(cmd.Flags(), "at", "line-size", "from", "shape", "strides", "dtype")
	cli.Exclusive(cmd, "at", "read-as")
	cmd.SetFlagErrorFunc(flagError)
	cli.HasSettings(cmd)
	cli.Repeatable(cmd, "at")
	return cmd
}

// flagError recognizes -1,0 as a coordinate without brackets.
func flagError(cmd *cobra.Command, err error) error {
	e := cli.UsageError(cmd, err)
	if _, shorthand, ok := strings.Cut(err.Error(), "unknown shorthand flag: '"); ok && shorthand[0] >= '0' && shorthand[0] <= '9' {
		return fault.New(fault.Usage, "a coordinate cannot start with a minus sign, which makes it a flag").
			WithHint("put it in brackets: '[-1,0,0,0]'")
	}
	return e
}

func run(a *cli.App, o *options) error {
	t, coords, err := o.open(a)
	if err != nil {
		return err
	}
	defer t.Close()
	if o.word != 0 && !slices.Contains([]int{8, 16, 32, 64}, o.word) {
		return fault.New(fault.Usage, "--word %d: a word has 8, 16, 32 or 64 bits", o.word)
	}
	if o.word != 0 && o.word < t.DType.Bits() {
		return fault.New(fault.Usage, "--word %d: an element of %s has %d bits", o.word, t.DType, t.DType.Bits())
	}
	o.reader, err = t.Reader(o.readAs.Layout)
	if err != nil {
		return err
	}
	results, err := answer(o, t, coords)
	if err != nil {
		return err
	}
	r := newReport(t, results)
	r.readAs = o.readAs.Name
	return a.Write(r)
}

// open opens the source; the arguments after it are coordinates.
func (o *options) open(a *cli.App) (t *source.Tensor, coords []string, err error) {
	if first := append(o.args, "")[0]; !o.HasShape() && !o.Exact() && looksLikeCoord(first) {
		return nil, nil, o.MissingSource(" before the coordinate " + text.Quote(first))
	}
	t, coords, err = o.OpenFirst(a, o.args, false)
	if err != nil {
		name, index, ok := splitIndex(o.args)
		if !ok {
			return nil, nil, err
		}
		t, coords, err = o.OpenFirst(a, append([]string{name}, o.args[1:]...), false)
		if err != nil {
			return nil, nil, err
		}
		return t, append([]string{index}, coords...), nil
	}
	if len(coords) == 0 && len(o.at.list) == 0 {
		l, _ := t.ValueLayout()
		t.Close()
		return nil, nil, fault.New(fault.Usage, "missing COORD").
			WithHint("add one such as %s, or --at 0 for the element at offset 0", lastCoord(l))
	}
	return t, coords, nil
}

// target is an offset of --at as typed: 7, or 28B for a byte.
type target struct {
	text  string
	n     int
	bytes bool
}

// targets is the list of --at; repeated flags append to it.
type targets struct{ list []target }

func (f *targets) String() string {
	texts := make([]string, len(f.list))
	for i, t := range f.list {
		texts[i] = t.text
	}
	return strings.Join(texts, ",")
}

func (f *targets) Type() string { return "offsets" }

// Set parses offsets and bytes.
func (f *targets) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		t := target{text: strings.TrimSpace(word)}
		number, unit := strings.CutSuffix(t.text, "B")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if errors.Is(err, strconv.ErrRange) {
			return fault.New(fault.Usage, "%s overflows a 64-bit address", text.Quote(t.text)).
				WithHint("tlayout inspect shows which offsets are in use")
		}
		if err != nil {
			return fault.New(fault.Usage, "%s is neither an offset, as 7, nor a byte, as 28B", text.Quoted(t.text)).
				WithHint("offsets count elements, bytes end in B: --at 7,28B")
		}
		t.n = n
		t.bytes = unit
		f.list = append(f.list, t)
	}
	return nil
}
