package snippet

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// view is a strided tensor over a storage of so many elements.
type view struct {
	tensor.Strided
	alloc int
}

// Strided lays a view of the layout's strides over zeros and copies x into it. ok is false where elements share places,
// run backwards, are none, or lie in blocks.
func (d Dialect) Strided(l tensor.Layout) (c Code, ok bool) {
	s, plain := l.Strided()
	if !plain || s.Negative() || s.Empty() || s.Offset < 0 || l.Occupancy().Overlapping != tensor.No {
		return Code{}, false
	}
	return Code{d.view(view{s, l.Alloc()}), []string{"x = " + d.contiguous("y")}}, true
}

func viewPyTorch(v view) []string {
	return []string{
		fmt.Sprintf("y = torch.zeros(%d, dtype=x.dtype)", v.alloc),
		fmt.Sprintf("y = y.as_strided(%s, %s, %d).copy_(x)", tensor.Tuple(v.Shape), tensor.Tuple(v.Strides), v.Offset),
	}
}

func viewNumPy(v view) []string {
	bytes := make([]string, len(v.Strides))
	for i, x := range v.Strides {
		bytes[i] = fmt.Sprintf("%d * x.itemsize", x)
	}
	strides := strings.Join(bytes, ", ") + tail(len(bytes))
	return []string{
		fmt.Sprintf("y = np.zeros(%d, x.dtype)[%d:]", v.alloc, v.Offset),
		fmt.Sprintf("y = np.lib.stride_tricks.as_strided(y, %s, (%s))", tensor.Tuple(v.Shape), strides),
		"y[...] = x",
	}
}
