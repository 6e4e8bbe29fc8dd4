package convert

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// oneDNNTypes are those that a reorder copies without conversion. Some reorders compute 1·x + 0, in float32, so that -0 becomes 0, a
// signaling NaN a quiet one, and an integer beyond 2²⁴ a rounded one: floats are normal numbers here, by two bits of their
// exponents, and integers small.
var oneDNNTypes = []struct {
	name       string
	size       int
	clear, set byte // bits of the last byte
}{{"f32", 4, 0x40, 0x20}, {"s32", 4, 0xff, 0}, {"bf16", 2, 0x40, 0x20}, {"f16", 2, 0x40, 0x20}, {"s8", 1, 0, 0}, {"u8", 1, 0, 0}}

// TestReordersLikeOneDNN: conversions of random buffers between all tags of oneDNN equal its reorders byte for byte, padding included:
// plain to blocked, blocked to plain, blocked to blocked, each of every type; most are of sizes that end inside a block.
func TestReordersLikeOneDNN(t *testing.T) {
	o := oracle.OneDNN(t, "onednn_reorder.cpp")
	rounds := random.Cases(t, "TLAYOUT_TEST_ONEDNN_ROUNDS", 1)
	r := reorders{o: o, d: dice{random.New(t)}, types: map[string]int{}}
	tags := oneDNNTags(t)
	for range rounds {
		for i, tag := range tags {
			plain := plainTag(tag)
			other := tags[(i+1)%len(tags)] // a neighbor has the same dims, mostly
			r.compare(t, plain, tag)
			r.compare(t, tag, plain)
			if plainTag(other) == plain {
				r.compare(t, tag, other)
			}
		}
	}
	t.Logf("%s: %d reorders of %d bytes compared, %v, %d with padding; %d that it does not do", o.Version, r.compared,
		r.bytes, r.types, r.padded, r.unknown)
	least := min(r.types["f32"], r.types["s32"], r.types["bf16"], r.types["s8"], r.types["u8"])
	if r.compared < 5000 || r.padded < r.compared/2 || least < 500 {
		t.Errorf("only %d compared, %d with padding, %v", r.compared, r.padded, r.types)
	}
}

// reorders counts the comparisons.
type reorders struct {
	o *oracle.Oracle
	d dice

	compared, unknown, padded, bytes int
	types                            map[string]int // compared
}

// compare reorders random buffers of every type, with tlayout and oneDNN.
func (r *reorders) compare(t *testing.T, from, to string) {
	t.Helper()
	for _, typ := range oneDNNTypes {
		shape := make([]int, len(plainTag(to)))
		for left, i := 4000, 0; i < len(shape); i++ {
			shape[i] = r.d.from(1, max(1, min(left, oneOf(r.d, []int{2, 5, 17, 40}))))
			left /= shape[i]
		}
		srcLayout, dstLayout := bind(t, from, shape...), bind(t, to, shape...)
		src := randomBuffer(r.d, srcLayout, typ.size, typ.clear, typ.set)
		theirs, ok := r.ask(t, fmt.Sprintln(typ.name, from, to, len(src), text.Ints(shape, " ")), src)
		if !ok {
			r.unknown++
			continue
		}
		p, err := NewPlan(dstLayout, srcLayout, typ.size)
		if err != nil {
			t.Fatal(err)
		}
		ours := make([]byte, p.Alloc*typ.size)
		if err := p.Run(ours, src, nil, Options{}); err != nil {
			t.Fatal(err)
		}
		r.compared++
		r.bytes += len(ours)
		r.types[typ.name]++
		if max(srcLayout.Alloc(), dstLayout.Alloc()) > srcLayout.Numel() {
			r.padded++
		}
		if !bytes.Equal(ours, theirs) {
			t.Errorf("%s, %s to %s of %v: %d bytes differ from oneDNN's %d", typ.name, from, to, shape, len(ours), len(theirs))
		}
	}
}

// ask returns oneDNN's result for the bytes; ok is false if it lacks a tag, or such a reorder.
func (r *reorders) ask(t *testing.T, request string, src []byte) (theirs []byte, ok bool) {
	t.Helper()
	if _, err := r.o.Write(append([]byte(request), src...)); err != nil {
		t.Fatal(err)
	}
	line, err := r.o.Line()
	if err != nil {
		t.Fatal(err)
	}
	if line == "none" {
		return nil, false
	}
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Errorf("%s: %s", request, line)
		return nil, false
	}
	theirs, err = r.o.Bytes(n)
	if err != nil {
		t.Fatal(err)
	}
	return theirs, true
}

// oneDNNTags returns the blocked tags, by position: aBcd16b.
func oneDNNTags(t *testing.T) (tags []string) {
	text, err := os.ReadFile("../framework/onednn_tags.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		tags = append(tags, strings.Fields(line)[0]) // the positions; names by letters follow
	}
	return tags
}

// plainTag returns the row-major tag of equal rank: abcd for aBcd16b.
func plainTag(tag string) string {
	outer := strings.IndexAny(tag+"0", "0123456789")
	return "abcdefghijkl"[:outer]
}

// randomBuffer is a storage with random elements and zero padding, as oneDNN requires.
func randomBuffer(d dice, l tensor.Layout, size int, clear, set byte) []byte {
	b := make([]byte, l.Alloc()*size)
	for _, at := range l.Logical() {
		for k := range size {
			b[at*size+k] = byte(d.Uint32())
		}
		last := &b[at*size+size-1]
		*last = *last&^clear | set
	}
	return b
}
