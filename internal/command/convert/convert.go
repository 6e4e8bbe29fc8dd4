// Package convert is tlayout convert, which copies a tensor into another layout, and tlayout plan, which explains how.
package convert

import (
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/filename"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

type options struct {
	conversionFlags
	padValue string
	out      string
	memory   cli.Bytes
	threads  int
	force    bool
	update   bool
	durable  bool
	verify   bool
	dryRun   bool
	second   bool   // the output is the second argument
	dir      string // the folder of a .npy file for each tensor
	match    string // of a checkpoint, the names of the tensors that --to converts
	exclude  string // the names of tensors to leave out
	compact  bool
	align    int // bytes; 0 for the default
	many     manyFlags
	unit     *unitOutput     // of one source among many; nil otherwise
	inputs   *publish.Inputs // files that no output may replace
}

// defaultMemory bounds the memory for tiles of the result, in bytes.
const defaultMemory = 64 << 20

// NewCmd makes tlayout convert.
func NewCmd(a *cli.App) *cobra.Command {
	cmd, _ := newCmd(a)
	return cmd
}

func newCmd(a *cli.App) (*cobra.Command, *options) {
	o := &options{memory: cli.Bytes{N: defaultMemory}}
	cmd := &cobra.Command{
		Use:   "convert SRC [OUT] --to LAYOUT | SRC… --to LAYOUT -d DIR",
		Short: "Copy a tensor into another memory format",
		Long: `Copy a tensor into another memory format. The result is a .npy file whose shape
is physical: converted to nhwc, x.npy of shape (N,C,H,W) becomes x.nhwc.npy of
shape (N,H,W,C), and is read as NHWC by that name. c and fortran keep the file's
own axes.

x.raw and x.bin hold the bytes alone; the answer says how to read them.

What a .npy file and its name cannot say, because C ends inside a block or rows
are padded, makes the result an archive, x.nchw4c.npz: it holds the array,
aligned and stored without compression, and layout.json, which records the
layout. -o x.npy writes the plain array, and says what it does not record.

Without --to, an output called y.nhwc.npy is NHWC. Axes of SRC that nothing
names are assumed to be N,C,H,W, or O,I,H,W if --to has those letters; the
result's name or layout.json then says so too. --from says what they are.

--to '(2,3):(5,1)' asks for exact strides, by size and stride of each dim.

Of an archive, w.npz, all arrays are converted into another, w.nhwc.npz;
'w.npz:conv*' are those of matching names. An array of another rank than that of
--to, as a bias, stays as it is stored.

A checkpoint is converted as a whole into another container, by the output's
name: .pt keeps strides and shared storages, .safetensors and .npz hold each
tensor contiguous, -d a .npy file for each. --to gives its layout to the tensors
of its rank whose names --match; without it none moves that the container can
hold as it is. 'model.pt:enc.*' takes the tensors of matching names only, and
--exclude leaves some out. dtypes never change, but big-endian numbers become
little-endian in a checkpoint. A single tensor needs no --to for another
container: model.pt:w -o w.npy. What the output cannot hold is said.

Many sources, files, folders, 'patterns*.npy' and lists of names (@list.txt, or
standard input with -@), are converted into the folder -d, below which paths are
kept. One that fails spoils no other: it is a line on standard error, and decides
the exit code. --shard does a part of the list.

An output that exists is refused before anything is written. --force replaces it.
--update skips it if it is newer than its source, and replaces an older one; in
object stores, and of sources there, it skips what exists. So a command with
--update may be run again after an interruption, or twice at once. No output
replaces an input, whatever name leads to it.

An output appears whole or not at all. It is atomic, but not yet on disk when
the program ends, unless --durable is set or a file was replaced.`,
		Example: `  tlayout convert x.npy --to nhwc
  tlayout convert x.npy y.nhwc.npy
  tlayout convert photo.npy photo.nchw.npy --from nhwc
  tlayout convert x.npy --to NCHW16c --verify
  tlayout convert x.nchw4c.npz --to nchw
  tlayout convert weights.npz --to c -o rows.npz
  tlayout convert x.npy --to nchw --to-pitch W=64B
  tlayout convert images/ --to nhwc -d nhwc/
  tlayout convert @list.txt --to nhwc -d listed/ --shard 0/4 --update
  tlayout convert model.pt -o model.safetensors
  tlayout convert model.pt --to channels_last -o cl.pt
  tlayout convert model.pt --compact -o small.pt`,
		Args: func(_ *cobra.Command, args []string) error {
			switch n := len(args); {
			case n == 0 && !o.many.Stdin:
				return cli.MissingSource("")
			case n > 2 && o.dir == "":
				return fault.New(fault.Usage, "convert takes one source and OUT, found %d arguments", n).
					WithHint("-d FOLDER converts each into that folder; 'w.npz:conv*' are the arrays of an archive")
			}
			return nil
		},
		ValidArgsFunction: cli.CompleteSources(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			if several, err := o.isMany(args); err != nil {
				return err
			} else if several {
				return runMany(a, o, args)
			}
			o.source = args[0]
			if err := o.takeOutput(cmd, args[1:]); err != nil {
				return err
			}
			return run(a, o)
		},
	}
	o.addConversion(cmd)
	o.AddRaw(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.padValue, "pad-value", "0", "fill padding with this `value` of the dtype, or 0x… for its bytes")
	flags.VarP((*cli.File)(&o.out), "output", "o", "write to this `file`, by its ending .npy, .npz, .safetensors, .pt, or .raw and .bin for bytes alone; - for standard output (default <stem>.<layout>.npy)")
	flags.VarP((*cli.File)(&o.dir), "dir", "d", "write into this `folder`: the results of several sources, or a .npy file for each tensor of a single checkpoint")
	flags.StringVar(&o.match, "match", "", "of a checkpoint, convert the tensors whose names match `PATTERN`, and keep the others")
	flags.StringVar(&o.exclude, "exclude", "", "of a checkpoint or an archive, leave out the tensors whose names match `PATTERN`")
	flags.BoolVar(&o.compact, "compact", false, "into .pt, leave out the bytes of storages that no tensor uses")
	cli.CountVar(flags, &o.align, "align", 0, "into .pt, begin every storage at a multiple of this many `bytes` (default 64); into .safetensors, which has no gaps, the first tensor")
	flags.Var(&o.memory, "memory", "use at most this much memory for tiles of the result")
	cli.CountVar(flags, &o.threads, "threads", 0, "number of threads (default all cores)")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
	flags.BoolVar(&o.update, "update", false, "skip an existing output that is newer than its source, and replace an older one; in object stores, skip what exists")
	flags.BoolVar(&o.durable, "durable", false, "sync file and folder to disk before the program ends")
	flags.BoolVar(&o.verify, "verify", false, "compare every element and all padding, with two readers, before the output appears")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would be written, and write nothing; tlayout plan explains how")
	cli.Group(cmd, "What to make", "to", "match", "exclude", "compact", "to-pitch", "pad-value")
	cli.Group(cmd, "The output", "output", "dir", "align", "force", "update", "durable", "verify", "dry-run")
	cli.Group(cmd, "Many sources", "shard", "jobs")
	cli.Group(cmd, "How it runs", "threads", "memory")
	o.many.add(cmd)
	cli.HasSettings(cmd)
	cli.Exclusive(cmd, "output", "dir")
	cli.Exclusive(cmd, "force", "update")
	cli.Needs(cmd, "shard", "dir")
	cli.Needs(cmd, "jobs", "dir")
	cli.TypedOnly(cmd, "output", "dir", "force", "update")
	return cmd, o
}

// takeOutput takes the second argument as the output, if there is one. Without --to, an output that is called x.nhwc.npy is NHWC.
func (o *options) takeOutput(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		if err := cli.TakeOutput(cmd, &o.out, args[0]); err != nil {
			return err
		}
		o.second = true
	}
	if o.to.Layout != nil {
		return nil
	}
	name := source.Base(o.out)
	if isRaw(name) {
		name = strings.TrimSuffix(name, filepath.Ext(name)) + ".npy"
	}
	switch layout, ok := filename.Layout(name); {
	case ok:
		o.named = o.out
		return o.to.Set(layout)
	case len(args) > 0 && filepath.Ext(args[0]) == "" && o.to.Set(args[0]) == nil:
		return missingTarget("did you mean --to " + args[0] + "?")
	}
	return nil
}

// movesOnly reports whether a tensor goes from one container into another with no target, so that it stays as it is stored.
func (o *options) movesOnly(in *input) bool {
	return o.to.Layout == nil && len(o.pitch) == 0 && o.out != "" && (in.isContainer() || isRaw(o.out) != o.Raw || source.NamesArchive(o.out))
}
