package trace

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// countable fails where an address, or size·stride of a dim, does not fit an int. What a step computes from one dim alone
// fits then: the dim's reach, the stride of a dim around it. Sums over dims are checked where they are made.
func (s State) countable() error {
	for d, n := range s.Shape {
		if _, ok := tensor.Mul(max(n, 1), s.Strides[d]); !ok {
			return uncountable("%s: size·stride = %d·%d", s.called(d), n, s.Strides[d])
		}
	}
	_, err := tensor.NewStrided(s.Shape, s.Strides, s.Offset)
	return err
}

// past is the offset i strides further on.
func (s State) past(i, stride int) (int, error) {
	by, fits := tensor.Mul(i, stride)
	to, near := tensor.Add(s.Offset, by)
	if !fits || !near {
		return 0, uncountable("offset %d + %d·%d", s.Offset, i, stride)
	}
	return to, nil
}

// stretched is stride·step.
func stretched(stride, step int) (int, error) {
	if far, ok := tensor.Mul(stride, step); ok {
		return far, nil
	}
	return 0, uncountable("stride %d·%d", stride, step)
}

func uncountable(format string, args ...any) error {
	return fault.New(fault.Unsupported, format+" is beyond what can be counted", args...)
}
