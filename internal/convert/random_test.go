package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestManyRandomConversions: conversions of rank 0 to 8 between named layouts, random digits, padded rows, plain orders
// and views of any strides, swizzled or not, with elements of every size and kernels of every level, by Run, WriteAt and Write, are
// bit-equal to the plain loop, and nothing beside the destination is written.
//
// TLAYOUT_TEST_RANDOM_CASES sets how many, TLAYOUT_TEST_RANDOM_SEED which ones.
func TestManyRandomConversions(t *testing.T) {
	eachCase(t, random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 20_000), func(data []byte) func(dice, randomCase) error {
		room := make([]byte, maxBytes+2*besideBytes)
		return func(d dice, c randomCase) error { return c.check(d, data, room) }
	})
}

// eachCase draws cases and checks them, with a worker on each core, until one fails. data, for their sources, must not change.
func eachCase(t *testing.T, cases int, worker func(data []byte) func(dice, randomCase) error) {
	t.Helper()
	seed := int(random.Seed(t))
	if testing.Short() {
		cases /= 10
	}
	families := parsedFamilies(t)
	data := randomBytes(seed, 3*maxBytes)
	before := bytes.Clone(data)
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		check := worker(data)
		group.Go(func() {
			for k := int(next.Add(1)); k <= cases && !t.Failed(); k = int(next.Add(1)) {
				d := diceOf(seed, k)
				c := d.randomCase(families)
				if err := check(d, c); err != nil {
					t.Errorf("case %d of seed %d, elements of %d bytes, %s to %s: %v", k, seed, c.item, c.src, c.dst, err)
				}
			}
		})
	}
	group.Wait()
	if !bytes.Equal(data, before) {
		t.Error("a source was changed")
	}
}

func randomBytes(seed, n int) []byte {
	var key [32]byte
	copy(key[:], strconv.Itoa(seed))
	b := make([]byte, n)
	rand.NewChaCha8(key).Read(b)
	return b
}

// families are layouts of the same dims.
var families = [][]string{
	activations,
	strings.Fields("NCHW NHWC CHWN NCHW8c NCHW32c NHCW8c CHWN8n NHWC2w"),
	strings.Fields("OIHW HWIO OHWI IOHW IHWO OIHW8o OIHW16i16o OIHW4i16o4i OIHW2i8o4i HWIO16o"),
	strings.Fields("NCDHW NDHWC DHWCN NCDHW4c NCDHW16c"),
	strings.Fields("GOIHW GOHWI HWIGO GOIHW8g GOIHW4o4i"),
	strings.Fields("NCW NWC CWN NCW8c"),
	strings.Fields("CHW HWC WHC CHW4c"),
	strings.Fields("HW WH HW4h HW8w WH4h8w"),
}

func parsedFamilies(t *testing.T) [][]notation.Format {
	t.Helper()
	parsed := make([][]notation.Format, len(families))
	for i, names := range families {
		for _, name := range names {
			parsed[i] = append(parsed[i], format(t, name))
		}
	}
	return parsed
}

// dice draws the parts of one case.
type dice struct{ *rand.Rand }

func diceOf(seed, k int) dice { return dice{rand.New(rand.NewPCG(uint64(seed), uint64(k)))} }

// from draws a number from low to high.
func (d dice) from(low, high int) int { return low + d.IntN(high-low+1) }

func (d dice) percent(p int) bool { return d.IntN(100) < p }

