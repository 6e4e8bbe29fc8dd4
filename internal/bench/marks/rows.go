package main

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// row is one conversion.
type row struct {
	shape    [4]int // N, C, H, W
	size     int    // bytes of an element
	from, to string
}

func (r row) String() string {
	s := r.shape
	return fmt.Sprintf("%dx%dx%dx%d %d B %s to %s", s[0], s[1], s[2], s[3], r.size, r.from, r.to)
}

// question is the row in the protocol of the peers.
func (r row) question() string {
	s := r.shape
	return fmt.Sprintf("%d %d %d %d %d %s %s", s[0], s[1], s[2], s[3], r.size, r.from, r.to)
}

// plan returns the row's plan and its two layouts.
func (r row) plan() (p *convert.Plan, to, from tensor.Layout, err error) {
	if to, err = bind(r.to, r.shape); err != nil {
		return nil, to, from, err
	}
	if from, err = bind(r.from, r.shape); err != nil {
		return nil, to, from, err
	}
	p, err = convert.NewPlan(to, from, r.size)
	return p, to, from, err
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
	oddLayouts  = []string{"nhwc", "nchw4", "nchw16", "chwn", "chwn4"}
	peerLayouts = []string{"nhwc", "nchw16"}
	sizes       = []int{1, 2, 4, 8, 16}
)

// bothWays is NCHW to each layout and back, for each shape and element size.
func bothWays(shapes [][4]int, sizes []int, layouts []string) (rows []row) {
	for _, shape := range shapes {
		for _, size := range sizes {
			for _, layout := range layouts {
				rows = append(rows, row{shape, size, "nchw", layout}, row{shape, size, layout, "nchw"})
			}
		}
	}
	return rows
}

// peerRows are the rows with known results of the peers.
func peerRows() []row {
	rows := bothWays(markShapes, []int{4}, peerLayouts)
	rows = append(rows, bothWays(markShapes[:1], []int{1}, peerLayouts)...)
	return append(rows, bothWays(markShapes[1:2], []int{2}, peerLayouts)...)
}

// markRows are all shapes in all layouts and element sizes.
func markRows() []row { return bothWays(markShapes, sizes, markLayouts) }

// oddRows have sizes that are no multiple of a vector, and strides that conflict in one set of the cache.
func oddRows() []row {
	shapes := [][4]int{{7, 13, 127, 131}, {1, 31, 509, 127}, {17, 33, 65, 129}, {1, 1, 1021, 1031}, {509, 127, 31, 1},
		{32, 64, 32, 32}, {16, 64, 64, 64}, {4, 1024, 32, 32}, {1, 257, 257, 65}, {1024, 5, 3, 1}, {65537, 3, 5, 1}, {4096, 17, 7, 3}}
	for c := 1; c <= 17; c++ {
		shapes = append(shapes, [4]int{8, c, 223, 227})
	}
	return bothWays(shapes, sizes, oddLayouts)
}
