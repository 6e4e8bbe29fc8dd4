package formatscmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// testedSizes are different for each dim; few of them are multiples of a block.
var testedSizes = map[string]int{"N": 2, "C": 5, "H": 3, "W": 7, "D": 2, "O": 17, "I": 6, "G": 2, "K": 9, "R": 3, "S": 2, "T": 4,
	"A": 11, "B": 3}

// reportOf is the answer of formats about a layout.
func reportOf(o *options) (*report, error) {
	t, err := o.describe()
	if err != nil {
		return nil, err
	}
	return newReport(o, t)
}

// sizedReport is the answer about a layout with sizes of testedSizes.
func sizedReport(t *testing.T, name string) *report {
	t.Helper()
	o := &options{framework: allFrameworks}
	cli.Must(o.Layout.Set(name))
	if o.Layout.Layout.Exact == nil {
		dims := []string{"N", "C", "H", "W"}
		if o.Layout.Layout.Own == notation.NotOwn {
			dims = o.Layout.Layout.Format.Names()
		}
		for _, d := range dims {
			o.Shape.Values = append(o.Shape.Values, max(testedSizes[d], 2))
		}
		o.Shape.Given = true
	}
	r, err := reportOf(o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// eachFormat runs a test on every name of the catalogue that is not refused.
func eachFormat(t *testing.T, test func(t *testing.T, name string, r *report)) {
	for _, e := range framework.Catalogue() {
		if e.Order != "" {
			test(t, e.Framework+"'s "+e.Name, sizedReport(t, e.Name))
		}
	}
}

// TestFormatsHow: the product that explains a stride is the stride, in every layout of the catalogue, and the shape's
// product is the storage.
func TestFormatsHow(t *testing.T) {
	eachFormat(t, func(t *testing.T, name string, r *report) {
		product := 1
		for _, x := range slices.Backward(r.Axes) {
			words := strings.Split(x.How, " = ")
			if got, err := strconv.Atoi(words[len(words)-1]); x.How != "innermost" && (err != nil || got != *x.Stride) || *x.Stride != product {
				t.Errorf("%s: the stride of %s is %d, computed as %q", name, x.Axis, *x.Stride, x.How)
			}
			product *= *x.Size
		}
		if product != *r.Elems || int64(*r.Bytes) != r.dtype.Size(int64(product)) || r.PadElems != product-r.layout.Numel() {
			t.Errorf("%s: %d elements, %d bytes, %d of padding", name, *r.Elems, *r.Bytes, r.PadElems)
		}
	})
}

// TestFormatsStrides: the shapes and strides of every framework, used as that framework uses them, give every element's
// address.
func TestFormatsStrides(t *testing.T) {
	checked := map[string]int{}
	eachFormat(t, func(t *testing.T, name string, r *report) {
		for _, f := range r.Frameworks {
			if f.Strides == nil || !f.OK {
				continue
			}
			checked[f.Framework]++
			for coord := range r.layout.Logical() {
				if got, want := frameworkAddress(r, f, coord), r.layout.At(coord...); got != want {
					t.Errorf("%s: %s of shape %v, strides %v has %v at %d, expected %d", name, f.Framework, f.Shape, f.Strides, coord, got, want)
					break
				}
			}
		}
	})
	for framework, min := range map[string]int{"PyTorch": 80, "NumPy": 80, "DirectML": 50, "oneDNN": 60, "MegEngine": 20,
		"cuDNN": 30, "CuTe": 20, "GGML": 30, "MLX": 80} {
		if checked[framework] < min {
			t.Errorf("only %d layouts checked of %s", checked[framework], framework)
		}
	}
}

// frameworkAddress is where a framework finds the element of a logical coordinate.
func frameworkAddress(r *report, f frameworkRow, coord []int) int {
	digit := func(a notation.Axis) int {
		if a.Extent == 0 {
			return coord[a.Dim] / a.Div
		}
		return coord[a.Dim] / a.Div % a.Extent
	}
	if f.framework.Sizes == framework.InnermostFirst {
		f.Strides = backwards(f.Strides)
	}
	at := 0
	switch {
	case f.Order == "physical":
		for k, a := range r.format.Axes() {
			at += digit(a) * f.Strides[k]
		}
	case f.Order == "split":
		k := 0
		for d := range r.format.Rank() {
			for _, a := range r.format.DigitAxes(d) {
				at += digit(a) * f.Strides[len(f.Strides)-len(r.format.Axes())+k]
				k++
			}
		}
	case r.blocked && (f.Framework == "oneDNN" || f.Unit == "vectors"):
		return blockedAddress(r, f, coord, digit)
	default:
		for d, i := range coord {
			at += i * f.Strides[len(f.Strides)-len(coord)+d]
		}
	}
	if f.Unit == "bytes" {
		at /= r.ItemSize
	}
	return at
}

// blockedAddress is oneDNN's: from the last inner block to the first, off += p % b times the blocks after it; then the
// whole blocks by their strides. A cuDNN vector is the last block, which its strides count in.
func blockedAddress(r *report, f frameworkRow, coord []int, digit func(notation.Axis) int) int {
	inside, size, outer := 0, 1, 0
	for _, a := range slices.Backward(r.format.Axes()) {
		if a.Extent != 0 {
			inside += digit(a) * size
			size *= a.Extent
		} else {
			outer += digit(a) * f.Strides[a.Dim]
		}
	}
	if f.Unit == "vectors" {
		outer *= size
	}
	return inside + outer
}

// TestFormatsDirectML: the descriptor's size is that of DMLCalcBufferTensorSize, for every layout that DirectML
// can have, and no element is past its end.
func TestFormatsDirectML(t *testing.T) {
	found := 0
	eachFormat(t, func(t *testing.T, name string, r *report) {
		d := r.DirectML
		if len(d.Sizes) == 0 {
			return
		}
		found++
		last, product := 0, 1
		for i, n := range d.Sizes {
			if product *= n; d.Strides != nil {
				last += (n - 1) * d.Strides[i]
			}
		}
		if d.Strides == nil {
			last = product - 1
		}
		_, high, _ := r.layout.Span()
		want := ((last+1)*r.ItemSize + 3) / 4 * 4 // DirectML rounds up to 4 bytes
		line := fmt.Sprintf("TotalTensorSizeInBytes = %d;", want)
		if d.Bytes != want || high > last || !strings.Contains(strings.Join(d.Code, "\n"), line) {
			t.Errorf("%s: %+v, expected %d bytes for offsets up to %d", name, d, want, high)
		}
	})
	if found < 80 {
		t.Errorf("only %d descriptors", found)
	}
}

// TestFormatsNames: the names of a layout in oneDNN, TVM and XLA lead back to its addresses.
func TestFormatsNames(t *testing.T) {
	compared := 0
	eachFormat(t, func(t *testing.T, name string, r *report) {
		for _, f := range r.Frameworks {
			if !slices.Contains([]string{"oneDNN", "TVM", "XLA"}, f.Framework) || slices.Contains(r.Dims, "T") {
				continue
			}
			for _, n := range f.Names {
				o := &options{framework: allFrameworks}
				cli.Must(o.Layout.Set(n))
				o.Shape = cli.Sizes{Ints: cli.Ints{Values: r.Shape, Given: true}}
				back, err := reportOf(o)
				if err != nil || !slices.Equal(addresses(*back.layout), addresses(*r.layout)) {
					t.Errorf("%s is %s in %s, which has other addresses: %v", name, n, f.Framework, err)
				}
				compared++
			}
		}
	})
	if compared < 250 {
		t.Errorf("only %d names compared", compared)
	}
}

// TestKnownOrders: every name of a well-known order leads back to its addresses, whatever the framework.
func TestKnownOrders(t *testing.T) {
	compared := 0
	for _, k := range newKnown() {
		want := sizedReport(t, k.Layout)
		for framework, names := range k.Names {
			for _, name := range names {
				name, _, _ = strings.Cut(name, " (") // NC/4HW4 (NCHW_VECT_C)
				o := &options{framework: allFrameworks}
				cli.Must(o.Layout.Set(name))
				o.Shape = cli.Sizes{Ints: cli.Ints{Values: want.Shape, Given: true}}
				r, err := reportOf(o)
				if err != nil || !slices.Equal(addresses(*r.layout), addresses(*want.layout)) {
					t.Errorf("%s is %s in %s, which has other addresses: %v", k.Layout, name, framework, err)
				}
				compared++
			}
		}
		if len(k.Names) < 3 {
			t.Errorf("%s has names in %v only", k.Layout, k.Names)
		}
	}
	if compared < 80 {
		t.Errorf("only %d names compared", compared)
	}
}

// TestSameHere: a shape for which two orders are said to be the same memory has the same addresses in both, and no other shape.
func TestSameHere(t *testing.T) {
	said := 0
	for _, name := range []string{"nchw", "nhwc", "chwn", "ndhwc", "ncdhw", "hwc", "chw", "ohwi"} {
		l, err := notation.Parse(name)
		cli.Must(err)
		for sizes := range 1 << l.Format.Rank() {
			o := &options{framework: allFrameworks}
			cli.Must(o.Layout.Set(name))
			for d := range l.Format.Rank() {
				o.Shape.Values = append(o.Shape.Values, 1+sizes>>d&1)
			}
			o.Shape.Given = true
			r := fixture.Must(reportOf(o))
			cli.Must(o.Layout.Set(r.Same.As))
			other := fixture.Must(reportOf(o))
			if same := slices.Equal(addresses(*r.layout), addresses(*other.layout)); same != (r.Same.Here != nil) {
				t.Errorf("%s and %s of shape %v: the same memory %v, said for %v", name, r.Same.As, r.Shape, same, r.Same.Here)
			} else if same {
				said++
			}
		}
	}
	if said < 40 {
		t.Errorf("only %d were the same", said)
	}
}

// TestFormatsFromStrides: the strides of every layout without blocks give its name again, or one that has the same strides.
func TestFormatsFromStrides(t *testing.T) {
	for _, c := range []struct{ name, shape string }{
		{"nchw", "2,32,7,7"}, {"nhwc", "2,32,7,7"}, {"chwn", "2,32,7,7"}, {"nhwc", "2,1,4,4"}, {"nchw", "1,3,1,1"},
		{"ndhwc", "2,3,2,4,5"}, {"wh", "3,5"}, {"hwc", "3,4,5"},
	} {
		o := &options{framework: allFrameworks}
		cli.Must(o.Layout.Set(c.name))
		cli.Must(o.Shape.Set(c.shape))
		named := fixture.Must(reportOf(o))
		by := &options{framework: allFrameworks}
		by.Shape, by.Strides = o.Shape, cli.Ints{Values: named.Strides, Given: true}
		r := fixture.Must(reportOf(by))
		listed := slices.ContainsFunc(r.Candidates, func(x inspect.Candidate) bool { return x.Layout == strings.ToUpper(c.name) })
		if !listed || !r.Packed || len(r.Candidates) > 1 != (r.Ambiguity != "") || !strings.Contains(r.Answer, strings.ToUpper(c.name)) {
			t.Errorf("%s of %s, strides %s: %q, candidates %v", c.name, c.shape, tensor.Tuple(named.Strides), r.Answer, r.Candidates)
		}
	}
}

// addresses are those of the elements, in logical order.
func addresses(l tensor.Layout) []int {
	all := []int{}
	for coord := range l.Logical() {
		all = append(all, l.At(coord...))
	}
	return all
}