func oneOf[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

const (
	maxBytes    = 1 << 20 // of a storage
	besideBytes = 128     // that must stay unchanged, on both sides of the destination
	untouched   = 0xAB    // their content
	longestDim  = 150     // past two blocks of every kernel
)

var itemSizes = []int{1, 2, 3, 4, 8, 12, 16, 32}

// randomCase is one conversion.
type randomCase struct {
	dst, src tensor.Layout
	names    []string
	item     int // bytes
}

func (d dice) randomCase(families [][]notation.Format) randomCase {
	c := randomCase{item: oneOf(d, itemSizes)}
	var formats []notation.Format
	if d.percent(60) {
		formats = oneOf(d, families)
		c.names = formats[0].Names()
	} else {
		c.names = numbered(d.from(0, 8))
	}
	sizes := d.sizes(len(c.names))
	c.src = d.layout(c.names, formats, sizes, c.item, true)
	c.dst = d.layout(c.names, formats, sizes, c.item, false)
	return c
}

// numbered names dims by their numbers.
func numbered(rank int) []string {
	names := make([]string, rank)
	for i := range names {
		names[i] = fmt.Sprint("d", i)
	}
	return names
}

// sizes draws a shape: mostly of a few hundred elements at most, now and then with two long dims, seldom empty.
func (d dice) sizes(rank int) []int {
	sizes, left := make([]int, rank), d.from(1, 400)
	order := d.Perm(rank)
	if rank > 0 && d.percent(4) {
		left = longestDim * longestDim
		for _, i := range order[:min(rank, 2)] {
			sizes[i] = d.from(1, longestDim)
			left /= sizes[i]
		}
		order = order[min(rank, 2):]
	}
	for _, i := range order {
		sizes[i] = min(d.from(1, oneOf(d, []int{2, 7, 20})), left)
		left /= sizes[i]
	}
	if rank > 0 && d.percent(1) {
		sizes[d.IntN(rank)] = 0
	}
	return sizes
}

// layout draws a layout of these sizes: one of formats with or without padded rows, digits, a plain order, or, for a
// source, a view of any strides.
func (d dice) layout(names []string, formats []notation.Format, sizes []int, item int, source bool) tensor.Layout {
	for {
		var l tensor.Layout
		switch n := d.IntN(100); {
		case n < 60 && formats != nil:
			l = d.named(oneOf(d, formats), sizes)
		case n < 80:
			l = d.digits(names, sizes)
		case n < 88 && source:
			l = must(d.view(sizes).Layout(names, tensor.Unbounded))
		default:
			l = d.plainOrder(names, sizes)
		}
		if d.percent(25) {
			l = d.swizzled(l)
		}
		if l.Alloc()*item <= maxBytes {
			return l
		}
	}
}

// swizzled permutes a layout by up to 3 bits, in the storage that it needs or in a few elements more.
func (d dice) swizzled(l tensor.Layout) tensor.Layout {
	b := d.from(1, 3)
	z := must(tensor.NewSwizzle(b, d.from(0, 4), oneOf(d, []int{1, 1, -1})*d.from(b, b+2)))
	s := must(l.Swizzled(z, tensor.Unbounded))
	if d.percent(30) {
		s = must(l.Swizzled(z, s.Alloc()+d.from(0, 9)))
	}
	return s
}

func (d dice) named(f notation.Format, sizes []int) tensor.Layout {
	var pitches []Pitch
	if d.percent(25) {
		pitches = append(pitches, Pitch{oneOf(d, f.Names()), d.from(1, 40)})
	}
	return must(Named(f, sizes, pitches)).Layout
}

// digits makes a layout without overlap: dims in random order, split by random blocks, in random order, with
// gaps between them.
func (d dice) digits(names []string, sizes []int) tensor.Layout {
	dims := make([]tensor.Dim, len(names))
	var all []*tensor.Digit
	for at, i := range d.Perm(len(names)) {
		dim := tensor.Dim{Name: names[i], Size: sizes[i]}
		div := 1
		for d.percent(40) && len(dim.Digits) < 2 {
			block := oneOf(d, []int{1, 2, 3, 4, 5, 8, 16, 33})
			dim.Digits = append(dim.Digits, tensor.Digit{Div: div, Extent: block})
			div *= block
		}
		dim.Digits = append(dim.Digits, tensor.Digit{Div: div, Extent: (dim.Size + div - 1) / div})
		for k := range dim.Digits {
			all = append(all, &dim.Digits[k])
		}
		dims[at] = dim
	}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	gaps, offset, run := d.percent(50), d.from(0, 3), 1
	for _, g := range all {
		g.Stride = run
		if run *= max(g.Extent, 1); gaps {
			run += d.from(0, 2)
		}
		if run > maxBytes {
			return d.digits(names, sizes)
		}
	}
	return must(tensor.New(dims, offset, offset+run))
}

// view draws a stride for each dim, some 0, negative, or so small that elements overlap.
func (d dice) view(sizes []int) tensor.Strided {
	s := tensor.Strided{Shape: sizes, Strides: make([]int, len(sizes)), Offset: d.from(0, 9)}
	run := 1
	for _, i := range d.Perm(len(sizes)) {
		s.Strides[i] = run
		switch d.IntN(6) {
		case 0:
			s.Strides[i] = 0
		case 1:
			s.Strides[i] = -run
			s.Offset += max(0, sizes[i]-1) * run
		case 2:
			s.Strides[i] = d.from(0, 5)
		}
		run = run*max(sizes[i], 1) + d.from(0, 1)*d.from(0, 9)
	}
	return s
}

// plainOrder returns the row-major or column-major layout, or that of another order of the dims.
func (d dice) plainOrder(names []string, sizes []int) tensor.Layout {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	switch d.IntN(3) {
	case 0:
		slices.Reverse(order)
	case 1:
		order = d.Perm(len(names))
	}
	return must(notation.Order(names, order).Bind(sizes))
}

// must panics if a call fails that cannot fail in a test.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// check runs the conversion in every way and compares the results with the plain loop's.
func (c randomCase) check(d dice, data, room []byte) error {
	p, err := NewPlan(c.dst, c.src, c.item)
	if err != nil {
		if strings.Contains(err.Error(), "no small common ") {
			return nil
		}
		return err
	}
	n, from := c.src.Alloc()*c.item, d.IntN(maxBytes)
	src, pad := data[from:from+n:from+n], data[:c.item:c.item]
	want := bytes.Repeat(pad, c.dst.Alloc())
	to := addresses(c.dst, c.names)
	for k, at := range addresses(c.src, c.names) {
		copy(want[to[k]*c.item:(to[k]+1)*c.item], src[at*c.item:])
	}
	room = room[:len(want)+2*besideBytes]
	beside := besideBytes
	if d.percent(50) {
		beside = d.from(1, besideBytes)
	}
	for _, way := range ways {
		repeat(room, []byte{untouched})
		dst := room[beside : beside+len(want) : beside+len(want)]
		some := d.from(1, 32) // tiles, or windows; more would take too long
		o := Options{Kernels: oneOf(d, kernel.Available()), Threads: d.from(1, 2), Guard: caught, tile: oneOf(d, []int{0, 4096, len(want)/some + 1})}
		memory := int64(oneOf(d, []int{1 << 20, o.Threads * (len(want)/some + 1)}))
		about := fmt.Sprintf("%s with %s, %d threads, tiles of %d and %d bytes of memory", way.name, o.Kernels.Level, o.Threads, o.tile, memory)
		if err := way.run(p, dst, src, pad, memory, o); err != nil {
			return fmt.Errorf("%s: %w", about, err)
		}
		if err := compare(dst, want, room, beside); err != nil {
			return fmt.Errorf("%s: %w; the plan is %+v", about, err, p)
		}
	}
	return nil
}

// addresses lists the storage offsets of all elements, in the row-major order of names.
func addresses(l tensor.Layout, names []string) []int {
	all := []int{l.Offset()}
	for _, name := range names {
		dim := l.Dim(slices.Index(l.Names(), name))
		moves := make([]int, dim.Size)
		for i := range moves {
			moves[i] = dim.At(i)
		}
		next := make([]int, 0, len(all)*len(moves))
		for _, at := range all {
			for _, move := range moves {
				next = append(next, at+move)
			}
		}
		all = next
	}
	for k, at := range all {
		all[k] = l.Swizzle().Apply(at)
	}
	return all
}

// compare fails at the first byte of dst, a part of room, that differs from want, and at any that changed beside it.
func compare(dst, want, room []byte, beside int) error {
	if !bytes.Equal(dst, want) {
		k := 0
		for dst[k] == want[k] {
			k++
		}
		return fmt.Errorf("byte %d of %d is %#x, want %#x", k, len(want), dst[k], want[k])
	}
	for k := range len(room) - len(dst) {
		if k >= beside {
			k += len(dst)
		}
		if room[k] != untouched {
			return fmt.Errorf("byte %d of %d, beside the destination, was written", k-beside, len(dst))
		}
	}
	return nil
}

// caught returns a panic as an error that names the case.
func caught(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

// ways are the ways in which a plan writes its destination.
var ways = []struct {
	name string
	run  func(p *Plan, dst, src, pad []byte, memory int64, o Options) error
}{
	{"Run", func(p *Plan, dst, src, pad []byte, _ int64, o Options) error {
		return p.Run(dst, src, pad, o)
	}},
	{"WriteAt", func(p *Plan, dst, src, pad []byte, memory int64, o Options) error {
		const at = 17
		return p.WriteAt(sectionFile{dst, at}, at, src, pad, memory, o)
	}},
	{"WriteAt from disk", func(p *Plan, dst, src, pad []byte, memory int64, o Options) error {
		o.Disk, o.near = sliceDisk(src), []int{1, 16, 200, nearBytes}[memory%4]
		return p.WriteAt(sectionFile{dst, 0}, 0, src, pad, memory, o)
	}},
	{"Write", func(p *Plan, dst, src, pad []byte, memory int64, o Options) error {
		out := bytes.NewBuffer(dst[:0])
		if memory%2 == 1 {
			o.Disk, o.near = sliceDisk(src), 1
		}
		if err := p.Write(out, src, pad, memory, o); err != nil {
			return err
		}
		if out.Len() != len(dst) {
			return io.ErrShortWrite
		}
		return nil
	}},
	{"Run in pieces", func(p *Plan, dst, src, pad []byte, memory int64, o Options) error {
		if p.Gaps {
			return p.runPadded(dst, src, pad, o.withDefaults(), kernel.Cached)
		}
		return o.Guard(func() error { // the last blocks first, a few at a time
			m := newMover(p, o.Kernels, dst, src, pad, kernel.Cached)
			for _, one := range p.moves(nil, p.Boxes) {
				for to := one.matrix.count(); to > 0; {
					from := max(0, to-1-(to+int(memory))%5)
					m.run(one.matrix, one.box, from, to)
					to = from
				}
			}
			return nil
		})
	}},
	{"Run past the caches", func(p *Plan, dst, src, pad []byte, _ int64, o Options) error {
		defer o.Kernels.Fence()
		if p.Gaps {
			return p.runPadded(dst, src, pad, o.withDefaults(), kernel.Streaming)
		}
		return o.Guard(func() error {
			newMover(p, o.Kernels, dst, src, pad, kernel.Streaming).boxes(p.Boxes)
			return nil
		})
	}},
}

// sectionFile is a file with its bytes from at on in memory.
type sectionFile struct {
	bytes []byte
	at    int64
}

func (f sectionFile) WriteAt(b []byte, at int64) (int, error) {
	if at < f.at || at+int64(len(b)) > f.at+int64(len(f.bytes)) {
		return 0, errors.New("written beside the section")
	}
	return copy(f.bytes[at-f.at:], b), nil
}
