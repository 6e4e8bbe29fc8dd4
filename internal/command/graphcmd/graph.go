// Package graphcmd is tlayout graph: where a whole model changes its layouts.
package graphcmd

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gate"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/engine"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
)

type options struct {
	source  name.Name
	out     name.Name
	force   bool
	times   name.Name // TensorRT's profile
	require []string
	gates   []*gate.Condition
}

// NewCmd returns tlayout graph.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "Show where a whole model changes its layouts",
		Long: `Show where a whole model changes memory layouts: which operators move elements
into another memory order, how many bytes and how much time that takes, where in
your program they are, which of them undo each other, and what to write instead.

FILE is what an engine wrote about a model:
  net.pt2          torch.export.save
  trace.json       torch.profiler.profile(record_shapes=True, with_stack=True),
                   and export_chrome_trace; also .json.gz
  onednn.log       standard error with ONEDNN_VERBOSE=1
  hlo.txt          jax.jit(f).lower(x).compile().as_text(), or a dump of XLA
  net.onnx         an ONNX model
  layers.json      TensorRT's layer information, of detailed verbosity

tlayout FILE is tlayout graph FILE for these. Weights that change their layout
are counted apart: most engines do that once.

An implied change has no statement in your program: conv2d copies an operand
that has another memory format than its weight, matmul one whose dims it cannot
merge, and add reads an operand out of order.`,
		Example: `  tlayout graph net.pt2
  tlayout graph trace.json.gz --all
  tlayout graph net.onnx --require 'changes <= 2'
  tlayout graph onednn.log --require 'share <= 0.05' --require 'bytes <= 64MiB'
  tlayout graph layers.json --profile layers.profile.json
  tlayout graph net.pt2 -o net.svg`,
		Args: cli.Args(1, 1, "file", "tlayout graph net.pt2"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.source = name.Parse(args[0])
			return run(a, o)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.require, "require", nil, "a `gate` that must hold: 'changes == 0', 'bytes <= 64MiB', 'share <= 0.05'")
	flags.Var((*cli.File)(&o.times), "profile", "times of TensorRT's layers, from this `file` of trtexec's exported profile")
	flags.VarP((*cli.File)(&o.out), "output", "o", "draw the operators in order, colored by layout, into this `file`: .svg or .png")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
	cli.Repeatable(cmd, "require")
	cli.HasSettings(cmd)
	cli.Group(cmd, "What FILE is", "profile")
	cli.Group(cmd, "What must hold", "require")
	cli.Group(cmd, "Where to", "output", "force")
	return cmd
}

func run(a *cli.App, o *options) error {
	if err := o.check(); err != nil {
		return err
	}
	p, err := read(a, o.source)
	if err != nil {
		return err
	}
	if err := o.addTimes(p); err != nil {
		return err
	}
	r := newReport(o.source, p)
	if err := o.evaluate(r); err != nil {
		return err
	}
	if err := r.publish(a, o); err != nil {
		return err
	}
	if err := a.Write(r); err != nil {
		return err
	}
	a.Flush() // rows before errors
	return cli.Reported(r.failure(a))
}

// evaluate evaluates the gates. It fails if one is on times that the file does not have.
func (o *options) evaluate(r *report) error {
	figures := r.figures()
	names := slices.Sorted(maps.Keys(figures))
	for _, c := range o.gates {
		if err := c.Check(names, r.Engine+" has no times"); err != nil {
			return err
		}
		r.Gates = append(r.Gates, c.Eval(figures))
	}
	return nil
}

// failure returns the error of the last gate that failed. CSV has no room for gates: each is reported on standard error.
func (r *report) failure(a *cli.App) error {
	var failed error
	for _, g := range r.Gates {
		if g.Holds {
			continue
		}
		failed = fault.New(fault.Negative, "gate failed: %s", g.Why)
		if a.Format == cli.CSV {
			a.PrintError(failed)
		}
	}
	return failed
}

// check reads the gates, and refuses an output that is no picture.
func (o *options) check() error {
	for _, expr := range o.require {
		c, err := gate.Parse(expr, func(figure string) string { return figure }, gateExample)
		if err != nil {
			return err
		}
		if err := c.Check(figureNames, figureHint); err != nil {
			return err
		}
		o.gates = append(o.gates, c)
	}
	if o.out.IsZero() {
		return nil
	}
	switch o.out.Ending() {
	case ".svg", ".png":
		return nil
	}
	return cli.UnknownEnding(o.out, ".svg or .png")
}

// read reads the program that a name means.
func read(a *cli.App, n name.Name) (p *graph.Program, err error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
	b, err := open(a, n)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	err = b.Guard(func() (err error) {
		p, err = engine.Read(b, n)
		return err
	})
	return p, fault.In(n.String(), err)
}

// addTimes adds the times of --profile to the layers of TensorRT.
func (o *options) addTimes(p *graph.Program) error {
	if o.times.IsZero() {
		return nil
	}
	if p.Engine != graph.TensorRT {
		return fault.New(fault.Usage, "--profile is for TensorRT's layer information, not for %s (%s)", o.source, p.Engine)
	}
	b, err := input.Open(o.times, input.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	return fault.In(o.times.String(), b.Guard(func() error { return engine.AddTimes(p, b) }))
}

// open opens a file, or standard input.
func open(a *cli.App, n name.Name) (input.File, error) {
	if n.IsStdin() {
		return input.Spool(input.Stdin, a.Streams.In, 0)
	}
	return input.Open(n, input.Options{})
}
