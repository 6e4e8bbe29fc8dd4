package framework

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// TestOuterStridesOf: the descriptors of common tags are recognized by their strides, with logical and with padded sizes; strides of
// plain tensors are not.
func TestOuterStridesOf(t *testing.T) {
	for _, c := range []struct {
		layout, want string
	}{
		{"(2,32,5,4):(640,320,64,16)", "nChw16c"}, {"(2,20,5,4):(640,320,64,16)", "nChw16c"}, {"(2,8,7):(56,56,8)", "nCw8c"},
		{"(2,5,3,4,6):(576,288,96,24,4)@7", "nCdhw4c"}, {"(2,5,4,6):(192,96,24,4)", "nChw4c"}, {"(2,40,4,6):(960,192,48,8)", "nChw8c"},
		{"(64,64,3,3):(9216,2304,768,256)", "OIhw16o16i OIhw16i16o OIhw4i16o4i OIhw8o16i2o OIhw8i16o2i OIhw2o8i8o2i"},
		{"(3,64,64,3,3):(36864,9216,2304,768,256)", "gOIhw16o16i gOIhw16i16o gOIhw4i16o4i gOIhw8o16i2o gOIhw2o8i8o2i gOIhw8i16o2i"},
		{"(16,1,3,3):(144,144,48,16)", "nChw16c Oihw16o OIhw4i4o OIhw4o4i ABcd8a2b"}, // of one or several blocks
		{"(2,32,5,4):(640,20,4,1)", ""}, {"(2,32,5,4):(640,320,64,32)", ""}, {"(2,32,5,4):(1280,320,64,16)", ""}, {"(8):(16)", ""},
		{"(2,0,5,4):(640,320,64,16)", ""}, {"(3,4):(0,0)", ""},
	} {
		l, err := notation.Parse(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := l.Exact.Strided()
		if got := strings.Join(OuterStridesOf(s), " "); got != c.want {
			t.Errorf("%s: %q, expected %q", c.layout, got, c.want)
		}
	}
}

// TestTags: every tag of the table is read as a layout, whose name in oneDNN it is, and the outer strides of one with blocks are found
// again: those of the most significant digits. Both orders are the same memory for dims in oneDNN's order.
func TestTags(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, tag := range oneDNNTags() {
		f := orderNamed(t, tag.position)
		for _, name := range append(slices.Clone(tag.letters), tag.position) {
			if names := OneDNN.NamesOf(orderNamed(t, name)); !slices.Contains(names, name) || !slices.Contains(names, tag.position) {
				t.Errorf("%s, which is %s, is called %v", name, tag.position, names)
			}
		}
		shape := drawSizes(rng, tag)
		l, err := f.Bind(shape)
		if err != nil {
			t.Fatal(err)
		}
		for _, sizes := range [][]int{shape, l.PaddedShape()} {
			if names := OuterStridesOf(tensor.Strided{Shape: sizes, Strides: outerStrides(l)}); tag.inner > 1 && !slices.Contains(names, tag.name()) {
				t.Errorf("%s of %v: strides %v are found to be %v", tag.position, sizes, outerStrides(l), names)
			}
		}
	}
	if n := len(oneDNNTags()); n != 873 {
		t.Errorf("%d tags", n)
	}
}

// drawSizes are of one to three blocks, the last one often partly padding.
func drawSizes(rng *rand.Rand, tag tag) []int {
	shape := make([]int, len(tag.order))
	for d, block := range tag.blocks {
		if shape[d] = 1 + rng.IntN(3); block > 1 {
			shape[d] = 1 + rng.IntN(3*block)
		}
	}
	return shape
}

// outerStrides are those of the most significant digits.
func outerStrides(l tensor.Layout) []int {
	strides := make([]int, l.Rank())
	for d := range strides {
		digits := l.Dim(d).Digits
		strides[d] = digits[len(digits)-1].Stride
	}
	return strides
}

// memoryDesc is what oneDNN's descriptor holds.
type memoryDesc struct {
	Bytes     int
	Padded    []int
	Strides   []int
	Blocks    []int
	BlockDims []int `json:"block_dims"`
	Memory    []int
}

// askDescriptor asks for a tag by position; nil if this version of oneDNN does not have it.
func askDescriptor(t *testing.T, o *oracle.Oracle, tag string, shape []int) *memoryDesc {
	t.Helper()
	if _, err := fmt.Fprintln(o, tag, text.Ints(shape, " ")); err != nil {
		t.Fatal(err)
	}
	var d *memoryDesc
	if err := o.Read(&d); err != nil {
		t.Fatalf("%s of %v: %v", tag, shape, err)
	}
	return d
}

// TestOneDNN compares with oneDNN's own descriptors, for every blocked tag and every order of up to five dims: strides, padded
// dims, size, and where its reorder puts each element; and what FromDescriptor makes of the descriptor's strides and inner blocks.
func TestOneDNN(t *testing.T) {
	o := oracle.OneDNN(t, "onednn_tags.cpp")
	rng := rand.New(rand.NewPCG(5, 5))
	compared, unknown, elements := 0, 0, 0
	count := func(d *memoryDesc, name string, shape []int, problems ...string) {
		n, more := compareDescriptor(t, d, name, shape)
		compared++
		elements += n
		if problems = append(problems, more...); len(problems) > 0 {
			t.Errorf("%s of %v: %s", name, shape, strings.Join(problems, "; "))
		}
	}
	for _, tag := range oneDNNTags() {
		for _, shape := range [][]int{drawSizes(rng, tag), drawSizes(rng, tag), tag.blocks} {
			d := askDescriptor(t, o, tag.position, shape)
			if d == nil {
				unknown++
				continue
			}
			var problems []string
			if strides, _ := tag.strides(shape); !slices.Equal(strides, d.Strides) {
				problems = append(problems, fmt.Sprintf("strides %v, oneDNN has %v", strides, d.Strides))
			}
			if names := OuterStridesOf(tensor.Strided{Shape: d.Padded, Strides: d.Strides}); tag.inner > 1 && !slices.Contains(names, tag.name()) {
				problems = append(problems, fmt.Sprintf("strides %v are found to be %v", d.Strides, names))
			}
			count(d, tag.position, shape, problems...)
		}
	}
	for rank := 1; rank <= 5; rank++ {
		for _, tag := range permuted("abcde"[:rank]) {
			shape := []int{2, 3, 4, 1, 5}[:rank]
			if d := askDescriptor(t, o, tag, shape); d != nil {
				count(d, tag, shape)
			} else {
				unknown++
			}
		}
	}
	t.Logf("%d descriptors of %d elements compared, %d unknown to this version", compared, elements, unknown)
	if compared < 1000 {
		t.Errorf("only %d compared", compared)
	}
}

// compareDescriptor compares a tag's layout with oneDNN's descriptor, and that with what FromDescriptor makes of it. It returns the
// number of elements, and what differs.
func compareDescriptor(t *testing.T, d *memoryDesc, name string, shape []int) (elements int, problems []string) {
	t.Helper()
	l, err := orderNamed(t, name).Bind(shape)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(outerStrides(l), d.Strides) || !slices.Equal(l.PaddedShape(), d.Padded) || l.Alloc()*4 != d.Bytes {
		problems = append(problems, fmt.Sprintf("%s, padded %v, %d bytes; oneDNN has strides %v, padded %v, %d bytes", l, l.PaddedShape(),
			l.Alloc()*4, d.Strides, d.Padded, d.Bytes))
	}
	if !slices.Equal(numbered(l), d.Memory) {
		problems = append(problems, "elements are elsewhere")
	}
	if len(d.Blocks) == 0 {
		return l.Numel(), problems
	}
	blocks := ""
	for i, n := range d.Blocks {
		blocks += fmt.Sprint(n, string(rune('a'+d.BlockDims[i])))
	}
	names := make([]string, len(shape))
	for i := range names {
		names[i] = fmt.Sprint("d", i)
	}
	again, err := notation.FromDescriptor(blocks, names, tensor.Strided{Shape: shape, Strides: d.Strides, Offset: 3})
	if err != nil || !slices.Equal(numbered(again)[3:], d.Memory) {
		problems = append(problems, fmt.Sprintf("%s described by its descriptor, %s %v, is %s, %v", l, blocks, d.Strides, again, err))
	}
	return l.Numel(), problems
}

// numbered lists a storage: the number, from 1, of the element at each offset; 0 in padding.
func numbered(l tensor.Layout) []int {
	memory, n := make([]int, l.Alloc()), 0
	for _, off := range l.Logical() {
		n++
		memory[off] = n
	}
	return memory
}

// permuted lists the orders of letters.
func permuted(letters string) (all []string) {
	if letters == "" {
		return []string{""}
	}
	for i, c := range letters {
		for _, rest := range permuted(letters[:i] + letters[i+1:]) {
			all = append(all, string(c)+rest)
		}
	}
	return all
}
