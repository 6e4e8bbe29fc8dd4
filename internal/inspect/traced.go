package inspect

import (
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// TraceStart returns a tensor before the first step of trace. It refuses layouts without one stride per dim.
func TraceStart(t *source.Tensor, rules trace.Rules) (trace.State, error) {
	s, plain := t.Layout.Strided()
	z := t.Layout.Swizzle()
	if !z.IsZero() {
		return trace.State{}, fault.New(fault.Unsupported, "%s permutes the layout's addresses, but view operations need strides", z).
			WithHint("to omit the swizzle: --from '%s'", t.Layout.Plain())
	}
	if t.DType.Packed() {
		return trace.State{}, fault.New(fault.Unsupported, "elements of %s share bytes: no framework has views of them", t.DType).
			WithHint("follow the words, without --dtype %s", t.DType)
	}
	if !plain {
		return trace.State{}, blocked(t)
	}
	if s.Negative() && rules == trace.PyTorch {
		return trace.State{}, fault.New(fault.Usage, "strides %s: PyTorch has no negative strides", tensor.Tuple(s.Strides))
	}
	names := t.Layout.Names()
	start := trace.Start(s, names, t.Layout.Alloc(), t.DType.ItemSize(), rules)
	start.DType = t.DType
	start.Guessed = !t.Named() || notation.AnyNumbered(names)
	return start, nil
}

// blocked returns the error of a layout in which a dim has several strides.
func blocked(t *source.Tensor) error {
	err := fault.New(fault.Unsupported, "layout %s has blocks, but trace needs one stride per dim", t.OrderName())
	if t.FileShape != nil {
		return err.WithHint("--from c traces the file's own axes, %s", tensor.Tuple(t.FileShape))
	}
	axes, shapeErr := t.Format.PhysicalShape(t.Layout.Shape())
	if !t.HasFormat || shapeErr != nil {
		return err
	}
	return err.WithHint("--shape %s without --from traces the axes in memory order", strings.ReplaceAll(text.Ints(axes, ", "), " ", ""))
}
