package main

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

type inspectOptions struct {
	sourceFlags
	sources []string
	offsets bool
	storage bool
	explain bool
	limit   int
	header  string // the CSV header that was written last
}

func newInspectCmd(a *app) *cobra.Command {
	o := &inspectOptions{}
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
		ValidArgsFunction: completeSources,
		RunE:              func(*cobra.Command, []string) error { return runInspect(a, o) },
	}
	o.addReading(cmd, "layout")
	o.addTyping(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.offsets, "offsets", false, "list every element: coordinate, offset, byte, value")
	flags.BoolVar(&o.storage, "storage", false, "draw the storage: what lies at each offset, padding hatched")
	flags.BoolVar(&o.explain, "explain", false, "show how strides, addresses and answers come about, step by step")
	flags.IntVar(&o.limit, "limit", 64, "how many elements, or cells of storage, to show; 0 for all")
	return cmd
}

func runInspect(a *app, o *inspectOptions) error {
	switch {
	case o.limit < 0:
		return fault.New(fault.Usage, "--limit %d is negative", o.limit).WithHint("0 lists all rows")
	case o.offsets && o.storage:
		return fault.New(fault.Usage, "--offsets and --storage are two tables").WithHint("ask for one of them")
	case o.explain && (o.offsets || o.storage):
		return fault.New(fault.Usage, "--explain explains the tensor, --offsets and --storage list its elements").WithHint("ask for one of them")
	case o.typed() && len(o.sources) > 0:
		return fault.New(fault.Usage, "--shape describes a tensor without a file, but files are named too")
	case o.typed() || o.layout.layout != nil && len(o.sources) == 0:
		t, err := o.describe()
		if err != nil {
			return err
		}
		return inspectOne(a, o, t)
	case len(o.sources) == 0:
		return noSource("")
	}
	return inspectAll(a, o)
}

// maxTables is how many sources are shown with all their tables; of more, each has one line.
const maxTables = 10

// inspectAll goes on past sources that cannot be read, and fails in the end as the first of them did.
func inspectAll(a *app, o *inspectOptions) error {
	for i, name := range o.sources {
		if err := inspectNamed(a, o, name, i > 0); err != nil {
			if len(o.sources) == 1 {
				return err
			}
			a.printError(err)
			if a.failed == nil {
				a.failed = err
			}
		}
	}
	return nil
}

// inspectNamed shows a source, or lists the arrays of an archive; a blank line parts it from what was shown before.
func inspectNamed(a *app, o *inspectOptions, name string, follows bool) error {
	var archive *source.Archive
	var t *source.Tensor
	var err error
	if o.lists(name) {
		archive, err = source.List(name, o.maxHeader.n)
	} else {
		opts := o.options(a)
		opts.HeaderOnly = !o.offsets && !o.storage
		t, err = source.Open(name, opts)
	}
	if err != nil {
		return err
	}
	if follows && a.format != formatJSON && a.format != formatCSV && len(o.sources) <= maxTables {
		a.stdout.Write([]byte("\n"))
	}
	if archive != nil {
		return writeArchive(a, o, newArchiveReport(archive))
	}
	defer t.Close()
	return inspectOne(a, o, t)
}

func inspectOne(a *app, o *inspectOptions, t *source.Tensor) error {
	if o.offsets || o.storage {
		if _, err := t.Data(); err != nil { // before the head of a table is written
			return err
		}
		if a.format == formatJSON {
			return writeCellsJSON(a, o, t)
		}
		return writeCells(a, o, t)
	}
	r := screen{newInspectReport(t)}
	if o.explain {
		r.Explain = r.explain(t)
	}
	switch {
	case a.format == formatJSON:
		return writeJSON(a.stdout, r.inspectReport, len(o.sources) < 2)
	case a.format == formatCSV && o.explain:
		return o.writeUnderHeader(a, r.explainTable())
	case a.format == formatCSV:
		return o.writeUnderHeader(a, r.csv())
	}
	a.warn(r.Warnings)
	if o.explain {
		return writeExplanation(a, r, t)
	}
	if len(o.sources) > maxTables {
		return writeHeadline(a, r, t)
	}
	return writeInspect(a, r, t)
}
