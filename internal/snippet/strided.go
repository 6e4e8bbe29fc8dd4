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
	offset := ""
	if v.Offset != 0 {
		offset = fmt.Sprintf(", %d", v.Offset)
	}
	return []string{
		fmt.Sprintf("y = torch.zeros(%d, dtype=x.dtype)", v.alloc),
		fmt.Sprintf("y = y.as_strided(%s, %s%s).copy_(x)", tensor.Tuple(v.Shape), tensor.Tuple(v.Strides), offset),
	}
}

func viewNumPy(v view) []string {
	start := ""
	if v.Offset != 0 {
		start = fmt.Sprintf("[%d:]", v.Offset)
	}
	bytes := make([]string, len(v.Strides))
	for i, x := range v.Strides {
		bytes[i] = inItems(x)
	}
	strides := strings.Join(bytes, ", ") + tail(len(bytes))
	return []string{
		fmt.Sprintf("y = np.zeros(%d, x.dtype)%s", v.alloc, start),
		fmt.Sprintf("y = np.lib.stride_tricks.as_strided(y, %s, (%s))", tensor.Tuple(v.Shape), strides),
		"y[...] = x",
	}
}

// inItems is a stride in bytes, for any type.
func inItems(stride int) string {
	switch stride {
	case 0:
		return "0"
	case 1:
		return "x.itemsize"
	}
	return fmt.Sprintf("%d * x.itemsize", stride)
}
