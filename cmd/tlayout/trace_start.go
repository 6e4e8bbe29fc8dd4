package main

import (
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/trace"
	"github.com/tlayout/tlayout/internal/words"
)

// start is the source as the first step finds it.
func (o *traceOptions) start(t *source.Tensor) (trace.State, error) {
	s, plain := t.Layout.Strided()
	switch {
	case !plain:
		return trace.State{}, blocked(t)
	case s.Negative() && !o.numpy:
		return trace.State{}, fault.New(fault.Usage, "strides %s: PyTorch has no negative ones", tensor.Tuple(s.Strides)).
			WithHint("--numpy follows NumPy's rules, which allow them")
	}
	return trace.Start(s, letters(t), t.Layout.Alloc(), t.DType.ItemSize(), o.rules()), nil
}

// letters are the dims' names, where the user or a descriptor says them: guessed ones would mislead an equation.
func letters(t *source.Tensor) []string {
	names := t.Layout.Names()
	for i, n := range names {
		if len(n) != 1 || !t.Named {
			names[i] = ""
		}
	}
	return names
}

// blocked refuses a layout in which a dim has several strides.
func blocked(t *source.Tensor) error {
	err := fault.New(fault.Unsupported, "layout %s has blocks: a step knows one stride for each dim, not several", layoutName(t))
	if t.FileShape != nil {
		return err.WithHint("--layout c follows the file's own axes, %s", tensor.Tuple(t.FileShape))
	}
	axes, shapeErr := t.Format.PhysicalShape(t.Layout.Shape())
	if !t.HasFormat || shapeErr != nil {
		return err
	}
	return err.WithHint("without --layout, --shape %s follows the axes as they lie", strings.ReplaceAll(words.Ints(axes, ", "), " ", ""))
}
