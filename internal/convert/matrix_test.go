package convert

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/random"
)

// nest is a box of loops, with the number of elements that each side spans.
type nest struct {
	loops    []Loop
	item     int
	src, dst int
}

// randomNest makes up to four loops of random order on both sides, with gaps between the runs of the source, some long enough to be cut into
// blocks.
func randomNest(r *rand.Rand) nest {
	n := nest{item: 1 << r.IntN(5), src: 1, dst: 1}
	for elems := 1; len(n.loops) < 1+r.IntN(4); {
		l := Loop{N: 1 + r.IntN([]int{4, 20, 70, 1200}[r.IntN(4)])}
		if elems*l.N > 60000 {
			break
		}
		elems *= l.N
		n.loops = append(n.loops, l)
	}
	for _, at := range r.Perm(len(n.loops)) { // innermost first
		n.loops[at].Src = n.src
		n.src = n.src*n.loops[at].N + r.IntN(3)*r.IntN(20)
	}
	for _, at := range r.Perm(len(n.loops)) {
		n.loops[at].Dst = n.dst
		n.dst *= n.loops[at].N
	}
	n.loops = simplify(n.loops)
	return n
}

// copyInto is the loop that a box equals.
func (n nest) copyInto(dst, src []byte) {
	for _, pair := range pairs(n.loops) {
		copy(dst[pair[1]*n.item:][:n.item], src[pair[0]*n.item:])
	}
}

// TestMatrices: for any loops, a matrix moves their elements and nothing else, by kernels of every level and with both kinds of stores.
func TestMatrices(t *testing.T) {
	check := func(n nest) {
		t.Helper()
		src := make([]byte, n.src*n.item)
		for i := range src {
			src[i] = byte(i*7 + i>>8)
		}
		want := bytes.Repeat([]byte{0xEE}, n.dst*n.item)
		got := bytes.Clone(want)
		n.copyInto(want, src)
		box := Box{Loops: n.loops}
		for _, k := range kernel.Available() {
			for _, s := range []kernel.Stores{kernel.Cached, kernel.Streaming} {
				p := &Plan{Boxes: []Box{box}, ItemSize: n.item, Alloc: n.dst, matrices: &matrixCache{}}
				clear(got)
				for i := range got {
					got[i] = 0xEE
				}
				newMover(p, k, got, src, make([]byte, n.item), s).boxes(p.Boxes)
				k.Fence()
				if !bytes.Equal(got, want) {
					t.Fatalf("%v, elements of %d bytes, %s, %s stores: wrong", n.loops, n.item, k.Level, s)
				}
				x := p.matrixOf([]Box{box})
				if elems := elemsOf(n.loops) * n.item; !x.copied && x.rows.wanted()*x.cols.wanted()*newKernel(x, 0, k).Times*x.item != elems {
					t.Errorf("%v, elements of %d bytes: %d x %d wanted, %d times", n.loops, n.item, x.rows.wanted(), x.cols.wanted(), newKernel(x, 0, k).Times)
				}
			}
		}
	}
	// A crop of 1000 of 1008 columns, from NCHW to NHWC: runs that are cut have nothing between them.
	check(nest{[]Loop{loop(4, 1008, 64000), loop(1000, 1, 64), loop(64, 4032, 1)}, 4, 64 * 4032, 256000})
	check(nest{[]Loop{loop(4, 60, 15210), loop(45, 1, 338), loop(338, 240, 1)}, 8, 338 * 240, 60840})
	check(nest{[]Loop{loop(300, 16, 768), loop(12, 1, 64), loop(64, 4816, 1)}, 4, 64 * 4816, 230400})
	r := rand.New(rand.NewPCG(15, 11))
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 20_000) / 200 {
		check(randomNest(r))
	}
}
