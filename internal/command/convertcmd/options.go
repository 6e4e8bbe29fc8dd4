package convertcmd

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// options are the flags of convert, as parsed: nothing writes them afterwards.
type options struct {
	conversionFlags
	padValue string
	out      name.Name
	memory   cli.Bytes
	threads  int
	force    bool
	update   bool
	durable  bool
	verify   bool
	dryRun   bool
	dir      name.Name    // folder that gets one .npy file per tensor
	match    cli.Patterns // of the tensors of a checkpoint that --to converts; none: all
	exclude  cli.Patterns // of tensors to leave out
	like     name.Name    // checkpoint whose names, shapes and orders of dims the output has
	compact  bool
	align    int // bytes; 0 for the default
	many     manyFlags
}

// defaultMemory limits the memory for tiles of the result, in bytes.
const defaultMemory = 64 << 20

// selects reports whether a flag selects tensors by their names.
func (o *options) selects() bool { return len(o.match.Patterns)+len(o.exclude.Patterns) > 0 }

// replaces reports whether a flag allows existing results.
func (o *options) replaces() bool { return o.force || o.update }

// asksWhetherDone reports whether the exit code tells if results are missing.
func (o *options) asksWhetherDone() bool { return o.update && o.dryRun }

// manyFlags select the sources of a batch and the shard to convert.
type manyFlags struct {
	cli.Lists
	shard string
	jobs  int
}

func (f *manyFlags) add(cmd *cobra.Command) {
	f.AddLists(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.shard, "shard", "", "convert only shard `K/N` of the sources, K from 0 to N-1; auto reads it from an array job's environment")
	cli.CountVar(flags, &f.jobs, "jobs", 0, "number of sources to convert at once (default: all cores; 16 for object stores)")
}

// selected returns the shard that --shard selects.
func (f *manyFlags) selected(a *cli.App) (batch.Shard, error) {
	switch f.shard {
	case "":
		return batch.Shard{}, nil
	case "auto":
		return batch.FromEnvironment(a.Streams.Env)
	}
	s, err := batch.ParseShard(f.shard)
	return s, fault.In("--shard", err)
}

// conversionFlags select the target layout, and how the source is read.
type conversionFlags struct {
	cli.Source
	to    cli.Layout
	pitch []string
}

func (f *conversionFlags) addConversion(cmd *cobra.Command) {
	f.AddReading(cmd)
	flags := cmd.Flags()
	flags.Var(&f.to, "to", "memory order of the result, outermost axis first, or exact strides: '(2,3):(5,1)'")
	flags.StringSliceVar(&f.pitch, "to-pitch", nil, "round the result's rows up: W=64B in bytes, W=16 in elements")
	cli.Repeatable(cmd, "to-pitch")
}

// checkTarget requires a target layout. example is a valid command line.
func (f *conversionFlags) checkTarget(example string) error {
	if f.to.Layout == nil {
		return missingTarget(example + "; for the names: tlayout help layouts")
	}
	return nil
}

func missingTarget(hint string) error {
	return fault.New(fault.Usage, "missing --to LAYOUT").WithHint("%s", hint)
}
