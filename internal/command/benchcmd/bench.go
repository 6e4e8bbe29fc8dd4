// Package benchcmd is tlayout bench, which measures what a layout costs.
package benchcmd

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

type options struct {
	cli.Source
	source   name.Name
	layouts  layoutsFlag
	patterns patternsFlag
	with     engine
	torch    torchOptions
	cache    cacheFlag
	converts bool
	quick    bool
	samples  int
	limit    time.Duration
	require  []string
	summary  bool
	out      name.Name
	force    bool
}

// Defaults without and with --quick.
const (
	defaultSamples, defaultSample, defaultLimit = 15, 8 * time.Millisecond, 50 * time.Second
	quickSamples, quickSample, quickLimit       = bench.MinSamples, 2 * time.Millisecond, 8 * time.Second
)

// defaultShape is the shape without SRC and --shape: a batch of activations early in a network, 25.7 MB of float32.
var defaultShape = []int{32, 64, 56, 56}

const long = `Measure what a layout costs on this machine: channel-wise and spatial access to
the same tensor in every layout, conversions in both directions, and the number
of passes after which a conversion breaks even.

bench reads only the header of SRC: shape, type and layout. The default is
float32 of 32,64,56,56. Conversions are from the layout of SRC, or from the
first of --layouts.

Patterns, by the order in which they visit elements:
  channel    for every pixel, all its channels
  spatial    for every channel, all its pixels

--with torch measures operators of PyTorch instead, in the memory formats nchw
(contiguous) and nhwc (channels_last): conv2d, batch_norm, max_pool2d, matmul,
and conversions. It runs the python3 on PATH.

A failed gate, such as 'nhwc.channel.gbps >= 2 * nchw.channel.gbps', makes the
exit code 1; tlayout help gates lists all figures.`

// details is what --help --all of bench adds.
const details = `Everything runs on one thread, in plain loops. GB/s count every element once, or
the bytes read and written by a conversion. "of roofline" is the fraction of the
best bandwidth of one thread that reads, or copies, as many bytes.

The model counts cache lines and pages in simulated caches, the same on every
machine. --cache l1=48K,12,64 sets size, ways and line; l2 and l3 likewise, or
none; tlb=256K,4,4K sets reach, ways and page. --cache machine uses this
machine's caches.

Of PyTorch's operators, conv2d and matmul are measured without autocast and with
it: conv2d.bfloat16. --patterns chooses operators.`

// moreExamples are the examples that it adds.
const moreExamples = `  tlayout bench x.npy --quick -f gobench >before.txt    # for benchstat before.txt after.txt
  tlayout bench --shape 4,64,28,28 --dtype uint8 --quick -o walks.svg`

// NewCmd returns the command bench.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "bench [SRC]",
		Short: "Measure what a layout costs: access, conversion, and when it pays",
		Long:  long,
		Example: `  tlayout bench --quick --layouts nchw,nhwc,nchw16
  tlayout bench x.npy --quick --patterns channel
  tlayout bench --quick --require 'nhwc.channel.model.lines_per_elem <= 0.07'
  tlayout bench --with torch --device cpu --shape 8,64,56,56 --quick`,
		Args:              cli.Args(0, 1, "source", "tlayout bench x.npy"),
		ValidArgsFunction: cli.CompleteSources(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.source, err = cli.OnlySource(args)
			if err != nil {
				return err
			}
			if err := o.resolve(func(flag string) bool { return a.Given(cmd, flag) }); err != nil {
				return err
			}
			return run(a, o)
		},
	}
	o.AddReading(cmd)
	o.AddTyping(cmd)
	o.addMeasuring(cmd)
	o.addTorch(cmd)
	o.addOutputs(cmd, a)
	cli.Group(cmd, "What is measured", "layouts", "patterns", "conversions", "cache", "quick", "samples", "time")
	cli.Group(cmd, "Operators of PyTorch", "with", "device", "autocast", "out-channels", "kernel-size")
	cli.Group(cmd, "What must hold", "require")
	cli.Group(cmd, "Where it is written", "format", "output", "force", "summary")
	cli.Details(cmd, details, moreExamples)
	cli.Frequent(cmd.Flags(), "layouts", "patterns", "quick", "shape", "dtype", "with", "device", "require", "format", "output")
	cli.HasSettings(cmd)
	cli.Repeatable(cmd, "layouts", "patterns", "cache", "require")
	cli.Rivals(cmd, "quick", "samples")
	cli.Rivals(cmd, "quick", "time")
	cli.Needs(cmd, "force", "output")
	return cmd
}

