package convert

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/promise"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// oneDNNTypes are those that a reorder copies without conversion. Some reorders of floats compute 1·x + 0, in float32, so that -0 becomes 0, a
// signaling NaN a quiet one, and an integer beyond 2²⁴ a rounded one: floats are normal numbers here, by two bits of their exponents,
// and integers small.
var oneDNNTypes = []struct {
	name       string
	size       int
	clear, set byte // bits of the last byte
}{{"f32", 4, 0x40, 0x20}, {"s32", 4, 0xff, 0}, {"bf16", 2, 0x40, 0x20}, {"f16", 2, 0x40, 0x20}, {"s8", 1, 0, 0}, {"u8", 1, 0, 0}}

// TestReordersLikeOneDNN: conversions of random buffers between all tags of oneDNN equal its reorders byte for byte, padding included:
// plain to blocked, blocked to plain, blocked to blocked, of sizes that end inside a block.
func TestReordersLikeOneDNN(t *testing.T) {
	if os.Getenv("TLAYOUT_TEST_REQUIRE_ONEDNN") != "1" {
		t.Skip("TLAYOUT_TEST_REQUIRE_ONEDNN=1 compares with oneDNN, which needs g++ and libdnnl-dev: make conformance")
	}
	program := filepath.Join(t.TempDir(), "reorder")
	if out, err := exec.Command("g++", "-O1", "testdata/onednn_reorder.cpp", "-o", program, "-ldnnl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o, err := oracle.Start(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := o.End(); err != nil {
			t.Error(err)
		}
	}()
	version, err := o.Line()
	if err != nil {
		t.Fatal(err)
	}
	rounds, seed := envInt(t, "TLAYOUT_TEST_ONEDNN_ROUNDS", 1), envInt(t, "TLAYOUT_TEST_RANDOM_SEED", 1)
	d := dice{rand.New(rand.NewPCG(uint64(seed), 7))}
	tags := oneDNNTags(t)
	compared, unknown, total := 0, 0, 0
	for range rounds {
		for i, tag := range tags {
			plain := plainTag(tag)
			other := tags[(i+1)%len(tags)] // a neighbor has the same dims, mostly
			pairs := [][2]string{{plain, tag}, {tag, plain}}
			if plainTag(other) == plain {
				pairs = append(pairs, [2]string{tag, other})
			}
			for _, pair := range pairs {
				n, ok := compareReorder(t, o, d, pair[0], pair[1])
				if t.Failed() {
					return
				}
				if !ok {
					unknown++
					continue
				}
				compared++
				total += n
			}
		}
	}
	t.Logf("%s, seed %d: %d reorders of %d bytes compared, %d unknown to this version", version, seed, compared, total, unknown)
	promise.Tried(t, "W3/reorders", compared, 0)
	if compared < 1000 {
		t.Errorf("only %d compared", compared)
	}
}

// oneDNNTags are the blocked tags, by position: aBcd16b.
func oneDNNTags(t *testing.T) (tags []string) {
	text, err := os.ReadFile("../tensor/framework/onednn_tags.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		for _, outer := range fields[1:] {
			tags = append(tags, strings.TrimPrefix(outer, "!")+fields[0])
		}
	}
	return tags
}

// plainTag is the row-major tag of as many dims: abcd for aBcd16b.
func plainTag(tag string) string {
	outer := strings.IndexAny(tag+"0", "0123456789")
	return "abcdefghijkl"[:outer]
}

// compareReorder converts random bytes; ok is false if oneDNN does not.
func compareReorder(t *testing.T, o *oracle.Oracle, d dice, from, to string) (n int, ok bool) {
	t.Helper()
	typ := oneOf(d, oneDNNTypes)
	shape := make([]int, len(plainTag(to)))
	for left, i := 4000, 0; i < len(shape); i++ {
		shape[i] = d.from(1, max(1, min(left, oneOf(d, []int{2, 5, 17, 40}))))
		left /= shape[i]
	}
	srcLayout, dstLayout := bind(t, from, shape...), bind(t, to, shape...)
	src := randomBuffer(d, srcLayout, typ.size, typ.clear, typ.set)
	if _, err := fmt.Fprintln(o, typ.name, from, to, len(src), words.Ints(shape, " ")); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Write(src); err != nil {
		t.Fatal(err)
	}
	line, err := o.Line()
	if err != nil || line == "none" {
		return 0, err == nil && line != "none"
	}
	n, err = strconv.Atoi(line)
	if err != nil {
		t.Errorf("%s, %s to %s of %v: %s, here %d", typ.name, from, to, shape, line, len(src))
		return 0, false
	}
	theirs, err := o.Bytes(n)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(dstLayout, srcLayout, typ.size)
	if err != nil {
		t.Fatal(err)
	}
	ours := make([]byte, p.Alloc*typ.size)
	if err := p.Run(ours, src, nil, Options{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, theirs) {
		t.Errorf("%s, %s to %s of %v: %d bytes differ from oneDNN's %d", typ.name, from, to, shape, len(ours), len(theirs))
	}
	return n, true
}

// randomBuffer is a storage whose elements are random and whose padding is zero, as oneDNN wants it.
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
