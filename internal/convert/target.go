package convert

import (
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Target is a layout to convert into, and the .npy file that holds it.
type Target struct {
	Layout    tensor.Layout
	FileShape []int // physical
	Fortran   bool  // the file's fortran_order
	Order     string
	Name      string // for file names: nhwc, nchw4c, fortran
	// Hidden means that the file's shape does not determine the logical sizes or strides, so that a .npy file cannot record them.
	Hidden bool
}

// Pitch rounds the step over a whole dim up to a multiple of Align elements, from 1 to 2³⁰, so that the next row is
// aligned.
type Pitch struct {
	Dim   string
	Align int
}

// Named returns the target of a memory order for logical sizes, with rows padded by pitches.
func Named(f notation.Format, sizes []int, pitches []Pitch) (Target, error) {
	shape, err := f.PhysicalShape(sizes)
	if err != nil {
		return Target{}, err
	}
	t := Target{FileShape: shape, Order: f.String(), Name: "blocked"}
	if name := f.String(); !strings.Contains(name, " ") {
		t.Name = strings.ToLower(name)
	}
	if len(pitches) == 0 || slices.Contains(shape, 0) {
		t.Layout, err = f.Bind(sizes)
	} else {
		err = t.pitched(f, sizes, pitches)
	}
	readAs, _ := f.LogicalShape(shape)
	t.Hidden = !slices.Equal(readAs, sizes) || !slices.Equal(t.FileShape, shape)
	return t, err
}

// pitched replaces the packed layout by one with padded rows, and the file's shape by one with its strides: that of the padded axes if it
// exists, otherwise the storage as one axis.
func (t *Target) pitched(f notation.Format, sizes []int, pitches []Pitch) error {
	steps, err := pitchedStrides(f, t.FileShape, pitches)
	if err != nil {
		return err
	}
	t.Layout, err = f.Place(sizes, t.FileShape, steps[1:], 0, steps[0])
	if err != nil {
		return err
	}
	t.FileShape = paddedAxes(steps)
	if t.FileShape == nil {
		t.FileShape = []int{steps[0]}
	}
	return nil
}

// pitchedStrides returns the storage size and the strides of the physical axes, each the product of the inner axis' stride and extent,
// rounded up if a pitch requires it.
func pitchedStrides(f notation.Format, shape []int, pitches []Pitch) ([]int, error) {
	for _, p := range pitches {
		if !slices.Contains(f.Names(), p.Dim) {
			return nil, fault.New(fault.Usage, "pitch %s: layout %s has no dim %s", p.Dim, f, p.Dim)
		}
	}
	steps := make([]int, len(shape)+1)
	run := 1
	for k := len(shape) - 1; k >= 0; k-- {
		steps[k+1] = run
		if run > math.MaxInt/2/shape[k] {
			return nil, fault.New(fault.Unsupported, "layout %s with these pitches is too large", f)
		}
		run *= shape[k]
		for _, p := range pitches {
			if a := f.Axes()[k]; a.Extent == 0 && f.Names()[a.Dim] == p.Dim {
				run += (p.Align - run%p.Align) % p.Align
			}
		}
	}
	steps[0] = run
	return steps, nil
}

// paddedAxes returns the shape whose packed strides are the given steps, or nil if one does not divide the next, so that no shape has them.
func paddedAxes(steps []int) []int {
	shape := make([]int, len(steps)-1)
	for k := range shape {
		if steps[k]%steps[k+1] != 0 {
			return nil
		}
		shape[k] = steps[k] / steps[k+1]
	}
	return shape
}

// Exact returns the target with the given strides for the dims' sizes. The file is one-dimensional: its storage.
func Exact(names []string, sizes, strides []int) (Target, error) {
	s, err := tensor.NewStrided(sizes, strides, 0)
	if err != nil {
		return Target{}, err
	}
	if s.Negative() {
		return Target{}, fault.New(fault.Usage, "target strides %s: a negative stride reaches before the storage", tensor.Tuple(strides))
	}
	l, err := s.Layout(names, tensor.Unbounded)
	return Target{Layout: l, FileShape: []int{l.Alloc()}, Name: "strided", Hidden: true}, err
}

// Sized returns the target of a layout with its own sizes, which match the dims in order. The file is one-dimensional: its storage.
func Sized(names []string, sizes []int, exact tensor.Layout) (Target, error) {
	if !slices.Equal(exact.Shape(), sizes) {
		return Target{}, fault.New(fault.Usage, "target layout %s has sizes %s, the tensor %s: a conversion does not change them",
			exact, tensor.Tuple(exact.Shape()), tensor.Tuple(sizes)).
			WithHint("sizes are those of the dims %s", strings.Join(names, ", "))
	}
	l, err := exact.Renamed(names, exact.Alloc())
	t := Target{Layout: l, FileShape: []int{l.Alloc()}, Name: "strided", Hidden: true}
	if !l.Swizzle().IsZero() {
		t.Name = "swizzled"
	}
	return t, err
}

// Own returns the target that keeps the axes of a file, named as in src, in row-major or column-major order.
func Own(src tensor.Layout, fortran bool) (Target, error) {
	f := notation.RowMajor(src.Names())
	t := Target{Name: "c", FileShape: src.Shape()}
	axes := tensor.Packed
	if fortran {
		axes = tensor.ColumnMajor
		t.Name = "fortran"
		t.Order = f.Reversed().String()
	} else {
		t.Order = f.String()
	}
	s, err := axes(src.Shape())
	if err != nil {
		return Target{}, err
	}
	t.Fortran = s.SavedFortran()
	t.Layout, err = s.Layout(src.Names(), s.Numel())
	return t, err
}
