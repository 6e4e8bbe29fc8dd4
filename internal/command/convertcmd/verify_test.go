package convertcmd

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// someComparison is that of a random tensor of bytes in C order, its dims in a random order, with a layout of blocks, gaps and strides of
// either sign; and where the padding is.
func someComparison(r *rand.Rand) (c *comparison, padding []int) {
	var l tensor.Layout
	for {
		l = fixture.SomeLayout(r)
		if low, high, ok := l.Span(); ok && low >= 0 && l.Occupancy().Overlapping == tensor.No {
			dims := make([]tensor.Dim, l.Rank())
			for i := range dims {
				dims[i] = l.Dim(i)
			}
			l = fixture.Must(tensor.New(dims, l.Offset(), high+1+r.IntN(3)))
			break
		}
	}
	sizes, names := make([]int, l.Rank()), make([]string, l.Rank())
	order := r.Perm(l.Rank()) // of the result's dims in the source
	for i, k := range order {
		sizes[i], names[i] = l.Shape()[k], l.Names()[k]
	}
	from := fixture.Must(fixture.Must(tensor.Packed(sizes)).Layout(names, tensor.Unbounded))
	k := &task{dtype: fixture.Must(dtype.Parse("u1")), pad: []byte{255}}
	k.from = from
	c = &comparison{threads: 1, task: k, to: l, want: make([]byte, from.Numel()), got: bytes.Repeat([]byte{255}, l.Alloc())}
	taken := make([]bool, l.Alloc())
	for coord, s := range from.Logical() {
		at := make([]int, l.Rank())
		for i, k := range order {
			at[k] = coord[i]
		}
		d := l.At(at...)
		c.want[s], c.got[d], taken[d] = byte(s%255), byte(s%255), true
	}
	for d, is := range taken {
		if !is {
			padding = append(padding, d)
		}
	}
	return c, padding
}

// TestVerifyIsLinear: however few offsets may be marked, each element is visited once, and a wrong byte is found wherever it is, in an
// element or in padding.
func TestVerifyIsLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	nested, padded := 0, 0
	for n := range 3000 {
		c, padding := someComparison(r)
		if _, ok := nestedDigits(c.to); ok {
			nested++
		}
		if len(padding) > 0 {
			padded++
		}
		for _, marked := range []int{0, math.MaxInt} {
			c.elements.Store(0)
			if err := c.run(marked); err != nil || int(c.elements.Load()) != c.from.Numel() {
				t.Fatalf("case %d, %d marked: %d of %d elements: %v: %v", n, marked, c.elements.Load(), c.from.Numel(), c.to, err)
			}
			at := r.IntN(len(c.got))
			if r.IntN(2) == 0 && len(padding) > 0 {
				at = padding[r.IntN(len(padding))]
			}
			c.got[at] ^= 1
			if c.run(marked) == nil {
				t.Fatalf("case %d, %d marked: offset %d is wrong: %v", n, marked, at, c.to)
			}
			c.got[at] ^= 1
		}
	}
	if nested < 1000 || padded < 1000 || nested == 3000 {
		t.Errorf("the strides of %d of 3000 nest, %d have padding", nested, padded)
	}
}

// placed is a comparison of a tensor of elements of size bytes in C order with a copy of it in another layout, whose elements and padding are where the
// formula of the layout says, and of which numbers of swap bytes are reversed.
func placed(r *rand.Rand, to tensor.Layout, typ dtype.Type, swap int) *comparison {
	from := fixture.Must(fixture.Must(tensor.Packed(to.Shape())).Layout(to.Names(), tensor.Unbounded))
	size := typ.ItemSize()
	k := &task{dtype: typ, pad: bytes.Repeat([]byte{7, 9}, size)[:size]}
	k.from = from
	c := &comparison{task: k, to: to, swap: swap, threads: 2}
	c.want, c.got = make([]byte, from.Numel()*size), bytes.Repeat(c.inFile(k.pad), to.Alloc())
	for i := range c.want {
		c.want[i] = byte(r.Uint32())
	}
	for coord, s := range from.Logical() {
		copy(c.got[to.At(coord...)*size:], c.inFile(c.want[s*size:(s+1)*size]))
	}
	return c
}

