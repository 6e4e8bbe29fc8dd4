package tracecmd

import (
	"errors"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/cute"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// cuteChain is the results of CuTe's operations on a layout, up to the first refused one.
type cuteChain struct {
	start   cute.Layout
	steps   []cute.Step
	refused *cute.Call // nil unless a step is refused
	refusal *cute.Refusal
	limit   int // values that are printed of each layout; -1 for none, 0 for all
}

// runCute runs trace --cute.
func runCute(a *cli.App, o *options) error {
	text, steps, err := o.cuteSource()
	if err != nil {
		return err
	}
	c := &cuteChain{limit: -1}
	if o.values {
		c.limit = o.limit
	}
	c.start, err = cute.ParseLayout(text)
	if err != nil {
		return err
	}
	calls, err := cuteCalls(text, steps)
	if err != nil {
		return err
	}
	if err := c.follow(calls); err != nil {
		return err
	}
	r, err := newCuteReport(text, c)
	if err != nil {
		return err
	}
	if r.Failed() {
		return write(a, r, errRefused)
	}
	return write(a, r, nil)
}

// cuteSource returns the text of the layout, and the arguments that are steps.
func (o *options) cuteSource() (layout string, steps []string, err error) {
	if o.Exact() {
		return o.Layout.Name, o.args, nil
	}
	if o.Layout.Layout != nil {
		return "", nil, fault.New(fault.Usage, "--from %s has no sizes, but --cute needs shape:strides", text.Quote(o.Layout.Name)).
			WithHint("make the layout the first argument: '(4,2):(1,4)'")
	}
	if len(o.args) == 0 {
		return "", nil, fault.New(fault.Usage, "missing LAYOUT").WithHint("tlayout trace --cute '(4,2):(1,4)' coalesce")
	}
	if name.Parse(o.args[0]).LooksLikeFile() {
		return "", nil, fault.New(fault.Usage, "--cute needs a layout, not the file %s", text.Quote(o.args[0])).
			WithHint("tlayout inspect shows a file's layout in CuTe's notation")
	}
	return o.args[0], o.args[1:], nil
}

// cuteCalls parses the arguments that are steps; one may hold several.
func cuteCalls(layout string, steps []string) ([]cute.Call, error) {
	if len(steps) == 0 {
		return nil, fault.New(fault.Usage, "missing STEP").
			WithHint("tlayout trace --cute %s coalesce; tlayout trace --help lists the operations", text.Shell(layout))
	}
	var calls []cute.Call
	for _, step := range steps {
		chain, err := cute.ParseSteps(step)
		if err != nil {
			return nil, err
		}
		calls = append(calls, chain...)
	}
	return calls, nil
}

// follow applies the calls in order. A refusal is part of the chain, not an error.
func (c *cuteChain) follow(calls []cute.Call) error {
	l := c.start
	for i, call := range calls {
		step, err := l.Apply(call)
		if errors.As(err, &c.refusal) {
			c.refused = &calls[i]
			return nil
		}
		if err != nil {
			return err
		}
		c.steps = append(c.steps, step)
		l = step.Layout
	}
	return nil
}
