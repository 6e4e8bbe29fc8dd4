// Package convertcmd implements tlayout convert, which copies tensors into another layout, and tlayout plan, which explains the copy.
//
// A conversion runs one way, and each stage decides what later ones only switch on:
//
//	options     the flags, as parsed; nothing writes them
//	settings    options, arguments and the batch for one source, with its destination
//	input       the open source: origin, and the tensors selected
//	container   the row of the output's format: what it holds, how its parts are placed and read again
//	scope       array to array, arrays to an archive, tensors from or to a checkpoint; each has its checks
//	task        one tensor: a conversion, whose frame is the axes it is over, and the action: kept, contiguous, swappedApart, inPlace, converted
//	output      the result's name, and what it does not record
//	placement   the result's bytes: headers, and items at their offsets
//	write       draft, verification, publication
//	report      what was done
//
// job has them all for one source. A Converter runs a job for each source of a batch, and small files by recipes that jobs made.
package convertcmd

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// NewCmd returns tlayout convert.
func NewCmd(a *cli.App) *cobra.Command {
	cmd, _ := newCmd(a)
	return cmd
}

func newCmd(a *cli.App) (*cobra.Command, *options) {
	o := &options{memory: cli.Bytes{N: defaultMemory}}
	cmd := &cobra.Command{
		Use:   "convert SRC [OUT] --to LAYOUT | SRC… --to LAYOUT -d DIR",
		Short: "Copy a tensor into another memory format",
		Long: `Copy a tensor into another memory format. The result is a .npy file with the
physical shape: with --to nhwc, x.npy of shape (N,C,H,W) becomes x.nhwc.npy of
shape (N,H,W,C), which tlayout reads as NHWC because of its name.

OUT, or -o, selects the container by its extension: .npy, .npz, .safetensors,
.pt, or raw bytes as .raw or .bin. If a .npy file and its name cannot record the
layout, because C ends inside a block or rows are padded, the default is an
archive, x.nchw4c.npz, of the array and its layout.

An archive or a checkpoint is converted as a whole: --to applies to the tensors
of its rank, and the others keep their layout. w.npz:conv1 selects one tensor,
'model.pt:enc.*' several. Folders, 'patterns*.npy' and lists of names (@FILE)
are converted into the folder -d.

--from sets the order of the axes of SRC. If nothing names them, they are
assumed to be N,C,H,W, or O,I,H,W if --to has those letters.

An existing output is an error: --force replaces it, --update only if its source
is newer. An output appears whole or not at all.`,
		Example: `  tlayout convert x.npy --to nhwc
  tlayout convert photo.npy photo.nchw.npy --from nhwc
  tlayout convert x.npy --to NCHW16c --verify
  tlayout convert images/ --to nhwc -d nhwc/
  tlayout convert model.pt -o model.safetensors
  tlayout convert model.pt --to channels_last -o cl.pt`,
		Args: func(_ *cobra.Command, args []string) error {
			n := len(args)
			if n == 0 && !o.many.Stdin {
				return cli.MissingSource("")
			}
			if n > 2 && o.dir.IsZero() {
				return fault.New(fault.Usage, "convert takes SRC and OUT, found %d arguments", n).
					WithHint("-d FOLDER for several sources; 'w.npz:conv*' for arrays of an archive")
			}
			return nil
		},
		ValidArgsFunction: cli.CompleteSources(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			sources := name.ParseAll(args)
			several, err := o.isMany(sources)
			if err != nil {
				return err
			}
			if several {
				return runMany(a, o, sources)
			}
			s, err := o.settingsOf(cmd, sources)
			if err != nil {
				return err
			}
			if !o.recipe.IsZero() {
				return runRecipe(a, o, s)
			}
			return run(a, s)
		},
	}
	o.addConversion(cmd)
	o.AddRaw(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.padValue, "pad-value", "0", "fill padding with this `value` of the dtype, or with these bytes: 0x…")
	flags.VarP((*cli.File)(&o.out), "output", "o", "write this `file`; - for standard output (default <stem>.<layout>.npy)")
	flags.VarP((*cli.File)(&o.dir), "dir", "d", "write into this `folder`: one result per source, or one .npy file per tensor of a checkpoint")
	flags.Var(&o.match, "match", "in a checkpoint, convert only the tensors whose names match `PATTERN`")
	flags.Var(&o.exclude, "exclude", "drop the tensors of a checkpoint or archive whose names match `PATTERN`")
	flags.Var((*cli.File)(&o.recipe), "recipe", "make the checkpoint that this `file` describes, which tlayout diff --recipe wrote")
	flags.BoolVar(&o.compact, "compact", false, "drop the bytes of storages that no tensor uses (.pt only)")
	cli.CountVar(flags, &o.align, "align", 0, "alignment in `bytes`: of every storage in a .pt (default 64), of the first tensor alone in a .safetensors, which has no gaps")
	flags.Var(&o.memory, "memory", "maximum memory for the tiles of the result")
	cli.CountVar(flags, &o.threads, "threads", 0, "number of threads (default: all cores)")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
	flags.BoolVar(&o.update, "update", false, "skip outputs that are newer than their sources, replace older ones; in object stores, skip those that exist")
	flags.BoolVar(&o.durable, "durable", false, "sync file and folder to disk before the program ends")
	flags.BoolVar(&o.verify, "verify", false, "compare every element and all padding with SRC, by two independent readers, before the output appears")
	flags.BoolVar(&o.dryRun, "dry-run", false, "report what would be written, without writing; tlayout plan explains how")
	o.many.add(cmd)
	cli.Group(cmd, "What to make", "to", "match", "exclude", "recipe", "compact", "to-pitch", "pad-value")
	cli.Group(cmd, "The output", "output", "dir", "align", "force", "update", "durable", "verify", "dry-run")
	cli.Group(cmd, "Many sources", "shard", "jobs")
	cli.Group(cmd, "How it runs", "threads", "memory")
	cli.Details(cmd, details, moreExamples)
	cli.Frequent(cmd.Flags(), "to", "output", "dir", "from", "raw", "match", "verify", "dry-run", "force", "update")
	cli.HasSettings(cmd)
	cli.Repeatable(cmd, "match", "exclude")
	cli.Exclusive(cmd, "output", "dir")
	cli.Exclusive(cmd, "force", "update")
	for _, other := range []string{"to", "from", "match", "exclude", "dir", "compact", "verify", "update"} {
		cli.Exclusive(cmd, "recipe", other)
	}
	cli.Needs(cmd, "shard", "dir")
	cli.Needs(cmd, "jobs", "dir")
	return cmd, o
}

