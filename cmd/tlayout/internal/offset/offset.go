// Package offset is tlayout offset: from a coordinate to its address, and back.
package offset

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

type options struct {
	cli.Source
	args     []string
	at       placesFlag
	line     bool
	lineSize cli.Bytes
}

func NewCmd(a *cli.App) *cobra.Command {
	o := &options{lineSize: cli.Bytes{N: 64}}
	cmd := &cobra.Command{
		Use:   "offset SRC COORD…",
		Short: "Tell where an element lies, and what lies at an offset",
		Long: `Tell where an element lies: the product of its indices and the strides written
out, its offset in the storage in elements and in bytes, its byte in the file,
and its value. --at asks the other way round: what lies at an offset, and if it
is padding, why.

A coordinate has one index for each logical dim: 1,0,1 or, quoted for the shell,
'(1,0,1)', '{1,0,1}', '[1,0,1]', '[1][0][1]'. Negative indices count from the
end, in brackets: '(-1,0,0)'. By name, c=1,w=1, the other indices are 0.

--at 7 is offset 7 in elements; --at 28B is byte 28 of the storage, which begins
with the data, behind a file's header. --line lists what else lies in the same
line of a cache; lines are counted from the beginning of the file, or of the
storage where there is no file.

Without a file, --shape describes a tensor; its sizes are logical: N,C,H,W.`,
		Example: `  tlayout offset x.npy 1,2,3,4
  tlayout offset x.npy '(-1,0,0,2)' c=1,w=1 --line
  tlayout offset x.nchw4c.npy --at 3,28B
  tlayout offset --shape 2,2,3 1,0,1
  tlayout offset --shape 2,64,3,3 --layout CHWN4 n=1 c=17`,
		Args: func(_ *cobra.Command, args []string) error {
			o.args = args
			return nil
		},
		ValidArgsFunction: cli.CompleteSources(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.line = o.line || cmd.Flags().Changed("line-size")
			return run(a, o)
		},
	}
	o.AddReading(cmd, "layout")
	o.AddTyping(cmd)
	flags := cmd.Flags()
	flags.Var(&o.at, "at", "what lies at this offset or byte: 7, 28B, or a list")
	flags.BoolVar(&o.line, "line", false, "list what shares the cache line")
	flags.Var(&o.lineSize, "line-size", "bytes in a line, a power of two up to 4096")
	cmd.SetFlagErrorFunc(flagError)
	cli.HasSettings(cmd, "layout,strides")
	return cmd
}

// flagError knows that -1,0 was meant as a coordinate.
func flagError(cmd *cobra.Command, err error) error {
	e := cli.UsageError(cmd, err)
	if _, shorthand, ok := strings.Cut(err.Error(), "unknown shorthand flag: '"); ok && shorthand[0] >= '0' && shorthand[0] <= '9' {
		return fault.New(fault.Usage, "a coordinate cannot begin with a minus sign, which begins a flag").
			WithHint("put it into brackets: '(-1,0,0)'")
	}
	return e
}

func run(a *cli.App, o *options) error {
	if n := o.lineSize.N; n < 1 || n > 4096 || n&(n-1) != 0 {
		return fault.New(fault.Usage, "--line-size %d is not a power of two up to 4096", n).
			WithHint("lines have 32, 64, 128 or 256 bytes")
	}
	t, coords, err := o.open(a)
	if err != nil {
		return err
	}
	defer t.Close()
	r, err := newReport(o, t, coords)
	if err != nil {
		return err
	}
	return r.write(a)
}

// open takes the source from the arguments; what is left are coordinates.
func (o *options) open(a *cli.App) (t *source.Tensor, coords []string, err error) {
	switch first := append(o.args, "")[0]; {
	case o.HasShape() && cli.NamesFile(first):
		return nil, nil, fault.New(fault.Usage, "--shape describes a tensor without a file, but a file is named too").
			WithHint("leave one of them out")
	case !o.HasShape() && !o.Exact() && looksLikeCoord(first):
		return nil, nil, cli.MissingSource(" before the coordinate " + words.Quote(first))
	}
	if t, coords, err = o.Open(a, o.args, false); err != nil {
		return nil, nil, err
	}
	if len(coords) == 0 && len(o.at.places) == 0 {
		t.Close()
		return nil, nil, fault.New(fault.Usage, "no coordinate is named").
			WithHint("add one such as %s, or --at 0 for what lies at offset 0", lastCoord(t.Layout))
	}
	return t, coords, nil
}

// askedPlace is a place of the storage as the user names it: 7, or 28B for a byte.
type askedPlace struct {
	text  string
	n     int
	bytes bool
}

// placesFlag is a list of places; repeated, it goes on.
type placesFlag struct{ places []askedPlace }

func (f *placesFlag) String() string {
	texts := make([]string, len(f.places))
	for i, p := range f.places {
		texts[i] = p.text
	}
	return strings.Join(texts, ",")
}

func (f *placesFlag) Type() string { return "offsets" }

func (f *placesFlag) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		p := askedPlace{text: strings.TrimSpace(word)}
		number, unit := strings.CutSuffix(p.text, "B")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		switch {
		case errors.Is(err, strconv.ErrRange):
			return fault.New(fault.Usage, "%s is more than an address can count", words.Quote(p.text)).
				WithHint("tlayout inspect shows which offsets are in use")
		case err != nil:
			return fault.New(fault.Usage, "%s is not an offset such as 7, or a byte such as 28B", words.Quoted(p.text)).
				WithHint("offsets count elements, bytes end in B: --at 7,28B")
		}
		p.n, p.bytes = n, unit
		f.places = append(f.places, p)
	}
	return nil
}
