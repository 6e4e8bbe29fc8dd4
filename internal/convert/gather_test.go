package convert

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
)

// copied is a piece of a test: a part of a destination, and the storage that it is read from.
type copied struct {
	from, to tensor.Layout
	src      []byte
}

// randomPieces cuts a destination of a random shape into pieces along one dim. Each has a storage of its own, with its dims in another order,
// and begins at an offset of it.
func randomPieces(r *rand.Rand, itemSize int) (pieces []copied, alloc int) {
	shape := make([]int, 1+r.IntN(3))
	for d := range shape {
		shape[d] = 1 + r.IntN(9)
	}
	whole := must(tensor.Packed(shape))
	alloc = ints.Product(shape)
	dim := r.IntN(len(shape))
	for at := 0; at < shape[dim]; {
		n := 1 + r.IntN(shape[dim]-at)
		to := tensor.Strided{Shape: slices.Clone(shape), Strides: whole.Strides, Offset: at * whole.Strides[dim]}
		to.Shape[dim] = n
		at += n
		before := r.IntN(5)
		from := tensor.Strided{Shape: to.Shape, Strides: make([]int, len(shape)), Offset: before}
		stride := 1
		for _, d := range r.Perm(len(shape)) {
			from.Strides[d] = stride
			stride *= to.Shape[d]
		}
		src := make([]byte, (before+stride)*itemSize)
		for k := range src {
			src[k] = byte(r.Uint32())
		}
		pieces = append(pieces, copied{must(from.Layout(nil, before+stride)), must(to.Layout(nil, alloc)), src})
	}
	r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	return pieces, alloc
}

// plan returns the plan of a piece.
func (p copied) plan(t *testing.T, itemSize int) *Plan {
	t.Helper()
	plan, err := NewPlan(p.to, p.from, itemSize)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// slowly copies the elements of pieces one by one.
func slowly(pieces []copied, alloc, itemSize int) []byte {
	out := make([]byte, alloc*itemSize)
	for _, p := range pieces {
		var places []int
		for _, at := range p.to.Logical() {
			places = append(places, at)
		}
		for _, from := range p.from.Logical() {
			copy(out[places[0]*itemSize:][:itemSize], p.src[from*itemSize:])
			places = places[1:]
		}
	}
	return out
}

// gathered is what Gather emits, in windows of so many bytes, which must follow each other and be within the bound.
func gathered(t *testing.T, pieces []copied, alloc, itemSize int, memory int64) ([]byte, error) {
	t.Helper()
	var parts []Part
	for _, p := range pieces {
		parts = append(parts, Part{Plan: p.plan(t, itemSize), Src: p.src})
	}
	var out []byte
	err := Gather(parts, alloc, itemSize, memory, Options{Threads: 1}, func(at int, window []byte) error {
		if at*itemSize != len(out) {
			t.Fatalf("a window begins at element %d after %d bytes of %d each", at, len(out), itemSize)
		}
		if len(window) > max(int(memory), itemSize) {
			t.Fatalf("a window has %d bytes, and %d are allowed", len(window), memory)
		}
		out = append(out, window...)
		return nil
	})
	return out, err
}

// TestGather: pieces of any order and element size, gathered in windows of any size, are what a loop over their elements makes. Those whose plans
// write padding are left to TestGatherBesidePadding.
func TestGather(t *testing.T) {
	r := random.New(t)
	checked := 0
	for range random.Cases(t, "TLAYOUT_TEST_GATHER_CASES", 2000) {
		itemSize := []int{1, 2, 3, 4, 8, 12, 16}[r.IntN(7)]
		pieces, alloc := randomPieces(r, itemSize)
		if slices.ContainsFunc(pieces, func(p copied) bool { return p.plan(t, itemSize).Boxes[0].Pad > 0 }) {
			continue
		}
		checked++
		compareGathered(t, r, pieces, alloc, itemSize)
	}
	if t.Logf("%d checked", checked); checked == 0 {
		t.Error("no case was checked")
	}
}

// TestGatherBesidePadding: the gaps between the elements of a piece are other pieces' elements, and not padding, which ends at a pitch.
func TestGatherBesidePadding(t *testing.T) {
	r := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_GATHER_CASES", 2000) {
		itemSize := []int{1, 2, 3, 4, 8, 12, 16}[r.IntN(7)]
		pieces, alloc := randomPieces(r, itemSize)
		compareGathered(t, r, pieces, alloc, itemSize)
	}
}

