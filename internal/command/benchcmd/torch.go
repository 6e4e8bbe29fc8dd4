package benchcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// engine is what measures.
type engine string

const (
	loops engine = "loops" // walks and conversions of the program
	torch engine = "torch" // operators of PyTorch
)

// torchOptions are the flags of PyTorch.
type torchOptions struct {
	bench.TorchOptions
	autocast string
}

// noAutocast is the value of --autocast that measures nothing under autocast.
const noAutocast = "off"

// addTorch adds the flags of PyTorch.
func (o *options) addTorch(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(cli.EnumOf(&o.with, loops, torch), "with", "what measures: loops, or `torch` for operators of PyTorch")
	flags.StringVar(&o.torch.Device, "device", "", "`device` of torch (default cuda if there is one, or else cpu)")
	flags.Var(cli.EnumOf(&o.torch.autocast, "bfloat16", "float16", noAutocast), "autocast", "dtype of autocast in torch: bfloat16, float16 or off")
	flags.IntVar(&o.torch.OutChannels, "out-channels", 0, "channels of the results of conv2d and matmul (default as the tensor)")
	flags.IntVar(&o.torch.Kernel, "kernel-size", 3, "height and width of conv2d's kernel")
	for _, name := range []string{"device", "autocast", "out-channels", "kernel-size"} {
		cli.Needs(cmd, name, "with")
	}
	for _, name := range []string{"layouts", "cache", "strides", "offset"} {
		cli.Exclusive(cmd, "with", name)
	}
}

// resolve checks the numbers.
func (o torchOptions) resolve() error {
	if o.OutChannels < 0 {
		return fault.New(fault.Usage, "--out-channels %d is negative", o.OutChannels)
	}
	if o.Kernel < 1 {
		return fault.New(fault.Usage, "--kernel-size %d is not positive", o.Kernel)
	}
	return nil
}

// operators returns the patterns to measure of a tensor of a type; of float32, which autocast casts, also under autocast.
func (j *job) operators(d dtype.Type) []bench.Pattern {
	autocast := j.options.torch.autocast
	patterns := j.options.patterns
	if autocast == noAutocast {
		return patterns
	}
	if d.String() != "float32" {
		j.notes = append(j.notes, "no rows under autocast, which casts float32")
		return patterns
	}
	return bench.Under(autocast, patterns)
}

// memoryFormats returns the layouts that PyTorch measures: of a tensor with the dims N, C, H and W.
func (j *job) memoryFormats(t *source.Tensor) ([]bench.Layout, error) {
	names := slices.Sorted(slices.Values(t.Layout.Names()))
	if !slices.Equal(names, []string{"C", "H", "N", "W"}) {
		return nil, fault.New(fault.Usage, "--with torch needs the dims N, C, H and W, not %s", strings.Join(t.Layout.Names(), ", ")).
			WithHint("pass --shape 8,64,56,56, or name the dims of a file with --from")
	}
	_, sized, err := j.own(t)
	if err != nil {
		return nil, err
	}
	var layouts []bench.Layout
	for _, name := range bench.TorchLayouts {
		format, err := notation.Parse(name)
		cli.Must(err)
		l, err := sized.In(format.Format)
		if err != nil {
			return nil, err
		}
		layouts = append(layouts, bench.Layout{Name: name, Layout: l})
	}
	return layouts, nil
}

// torchOptions returns what PyTorch measures, and nil without it.
func (j *job) torchOptions() *bench.TorchOptions {
	if j.options.with != torch {
		return nil
	}
	o := j.options.torch.TorchOptions
	if o.OutChannels == 0 {
		o.OutChannels = j.subject.Size("C")
	}
	return &o
}

// startTorch starts PyTorch and has it prepare the rows.
func (j *job) startTorch() (err error) {
	j.worker, err = bench.StartTorch(j.subject, *j.torchOptions())
	return err
}

// torchNotes says where PyTorch measured, and what.
func torchNotes(r *bench.Report) []string {
	t := r.Machine.Torch
	where := t.Device + ", " + cmp.Or(text.Quote(t.Name), r.Machine.CPU)
	how := "eager, inference_mode"
	if strings.HasPrefix(t.Device, "cuda") {
		how += ", cudnn.benchmark"
	}
	return slices.DeleteFunc([]string{
		fmt.Sprintf("PyTorch %s on %s; %s", text.Quote(t.Version), where, text.Count(t.Threads, "thread")),
		sizes(r),
		how + "; nhwc is channels_last",
	}, func(note string) bool { return note == "" })
}