// TestVerifyElements: of elements of every size, in layouts larger than the tables of the address program, in blocks, padded, broadcast and permuted, as they
// are and byte-swapped, a wrong bit is found wherever it is, and the element that has it is named.
func TestVerifyElements(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, to := range []string{"(3,2500,2):(5000,2,1)", "(3,2500,2):(1,6,3)", "(40,1300):(1,40)", "(1300,40):(1,1301)", "(5,(4,300),7):(8400,(1,28),4)", "(5000):(3)", "(2,2,3):(6,3,1)@4"} {
		l := fixture.Must(notation.Parse(to))
		for typ, swap := range map[string]int{"u1": 0, "<u2": 2, "<f4": 4, "<f8": 8, "<c8": 4, "<c16": 8, "V3": 0, "V12": 0, "V6": 0, "f2": 0, "V40": 0} {
			c := placed(r, *l.Exact, fixture.Must(dtype.Parse(typ)), swap)
			if err := c.run(math.MaxInt); err != nil || int(c.elements.Load()) != l.Exact.Numel() {
				t.Fatalf("%s of %s: %d of %d elements: %v", to, typ, c.elements.Load(), l.Exact.Numel(), err)
			}
			element := 0
			for trial := range 6 {
				at, bit := r.IntN(len(c.got)), byte(1)<<r.IntN(8)
				if trial == 0 { // no padding
					at = l.Exact.At(make([]int, l.Exact.Rank())...) * c.dtype.ItemSize()
				}
				c.got[at] ^= bit
				err := c.run(math.MaxInt)
				c.got[at] ^= bit
				if err == nil {
					t.Fatalf("%s of %s: byte %d is wrong", to, typ, at)
				}
				if coords, _ := l.Exact.Find(at/c.dtype.ItemSize(), 2); len(coords) == 1 {
					element++
					if want := differs(coords[0]).Error(); err.Error() != want {
						t.Fatalf("%s of %s: %v, expected %s", to, typ, err, want)
					}
				}
			}
			if element == 0 {
				t.Errorf("%s of %s: no element was wrong", to, typ)
			}
		}
	}
}

// TestSecondReader: npyio must find the order, the shape and the type that we do.
func TestSecondReader(t *testing.T) {
	path := fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3}, true)
	ours := fixture.Must(source.OpenOnly(name.Parse(path), source.Options{}))
	defer ours.Close()
	reads := func() error {
		_, err := secondReader(bytes.NewReader(fixture.Must(os.ReadFile(path))), ours)
		return err
	}
	if err := reads(); err != nil {
		t.Fatal(err)
	}
	right := ours.Header
	for what, change := range map[string]func(){
		"order": func() { ours.Header.Fortran = false },
		"shape": func() { ours.Header.Shape = []int{3, 2} },
		"type":  func() { ours.Header.Descr = "'<i4'" },
	} {
		change()
		if err := reads(); fault.ClassOf(err) != fault.Negative {
			t.Errorf("another %s: %v", what, err)
		}
		ours.Header = right
	}
}

// TestVerifySwap: the verifier knows the byte order of a result from the file, not from the task that wrote it: numbers that were not swapped, or whose parts
// were swapped as a whole, are found.
func TestVerifySwap(t *testing.T) {
	for _, c := range []struct {
		typ          string
		right, wrong int
	}{{">f4", 4, 0}, {">c8", 4, 8}, {">i2", 2, 0}, {">f8", 8, 4}} {
		a := &cli.App{Streams: &cli.Streams{Err: new(bytes.Buffer), Env: noEnv}}
		o := &options{memory: cli.Bytes{N: 64 << 20}, padValue: "0", out: name.Parse(filepath.Join(t.TempDir(), "y.safetensors")), verify: true, force: true}
		source := fixture.NpyFile(t, "x.npy", c.typ, []int{2, 3, 4, 5}, false)
		j := fixture.Must(newJob(a, o.settingsFor(name.Parse(source))))
		defer j.close()
		if k := &j.tasks[0]; k.swap != c.right {
			t.Fatalf("%s is swapped by %d bytes", c.typ, k.swap)
		}
		if err := j.write(); err != nil {
			t.Errorf("%s: %v", c.typ, err)
		}
		j.tasks[0].swap = c.wrong
		if err := j.write(); fault.ClassOf(err) != fault.Negative {
			t.Errorf("%s swapped by %d bytes: %v", c.typ, c.wrong, err)
		}
	}
}
