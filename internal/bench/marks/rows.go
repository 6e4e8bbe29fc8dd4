package marks

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// row is one conversion.
type row struct {
	shape    [4]int // N, C, H, W
	item     int    // bytes
	from, to string
}

func (r row) String() string {
	s := r.shape
	return fmt.Sprintf("%dx%dx%dx%d %d B %s to %s", s[0], s[1], s[2], s[3], r.item, r.from, r.to)
}

// plan is the row's plan, and the bytes of its source.
func (r row) plan() (*convert.Plan, int, error) {
	src, err := bind(r.from, r.shape)
	if err != nil {
		return nil, 0, err
	}
	dst, err := bind(r.to, r.shape)
	if err != nil {
		return nil, 0, err
	}
	p, err := convert.NewPlan(dst, src, r.item)
	return p, src.Alloc() * r.item, err
}

func bind(name string, shape [4]int) (tensor.Layout, error) {
	l, err := notation.Parse(name)
	if err != nil {
		return tensor.Layout{}, err
	}
	return l.Format.Bind(shape[:])
}

var (
	markShapes  = [][4]int{{32, 3, 224, 224}, {32, 64, 56, 56}, {32, 256, 14, 14}, {32, 2048, 7, 7}, {64, 64, 112, 112}}
	markLayouts = []string{"nhwc", "nchw4", "nchw8", "nchw16", "nchw32", "chwn", "chwn4"}
	markItems   = []int{1, 2, 4, 8, 16}
)

// bothWays is NCHW to a layout and back.
func bothWays(shape [4]int, item int, layout string) []row {
	return []row{{shape, item, "nchw", layout}, {shape, item, layout, "nchw"}}
}

// peerRows are those of which the peers' figures are known.
func peerRows() []row {
	var rows []row
	for i, shape := range append(append([][4]int{}, markShapes...), markShapes[0], markShapes[1]) {
		item := []int{4, 4, 4, 4, 4, 1, 2}[i]
		for _, layout := range []string{"nhwc", "nchw16"} {
			rows = append(rows, bothWays(shape, item, layout)...)
		}
	}
	return rows
}

// markRows are all shapes in all layouts and item sizes.
func markRows() []row {
	var rows []row
	for _, shape := range markShapes {
		for _, item := range markItems {
			for _, layout := range markLayouts {
				rows = append(rows, bothWays(shape, item, layout)...)
			}
		}
	}
	return rows
}

// oddRows have sizes that fit no vector and strides that meet in one set of the cache.
func oddRows() []row {
	shapes := [][4]int{{7, 13, 127, 131}, {1, 31, 509, 127}, {17, 33, 65, 129}, {1, 1, 1021, 1031}, {509, 127, 31, 1},
		{32, 64, 32, 32}, {16, 64, 64, 64}, {4, 1024, 32, 32}, {1, 257, 257, 65}, {1024, 5, 3, 1}, {65537, 3, 5, 1}, {4096, 17, 7, 3}}
	for c := 1; c <= 17; c++ {
		shapes = append(shapes, [4]int{8, c, 223, 227})
	}
	var rows []row
	for _, shape := range shapes {
		for _, item := range markItems {
			for _, layout := range []string{"nhwc", "nchw4", "nchw16", "chwn", "chwn4"} {
				rows = append(rows, bothWays(shape, item, layout)...)
			}
		}
	}
	return rows
}