// sizes says what sizes the measured operators have.
func sizes(r *bench.Report) string {
	t := r.Machine.Torch
	c := r.Shape[slices.Index(r.Dims, "C")]
	var parts []string
	add := func(p bench.Pattern, format string, args ...any) {
		if slices.ContainsFunc(r.Rows, func(row bench.Row) bool { return row.Pattern == p }) {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(bench.Conv2D, "conv2d %dx%d, %d to %d channels", t.Kernel, t.Kernel, c, t.OutChannels)
	add(bench.MatMul, "matmul %dx%d", c, t.OutChannels)
	add(bench.MaxPool2D, "max_pool2d 3x3")
	return strings.Join(parts, "; ")
}

// torchAnswer returns a line on the first operator, and one on what a conversion costs.
func (r *report) torchAnswer() []string {
	best := r.Verdict.Best[0]
	answer := fmt.Sprintf("nchw and nhwc (channels_last) are statistically tied for %s", best.Pattern)
	if len(best.Layouts) == 1 {
		how := map[string]string{"nhwc": "fast", "nchw": "slow"}[best.Layouts[0]]
		answer = fmt.Sprintf("channels_last (nhwc) is %s times as %s as nchw for %s", text.ThreeDigits(r.slowest(best.Pattern)), how, best.Pattern)
	}
	lines := []string{name.Parse(r.Source).Shown() + ": " + answer}
	var costs []string
	for _, row := range r.Report.Rows {
		if row.Suite == bench.Convert {
			costs = append(costs, ratioText(row.MedianNS/best.MedianNS))
		}
	}
	if len(costs) == 2 {
		lines = append(lines, fmt.Sprintf("converting nchw to nhwc costs %s passes of %s, back %s", costs[0], best.Pattern, costs[1]))
	}
	return lines
}

// slowest returns the slowdown of the slower format.
func (r *report) slowest(p bench.Pattern) (ratio float64) {
	for _, x := range r.Verdict.Slowdowns {
		if x.Pattern == p {
			ratio = max(ratio, x.Ratio)
		}
	}
	return ratio
}

// operatorTable returns a row for each operator: its time in both formats, their ratio, and when converting to the faster one pays.
func (r *report) operatorTable() render.Table {
	t := render.Table{Title: fmt.Sprintf("Operators, %s %s: ~ tied; break-even in passes", r.DType, tensor.Tuple(r.Shape)),
		Header: []string{"operator", "nchw", "nhwc", "nchw/nhwc", "interval", "break-even"}, Numbers: []int{1, 2, 3, 4}}
	for _, best := range r.Verdict.Best {
		nchw := r.row(bench.TorchLayouts[0], best.Pattern)
		nhwc := r.row(bench.TorchLayouts[1], best.Pattern)
		ratio, ci := nchw.Over(nhwc.Timing)
		tied := ""
		if len(best.Layouts) > 1 {
			tied = "~"
		}
		t.Add(string(best.Pattern), text.Seconds(nchw.MedianNS/1e9), text.Seconds(nhwc.MedianNS/1e9), tied+ratioText(ratio),
			ratioText(ci[0])+" to "+ratioText(ci[1]), r.paysAfter(best.Pattern))
	}
	return t
}

// ratioText returns a ratio with three digits, a small one with two: 0.0012, 0.67, 1.04, 130.
func ratioText(x float64) string {
	if x < 0.0995 {
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	return text.ThreeDigits(x)
}

// row returns the row of a pattern over a layout, which must exist.
func (r *report) row(layout string, p bench.Pattern) bench.Row {
	return r.Report.Rows[slices.IndexFunc(r.Report.Rows, func(row bench.Row) bool { return row.Layout == layout && row.Pattern == p })]
}

// paysAfter returns the break-even of the conversion that pays, 0.5 to nhwc; "" if none does.
func (r *report) paysAfter(p bench.Pattern) string {
	for _, e := range r.Verdict.BreakEven {
		if e.Pattern == p && e.Passes != nil {
			passes := passCount(*e.Passes)
			if *e.Passes < 0.1 {
				passes = ratioText(*e.Passes)
			}
			return passes + " to " + e.To
		}
	}
	return ""
}
