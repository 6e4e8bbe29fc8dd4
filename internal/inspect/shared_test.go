package inspect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// sharedCase is a tensor; sharedAnswer what testdata/shared_oracle.py found its writers to write.
type sharedCase struct {
	Shape   []int `json:"shape"`
	Strides []int `json:"strides"`
	Offset  int   `json:"offset"`
}

type sharedAnswer struct {
	Raw   []int
	Saved struct {
		Fortran  bool
		Elements []int
	}
	Contiguous   []int
	AsContiguous []int
	IsContiguous bool `json:"is_contiguous"`
}

// TestSharedWarning proves the warning with PyTorch and NumPy on random tensors, half of them broadcast: a writer that
// ignores strides writes exactly as many bytes inside and outside of the extent as it says, and np.save, contiguous and
// ascontiguousarray write the elements. Tensors without the warning have an extent that holds as many elements.
func TestSharedWarning(t *testing.T) {
	o := oracle.Torch(t, "shared_oracle.py")
	d := rand.New(rand.NewPCG(28, 1))
	warned, n := 0, 600
	for range n {
		c := drawShared(d)
		var a sharedAnswer
		if err := o.Ask(c); err != nil {
			t.Fatal(err)
		}
		if err := o.Read(&a); err != nil {
			t.Fatal(err)
		}
		s := tensor.Strided{Shape: c.Shape, Strides: c.Strides, Offset: c.Offset}
		got := SharedWarning(s, 4)
		elements := elementsOf(t, s)
		last := slices.Max(elements)
		outside := 0
		for _, x := range a.Raw {
			if x > last {
				outside++
			}
		}
		if got == "" {
			if extent := last - slices.Min(elements) + 1; extent < len(elements) {
				t.Errorf("%+v: no warning, but its extent is %d for %d elements", c, extent, len(elements))
			}
			continue
		}
		warned++
		size := func(elems int) string { return text.Bytes(int64(4 * elems)) }
		want := fmt.Sprintf("writes %s of the tensor's extent, and %s of other memory", size(len(a.Raw)-outside), size(outside))
		if !strings.Contains(got, want) || !strings.Contains(got, "row-major copy of "+size(len(elements))+",") {
			t.Errorf("%+v: %q, expected %q", c, got, want)
		}
		if a.Saved.Fortran || a.IsContiguous || !slices.Equal(a.Saved.Elements, elements) ||
			!slices.Equal(a.Contiguous, elements) || !slices.Equal(a.AsContiguous, elements) {
			t.Errorf("%+v holds %v: %+v", c, elements, a)
		}
	}
	if warned < n/5 || warned > n*4/5 {
		t.Errorf("%d of %d tensors are warned about", warned, n)
	}
	t.Logf("%d of %d tensors are warned about", warned, n)
}

func drawShared(d *rand.Rand) sharedCase {
	c := sharedCase{Offset: d.IntN(50)}
	step := 1
	for range 1 + d.IntN(4) {
		size := 1 + d.IntN(4)
		c.Shape, c.Strides = append(c.Shape, size), append(c.Strides, step)
		step *= size + d.IntN(2)*d.IntN(2)
	}
	slices.Reverse(c.Shape)
	slices.Reverse(c.Strides)
	if d.IntN(2) == 0 {
		c.Strides[d.IntN(len(c.Strides))] = d.IntN(2)
	}
	if d.IntN(4) == 0 {
		i, j := d.IntN(len(c.Strides)), d.IntN(len(c.Strides))
		c.Strides[i], c.Strides[j] = c.Strides[j], c.Strides[i]
	}
	return c
}

// elementsOf are the addresses of the elements in logical order, which are the values in the oracle's storage.
func elementsOf(t *testing.T, s tensor.Strided) []int {
	t.Helper()
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, at := range l.Logical() {
		all = append(all, at)
	}
	return all
}

// Sizes that overflow a count of bytes are counted in elements; an empty tensor and elements of no bytes share nothing.
func TestSharedWarningEdges(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int of 32 bits counts no such sizes")
	}
	billion := 1_000_000_000
	huge := tensor.Strided{Shape: []int{3 * billion, billion}, Strides: []int{0, 0}}
	if got := SharedWarning(huge, 16); !strings.Contains(got, "writes 16 bytes of the tensor's extent, and 2999999999999999999 elements of other") {
		t.Errorf("%q", got)
	}
	for _, s := range []tensor.Strided{{Shape: []int{0, 4}, Strides: []int{0, 0}}, {Shape: []int{}, Strides: []int{}}, {Shape: []int{1, 4}, Strides: []int{0, 1}}} {
		if got := SharedWarning(s, 4); got != "" {
			t.Errorf("%v: %q", s, got)
		}
	}
	if got := SharedWarning(huge, 0); got != "" {
		t.Errorf("elements of no bytes: %q", got)
	}
}