// details is what --help --all of convert adds.
const details = `Without --to, the name of the output sets the layout: y.nhwc.npy is NHWC. c and
fortran keep the file's own axes. --to '(2,3):(5,1)' sets the sizes and strides
of all dims. The axes in the result's name and in layout.json are those that
--to, --from, --dims or the source names, never assumed ones.

The archive x.nchw4c.npz holds the array, aligned and uncompressed, and
layout.json, which records the layout. -o x.npy writes the plain array, and
warns about what it does not record. For x.raw and x.bin, the answer includes
the flags that read them.

An archive, w.npz, becomes w.nhwc.npz, with all its arrays. Arrays of another
rank than --to, such as biases, keep their layout.

In a checkpoint, --to applies to the tensors of its rank whose names --match.
The others change only as far as the container requires: .pt keeps strides and
shared storages, .safetensors and .npz store each tensor contiguous, and -d
writes one .npy file per tensor. Dtypes never change, but big-endian numbers are
byte-swapped, because checkpoints are little-endian. --exclude drops tensors. A
single tensor needs no --to to change its container: model.pt:w -o w.npy.
Warnings list what the output cannot hold.

--recipe r.json makes the checkpoint B whose tensors tlayout diff A B --recipe
r.json found to be made of A's, of A or of another checkpoint of its names and
shapes. Every element is written once; what does not fit is an error.

Results in the folder -d keep the paths of their sources. A source that fails
does not stop the others: its error goes to standard error, and sets the exit
code. --shard converts a part of the list.

In object stores, and for sources there, --update skips every output that
exists. A command with --update can be repeated after an interruption, or run
twice at once. --update --dry-run lists the results that are missing or older
than their sources, and exits with 1 if there are any. No output replaces an
input, under any name.

Writing is atomic. An output is not necessarily on disk when the program ends,
unless --durable is set or a file was replaced.`

// moreExamples are the examples that it adds.
const moreExamples = `  tlayout convert x.npy y.nhwc.npy
  tlayout convert x.nchw4c.npz --to nchw
  tlayout convert weights.npz --to c -o rows.npz
  tlayout convert x.npy --to nchw --to-pitch W=64B
  tlayout convert @list.txt --to nhwc -d listed/ --shard 0/4 --update
  tlayout convert model.pt --compact -o small.pt
  tlayout diff model.pt model.safetensors --recipe r.json
  tlayout convert model.pt --recipe r.json -o made.safetensors`
