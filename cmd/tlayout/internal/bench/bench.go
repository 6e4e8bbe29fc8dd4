// Package bench is tlayout bench: what a layout costs.
package bench

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
)

type options struct {
	cli.Source
	source   string
	layouts  layoutsFlag
	patterns patternsFlag
	cache    cacheFlag
	converts bool
	quick    bool
	samples  int
	limit    time.Duration
	require  []string
	baseline string
	summary  bool
	plot     string
	force    bool
}

// How much is measured: by default, and with --quick.
const (
	usualSamples, usualSample, usualLimit = 15, 8 * time.Millisecond, 50 * time.Second
	quickSamples, quickSample, quickLimit = bench.MinSamples, 2 * time.Millisecond, 8 * time.Second
)

// usualShape is measured where nothing is named: a batch of activations early in a network, 25.7 MB of float32.
var usualShape = []int{32, 64, 56, 56}

func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "bench [SRC]",
		Short: "Measure what a layout costs: access, conversion, and when it pays",
		Long: `Measure what a layout costs on this machine: channel-wise and spatial access to
the same tensor in every layout, the conversion each way, and after how many
passes it has paid for itself.

Of SRC only the header is read: shape, type and layout. Without SRC and --shape
it is float32 of 32,64,56,56. The first layout, or that of SRC, is the one that
the tensor is converted from.

Patterns, in the order in which they visit elements:
  channel    for every pixel, all its channels: a walk that only reads
  sum argmax conv1x1         over the channels of a pixel; conv1x1 has 8 filters
  spatial    for every channel, all its pixels: a walk that only reads
  meanvar maxpool depthwise  mean and variance; 2x2; 3x3
walks are both walks, all is everything (without --quick the default).

One thread runs everything, in plain loops. GB/s count every element once, a
conversion's what it reads and writes. "of roof" compares with the fastest that
one thread reads, or copies, as many bytes.

The model counts lines and pages in simulated caches, the same on every machine.
--cache l1=48K,12,64 is size, ways and line, l2 and l3 likewise or none, and
tlb=256K,4,4K the bytes whose pages are known, ways and page; --cache machine
takes this machine's caches.

A gate such as 'nhwc.channel.gbps >= 2 * nchw.channel.gbps' that does not hold
ends the program with exit code 1; tlayout help gates has all figures.`,
		Example: `  tlayout bench --quick --layouts nchw,nhwc,nchw16
  tlayout bench x.npy --quick --patterns walks,maxpool
  tlayout bench x.npy --quick --json > before.json
  tlayout bench x.npy --quick --baseline before.json
  tlayout bench --shape 8,64,28,28 --quick --require 'nhwc.channel.model.lines_per_elem <= 0.07'
  tlayout bench --shape 4,64,28,28 --dtype uint8 --quick --plot walks.svg`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fault.New(fault.Usage, "bench takes one source, found %d", len(args)).WithHint("tlayout bench x.npy")
			}
			if len(args) == 1 {
				o.source = args[0]
			}
			return nil
		},
		ValidArgsFunction: cli.CompleteSources(1),
		RunE:              func(cmd *cobra.Command, _ []string) error { return run(a, o, cmd.Flags().Changed) },
	}
	o.AddReading(cmd, "layout")
	o.AddTyping(cmd)
	o.addMeasuring(cmd)
	flags := cmd.Flags()
	formats := cli.EnumOf(&a.Format, cli.Table, cli.JSON, cli.CSV, cli.Markdown, cli.GoBench)
	flags.VarP(formats, "output", "f", "how to write results; gobench is for benchstat")
	flags.StringArrayVar(&o.require, "require", nil, "a `gate`, see tlayout help gates; may be repeated")
	flags.StringVar(&o.baseline, "baseline", "", "compare with a `file` of bench --json")
	flags.BoolVar(&o.summary, "summary", false, "append Markdown to $GITHUB_STEP_SUMMARY")
	flags.StringVar(&o.plot, "plot", "", "draw the walks into this `file`, .svg or .png")
	flags.BoolVar(&o.force, "force", false, "replace the file of --plot if it exists")
	cli.CompleteEnums(cmd, flags)
	cli.HasSettings(cmd, "layout,strides", "quick,samples", "quick,time")
	return cmd
}

// addMeasuring adds the flags that say what is measured and how.
func (o *options) addMeasuring(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&o.layouts, "layouts", "layouts to compare (default: the well-known ones)")
	flags.Var(&o.patterns, "patterns", "patterns to measure (default all, with --quick walks)")
	flags.BoolVar(&o.converts, "conversions", true, "measure the conversions")
	flags.Var(&o.cache, "cache", "caches of the model, such as l1=48K,12,64, or machine")
	flags.BoolVar(&o.quick, "quick", false, "in less than 10 s: walks and conversions, up to 12 MiB")
	flags.IntVar(&o.samples, "samples", 0, "samples of each row (default 15, with --quick 10)")
	flags.DurationVar(&o.limit, "time", 0, "leave out what takes longer, 0 nothing (default 50s)")
	cli.Must(cmd.RegisterFlagCompletionFunc("layouts", cli.CompleteLayouts))
	cli.Must(cmd.RegisterFlagCompletionFunc("patterns", completePatterns))
}

// run refuses everything that can be refused before anything is measured.
func run(a *cli.App, o *options, typed func(flag string) bool) error {
	if err := o.settle(typed); err != nil {
		return err
	}
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	job := benchJob{app: a, options: o, measuring: o.measuring(kernels)}
	defer job.discard()
	if err := job.prepare(); err != nil {
		return err
	}
	report, err := job.measure()
	if err != nil {
		return err
	}
	return job.finish(report)
}

// settle gives values to what was left open.
func (o *options) settle(typed func(flag string) bool) error {
	samples, limit, patterns := usualSamples, usualLimit, bench.Patterns
	if o.quick {
		samples, limit, patterns = quickSamples, quickLimit, bench.Patterns[:2]
	}
	if o.samples == 0 && !typed("samples") {
		o.samples = samples
	}
	if o.limit == 0 && !typed("time") {
		o.limit = limit
	}
	if o.patterns.list == nil {
		o.patterns.list = patterns
	}
	switch {
	case o.samples < bench.MinSamples:
		return fault.New(fault.Usage, "--samples %d: an interval needs %d or more", o.samples, bench.MinSamples)
	case o.limit < 0:
		return fault.New(fault.Usage, "--time %s is negative", o.limit)
	case o.force && o.plot == "":
		return fault.New(fault.Usage, "--force replaces the file of --plot, but there is no --plot")
	case o.plot == "-":
		return fault.New(fault.Usage, "--plot writes no picture to standard output, where the tables are").
			WithHint("name a file: --plot walks.svg or --plot walks.png")
	}
	for flag, value := range map[string]string{"plot": o.plot, "baseline": o.baseline} {
		if typed(flag) && value == "" {
			return fault.New(fault.Usage, "--%s names no file", flag)
		}
	}
	return fault.In("--cache", o.cache.settle())
}

func (o *options) measuring(k *kernel.Kernels) bench.Options {
	m := bench.Options{Machine: bench.ThisMachine(k, cli.Version()), Kernels: k, Geometry: o.cache.geometry, Samples: o.samples,
		Sample: usualSample, LevelRoofs: !o.quick, Limit: o.limit, Keep: o.patterns.named}
	if o.quick {
		m.Sample = quickSample
	}
	return m
}
