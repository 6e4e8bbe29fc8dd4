// Package inspect is tlayout inspect: what a tensor is, and how it lies in memory.
package inspect

import (
	"cmp"
	"math"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

type options struct {
	cli.Source
	sources []string
	offsets bool
	storage bool
	explain bool
	limit   int
	header  string // the CSV header that was written last
}

func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "inspect SRC…",
		Short: "Show how a tensor lies in memory",
		Long: `Show what a tensor is and how it lies in memory: dtype, shape, strides, memory
order, contiguity in all its senses with the reason for each "no", padding,
overlap, sizes, who takes the tensor as it is, and the layout's name in every
framework. Of more than ten sources it shows the first line each. Of an archive,
x.npz, it lists the arrays; x.npz:name is one of them.

With --explain it shows instead how all this comes about: each stride with its
formula, the address of an element, contiguity step by step, what PyTorch's
three questions answer and why, and what the tensor takes in memory.
With --storage it draws the memory itself, which tlayout draw puts beside the
tensor.

Without a file, --shape describes a tensor; its sizes are logical: N,C,H,W.`,
		Example: `  tlayout inspect x.npy
  tlayout inspect x.npy --layout nhwc --offsets
  tlayout inspect --shape 1,64,5,4 --strides 1280,1,256,64
  tlayout inspect --shape 1,64,5,4 --layout nhwc --explain
  tlayout inspect --shape 2,64,3,3 --layout nchw4 --storage --limit 20`,
		Args: func(_ *cobra.Command, args []string) error {
			o.sources = args
			return nil
		},
		ValidArgsFunction: cli.CompleteSources(math.MaxInt),
		RunE:              func(*cobra.Command, []string) error { return run(a, o) },
	}
	o.AddReading(cmd, "layout")
	o.AddTyping(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.offsets, "offsets", false, "list every element: coordinate, offset, byte, value")
	flags.BoolVar(&o.storage, "storage", false, "draw the storage: what lies at each offset, padding hatched")
	flags.BoolVar(&o.explain, "explain", false, "show how strides, addresses and answers come about, step by step")
	flags.IntVar(&o.limit, "limit", 64, "how many elements, or cells of storage, to show; 0 for all")
	cli.HasSettings(cmd, "layout,strides", "offsets,storage,explain")
	return cmd
}

func run(a *cli.App, o *options) error {
	switch {
	case o.limit < 0:
		return fault.New(fault.Usage, "--limit %d is negative", o.limit).WithHint("0 lists all rows")
	case o.offsets && o.storage:
		return fault.New(fault.Usage, "--offsets and --storage are two tables").WithHint("ask for one of them")
	case o.explain && (o.offsets || o.storage):
		return fault.New(fault.Usage, "--explain explains the tensor, --offsets and --storage list its elements").WithHint("ask for one of them")
	case o.HasShape() && len(o.sources) > 0:
		return fault.New(fault.Usage, "--shape describes a tensor without a file, but files are named too")
	case o.HasShape() || o.Layout.Layout != nil && len(o.sources) == 0:
		t, err := o.Describe()
		if err != nil {
			return err
		}
		return one(a, o, t)
	case len(o.sources) == 0:
		return cli.MissingSource("")
	}
	return all(a, o)
}

// maxTables is how many sources are shown with all their tables; of more, each has one line.
const maxTables = 10

// all goes on past sources that cannot be read, and fails in the end as the first of them did.
func all(a *cli.App, o *options) error {
	var first error
	for i, name := range o.sources {
		if err := named(a, o, name, i > 0); err != nil {
			if len(o.sources) == 1 {
				return err
			}
			a.PrintError(err)
			first = cmp.Or(first, err)
		}
	}
	return cli.Said(first)
}

// named shows a source, or lists the arrays of an archive; a blank line parts it from what was shown before.
func named(a *cli.App, o *options, name string, follows bool) error {
	opts := o.Options(a)
	opts.HeaderOnly = !o.offsets && !o.storage
	var archive *source.Archive
	var t *source.Tensor
	var err error
	if o.needsArray() {
		t, err = source.Open(name, opts)
	} else {
		t, archive, err = source.OpenOrList(name, opts)
	}
	if err != nil {
		return err
	}
	if follows && a.Format != cli.JSON && a.Format != cli.CSV && len(o.sources) <= maxTables {
		a.Stdout.Write([]byte("\n"))
	}
	if archive != nil {
		return writeArchive(a, o, newArchiveReport(archive))
	}
	defer t.Close()
	return one(a, o, t)
}

func one(a *cli.App, o *options, t *source.Tensor) error {
	if o.offsets || o.storage {
		if _, err := t.Data(); err != nil { // before the head of a table is written
			return err
		}
		if a.Format == cli.JSON {
			return writeCellsJSON(a, o, t)
		}
		return writeCells(a, o, t)
	}
	r := screen{inspect.New(t)}
	if o.explain {
		r.Explain = r.Derive(t)
	}
	switch {
	case a.Format == cli.JSON:
		return cli.WriteJSON(a.Stdout, r.Report, len(o.sources) < 2)
	case a.Format == cli.CSV && o.explain:
		return o.writeUnderHeader(a, r.explainTable())
	case a.Format == cli.CSV:
		return o.writeUnderHeader(a, r.csv())
	}
	a.Warn(r.Warnings)
	if o.explain {
		return writeExplanation(a, r, t)
	}
	if len(o.sources) > maxTables {
		return writeHeadline(a, r, t)
	}
	return writeInspect(a, r, t)
}