// addMeasuring adds the flags that select and configure measurements.
func (o *options) addMeasuring(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&o.layouts, "layouts", "layouts to compare (default: the well-known ones)")
	flags.Var(&o.patterns, "patterns", "patterns to measure (default all)")
	flags.BoolVar(&o.converts, "conversions", true, "measure the conversions")
	flags.Var(&o.cache, "cache", "caches of the model, such as l1=48K,12,64, or machine")
	flags.BoolVar(&o.quick, "quick", false, "finish in less than 10 s: fewer samples, up to 12 MiB")
	flags.IntVar(&o.samples, "samples", 0, "samples per row (default 15; 10 with --quick)")
	flags.DurationVar(&o.limit, "time", 0, "time budget; 0 means unlimited (default 50s; 8s with --quick)")
	cli.CompleteWords(cmd, "patterns", patternNames(slices.Concat(bench.Walks, bench.Operators)))
}

// addOutputs adds the flags of outputs and gates.
func (o *options) addOutputs(cmd *cobra.Command, a *cli.App) {
	flags := cmd.Flags()
	formats := cli.EnumOf(&a.Format, cli.Table, cli.JSON, cli.CSV, cli.Markdown, cli.GoBench)
	flags.VarP(formats, "format", "f", "output `format`: table, json, csv, markdown or gobench, for benchstat")
	flags.StringArrayVar(&o.require, "require", nil, "a `gate`, see tlayout help gates")
	flags.BoolVar(&o.summary, "summary", false, "append Markdown to $GITHUB_STEP_SUMMARY")
	flags.VarP((*cli.File)(&o.out), "output", "o", "also write this `file`: the walks as .svg or .png, the report as .json, .csv, .md or .txt")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
}

// run checks everything before it measures.
func run(a *cli.App, o *options) error {
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	j := job{app: a, options: o, measuring: o.measuring(kernels)}
	defer j.discard()
	if err := j.prepare(); err != nil {
		return err
	}
	r, err := j.measure()
	if err != nil {
		return err
	}
	return j.finish(r)
}

// resolve sets defaults and checks values.
func (o *options) resolve(given func(flag string) bool) error {
	samples := defaultSamples
	limit := defaultLimit
	if o.quick {
		samples = quickSamples
		limit = quickLimit
	}
	if o.samples == 0 && !given("samples") {
		o.samples = samples
	}
	if o.limit == 0 && !given("time") {
		o.limit = limit
	}
	all := bench.Walks
	if o.with == torch {
		all = bench.Operators
	}
	if err := o.choose(all); err != nil {
		return err
	}
	if o.with == torch {
		if err := o.torch.resolve(); err != nil {
			return err
		}
	}
	if o.samples < bench.MinSamples {
		return fault.New(fault.Usage, "--samples %d: a confidence interval needs at least %d", o.samples, bench.MinSamples)
	}
	if o.limit < 0 {
		return fault.New(fault.Usage, "--time %s is negative", o.limit)
	}
	if o.out.IsStdin() {
		return fault.New(fault.Usage, "--output - would mix two results on standard output").
			WithHint("name a file: -o walks.svg; --format selects the format of standard output")
	}
	return fault.In("--cache", o.cache.resolve())
}

// choose brings the patterns into the order of reports. It fails unless they are among all that can be measured; without --patterns these are
// all of them.
func (o *options) choose(all []bench.Pattern) error {
	for _, p := range o.patterns {
		if !slices.Contains(all, p) {
			err := fault.New(fault.Usage, "--patterns %s: want %s", p, strings.Join(patternNames(all), ", "))
			if !p.Walk() {
				err = err.WithHint("add --with torch")
			}
			return err
		}
	}
	if len(o.patterns) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(p bench.Pattern) bool { return !slices.Contains(o.patterns, p) })
	}
	o.patterns = all
	return nil
}

func (o *options) measuring(k *kernel.Kernels) bench.Options {
	m := bench.Options{Machine: bench.ThisMachine(k, cli.Version()), Kernels: k, Geometry: o.cache.geometry, Samples: o.samples,
		Sample: defaultSample, LevelRoofs: !o.quick, Limit: o.limit}
	if o.quick {
		m.Sample = quickSample
	}
	return m
}