// compareGathered gathers pieces in windows of a random size.
func compareGathered(t *testing.T, r *rand.Rand, pieces []copied, alloc, itemSize int) {
	t.Helper()
	want := slowly(pieces, alloc, itemSize)
	memory := int64(1 + r.IntN(alloc*itemSize+itemSize))
	got, err := gathered(t, pieces, alloc, itemSize, memory)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d pieces of %d elements of %d bytes, in windows of %d: %v", len(pieces), alloc, itemSize, memory, err)
	}
}

// TestGatherWindows: of one destination, windows of every size give the same bytes.
func TestGatherWindows(t *testing.T) {
	pieces, alloc := interleaved(t)
	want := slowly(pieces, alloc, 4)
	for memory := range int64(4*alloc + 5) {
		got, err := gathered(t, pieces, alloc, 4, memory)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("windows of %d bytes: %v, %v", memory, got, err)
		}
	}
	if got, err := gathered(t, nil, 0, 4, 16); err != nil || got != nil {
		t.Errorf("nothing to gather: %v, %v", got, err)
	}
}

// interleaved returns two pieces whose rows, 5 of 15 elements each, are in turn.
func interleaved(t *testing.T) (pieces []copied, alloc int) {
	t.Helper()
	alloc = 150
	for k := range 2 {
		from := must(tensor.Packed([]int{5, 15}))
		to := tensor.Strided{Shape: []int{5, 15}, Strides: []int{30, 1}, Offset: 15 * k}
		src := make([]byte, 4*75)
		for i := range src {
			src[i] = byte(i*7 + k)
		}
		pieces = append(pieces, copied{must(from.Layout(nil, 75)), must(to.Layout(nil, alloc)), src})
	}
	return pieces, alloc
}

// moved returns a piece that is written from another element on.
func (p copied) moved(t *testing.T, offset int) copied {
	t.Helper()
	to, err := p.to.Moved(offset)
	if err != nil {
		t.Fatal(err)
	}
	p.to = to
	return p
}

// TestGatherRefuses: an element that two pieces write, or that none does, is an error that names the element, whatever the windows are, and also
// beside 64 elements that are right.
func TestGatherRefuses(t *testing.T) {
	pieces, alloc := interleaved(t)
	for _, c := range []struct {
		what   string
		pieces []copied
		want   string
	}{
		{"the same piece twice", []copied{pieces[0], pieces[1], pieces[1]}, "two pieces write element 15"},
		{"one element too early", []copied{pieces[0], pieces[1].moved(t, 14)}, "two pieces write element 14"},
		{"no second piece", pieces[:1], "no piece writes element 15"},
		{"no first piece", pieces[1:], "no piece writes element 0"},
		{"no piece", nil, "no piece writes element 0"},
	} {
		for _, memory := range []int64{4, 28, 64, 256, 260, 600, 1 << 20} {
			_, err := gathered(t, c.pieces, alloc, 4, memory)
			if fault.ClassOf(err) != fault.Malformed {
				t.Errorf("%s, windows of %d bytes: %v", c.what, memory, err)
				continue
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, windows of %d bytes: %v, want %s", c.what, memory, err, c.want)
			}
		}
	}
}

// TestGatherHoleAtEnd: the last element is looked at, at both sides of a word of marks.
func TestGatherHoleAtEnd(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 127, 128, 129} {
		layout := func(elements, alloc int) tensor.Layout {
			return must(tensor.Strided{Shape: []int{elements}, Strides: []int{1}}.Layout(nil, alloc))
		}
		whole := copied{layout(n, n), layout(n, n), make([]byte, n)}
		if _, err := gathered(t, []copied{whole}, n, 1, 1<<20); err != nil {
			t.Errorf("%d elements: %v", n, err)
		}
		short := copied{layout(n, n), layout(n, n+1), make([]byte, n)}
		if _, err := gathered(t, []copied{short}, n+1, 1, 1<<20); fault.ClassOf(err) != fault.Malformed {
			t.Errorf("%d elements of %d: %v", n, n+1, err)
		}
	}
}

// TestGatherStops: an error of emit ends it, and is returned.
func TestGatherStops(t *testing.T) {
	pieces, alloc := interleaved(t)
	var parts []Part
	for _, p := range pieces {
		parts = append(parts, Part{Plan: p.plan(t, 4), Src: p.src})
	}
	calls := 0
	stop := fault.New(fault.Negative, "enough")
	err := Gather(parts, alloc, 4, 40, Options{Threads: 1}, func(int, []byte) error {
		calls++
		return stop
	})
	if err != stop || calls != 1 {
		t.Errorf("%v after %d windows", err, calls)
	}
}
