package convert

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestAgainstNumPy: NumPy makes the same bytes of random tensors by reshape, transpose and padding. It gets the axes
// of both sides as they were drawn, and derives its own strides; sources are views of any strides too.
//
// TLAYOUT_TEST_NUMPY_CASES sets how many, TLAYOUT_TEST_RANDOM_SEED which ones; TLAYOUT_TEST_REQUIRE_NUMPY=1 fails without
// NumPy.
func TestAgainstNumPy(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("some of the layouts that it draws are larger than 32 bits can address")
	}
	cases, seed := random.Cases(t, "TLAYOUT_TEST_NUMPY_CASES", 2000), int(random.Seed(t))
	numpy := oracle.NumPy(t, "numpy_convert.py")
	t.Logf("%s, %d cases", numpy.Version, cases)
	batches := make(chan numpyBatch, 2)
	compared := 0
	go sendNumPyCases(t, numpy, batches, cases, seed)
	for b := range batches {
		line, err := numpy.Line()
		var count, wrong, first int
		if _, scanErr := fmt.Sscan(line, &count, &wrong, &first); scanErr != nil || count != len(b.cases) {
			t.Fatalf("NumPy answers %q, %v, to cases from %d of seed %d on", line, err, b.first, seed)
		}
		compared += count
		if wrong > 0 {
			t.Errorf("NumPy makes other bytes of %d cases, the first is %d of seed %d: %s", wrong, b.first+first, seed, b.cases[first])
		}
	}
	if compared != cases {
		t.Errorf("NumPy compared %d of %d", compared, cases)
	}
}

// numpyBatch is a number of cases sent together.
type numpyBatch struct {
	first int
	cases []numpyCase
}

// sendNumPyCases sends cases in batches, each with its length before it, and closes both ends. The answer to each is the
// number of cases in it, of wrong ones, and the first of these.
func sendNumPyCases(t *testing.T, in io.WriteCloser, sent chan<- numpyBatch, cases, seed int) {
	defer close(sent)
	defer in.Close()
	data := randomBytes(seed, 3*maxBytes)
	for k := 0; k < cases; {
		b := numpyBatch{first: k}
		message := make([]byte, 8, 1<<20)
		for ; k < cases && len(message) < 256<<10; k++ {
			d := diceOf(seed, k)
			c := d.numpyCase(t)
			var err error
			if message, err = c.append(message, d, data); err != nil {
				t.Errorf("case %d of seed %d, %s: %v", k, seed, c, err)
				return
			}
			b.cases = append(b.cases, c)
		}
		binary.LittleEndian.PutUint64(message, uint64(len(message)-8))
		sent <- b
		if _, err := in.Write(message); err != nil {
			return
		}
	}
}

// numpyCase is a conversion between layouts that NumPy can express.
type numpyCase struct {
	item     int // bytes
	sizes    []int
	src, dst numpySide
}

// numpySide is an order of axes, or a view.
type numpySide struct {
	axes   []numpyAxis     // outermost first
	aligns []int           // per dim: alignment of a step over the whole of it
	view   *tensor.Strided // instead
	layout tensor.Layout   // the same in tlayout's terms
}

// numpyAxis counts (i / div) mod extent of a dim's index; an extent of 0 is the open end.
type numpyAxis struct{ dim, div, extent int }

func (c numpyCase) String() string {
	return fmt.Sprintf("elements of %d bytes, %s to %s", c.item, c.src.layout, c.dst.layout)
}

func (d dice) numpyCase(t testing.TB) numpyCase {
	limit := 4096 // most cases are small, so that there can be many
	if d.percent(3) {
		limit = maxBytes
	}
	for {
		c := numpyCase{item: oneOf(d, itemSizes), sizes: d.sizes(d.from(1, 8))}
		if c.dst = d.numpySide(t, c.sizes); d.percent(15) {
			view := d.view(c.sizes)
			c.src = numpySide{view: &view, layout: must(view.Layout(numbered(len(c.sizes)), tensor.Unbounded))}
		} else {
			c.src = d.numpySide(t, c.sizes)
		}
		if max(c.src.layout.Alloc(), c.dst.layout.Alloc())*c.item <= limit {
			return c
		}
	}
}

// numpySide draws an order of the dims and their blocks, and now and then a dim with padded rows.
func (d dice) numpySide(t testing.TB, sizes []int) numpySide {
	var s numpySide
	for i := range sizes {
		div := 1
		for range oneOf(d, []int{0, 0, 0, 1, 2}) {
			block := oneOf(d, []int{1, 2, 3, 4, 5, 8, 16, 33})
			s.axes = append(s.axes, numpyAxis{i, div, block})
			div *= block
		}
		s.axes = append(s.axes, numpyAxis{i, div, 0})
	}
	d.Shuffle(len(s.axes), func(i, j int) { s.axes[i], s.axes[j] = s.axes[j], s.axes[i] })
	s.aligns = slices.Repeat([]int{1}, len(sizes))
	var pitches []Pitch
	if d.percent(20) && !slices.Contains(sizes, 0) {
		i, align := d.IntN(len(sizes)), d.from(2, 40)
		s.aligns[i], pitches = align, []Pitch{{fmt.Sprint("d", i), align}}
	}
	s.layout = must(Named(format(t, s.String()), sizes, pitches)).Layout
	return s
}

// String spells the axes out: d0//4 d1 d0%4.
func (s numpySide) String() string {
	words := make([]string, len(s.axes))
	for i, a := range s.axes {
		words[i] = fmt.Sprintf("d%d//%d", a.dim, a.div)
		if a.extent > 0 {
			words[i] += fmt.Sprint("%", a.extent)
		}
	}
	return strings.Join(words, " ")
}

// append adds the input for NumPy: the number of words, the words, the padding, the source, and tlayout's result.
func (c numpyCase) append(message []byte, d dice, data []byte) ([]byte, error) {
	p, err := NewPlan(c.dst.layout, c.src.layout, c.item)
	if err != nil {
		return nil, err
	}
	from := d.IntN(maxBytes)
	src, pad, dst := data[from:from+c.src.layout.Alloc()*c.item], data[:c.item], make([]byte, p.Alloc*c.item)
	if err := p.Run(dst, src, pad, Options{Threads: d.from(1, 2), Guard: caught, tile: oneOf(d, []int{0, len(dst)/8 + 1})}); err != nil {
		return nil, err
	}
	words := append([]int{c.item, len(c.sizes)}, c.sizes...)
	words = append(words, c.src.words()...)
	words = append(words, c.dst.words()...)
	words = append(words, len(src), len(dst))
	message = binary.LittleEndian.AppendUint64(message, uint64(len(words)))
	for _, w := range words {
		message = binary.LittleEndian.AppendUint64(message, uint64(w))
	}
	return append(append(append(message, pad...), src...), dst...), nil
}

// words returns the number of axes and them, and each dim's alignment; or -1, the view's strides and its offset.
func (s numpySide) words() []int {
	if s.view != nil {
		return append(append([]int{-1}, s.view.Strides...), s.view.Offset)
	}
	words := []int{len(s.axes)}
	for _, a := range s.axes {
		words = append(words, a.dim, a.div, a.extent)
	}
	return append(words, s.aligns...)
}
