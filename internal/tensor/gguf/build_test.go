package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
)

// b builds a file, little-endian.
type b struct{ raw []byte }

// begun is a file of version 3 with these counts.
func begun(tensors, pairs uint64) *b {
	return (&b{[]byte("GGUF")}).u32(3).u64(tensors, pairs)
}

func (b *b) bytes(p ...byte) *b { b.raw = append(b.raw, p...); return b }

func (b *b) u32(ns ...uint32) *b {
	for _, n := range ns {
		b.raw = binary.LittleEndian.AppendUint32(b.raw, n)
	}
	return b
}

func (b *b) u64(ns ...uint64) *b {
	for _, n := range ns {
		b.raw = binary.LittleEndian.AppendUint64(b.raw, n)
	}
	return b
}

func (b *b) text(s string) *b {
	b.u64(uint64(len(s)))
	b.raw = append(b.raw, s...)
	return b
}

// info is a tensor's.
func (b *b) info(name string, kind uint32, offset uint64, ne ...uint64) *b {
	return b.text(name).u32(uint32(len(ne))).u64(ne...).u32(kind).u64(offset)
}

// data pads to 32 bytes, and appends n bytes of data.
func (b *b) data(n int) []byte {
	raw := append(b.raw, make([]byte, -len(b.raw)&31)...)
	for i := range n {
		raw = append(raw, byte(i))
	}
	return raw
}

func open(raw []byte) (*checkpoint.Container, error) {
	return Open(bytes.NewReader(raw), int64(len(raw)))
}

func wantFault(t *testing.T, what string, err error, class fault.Class, text string) {
	t.Helper()
	if fault.ClassOf(err) != class || err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v (%v), expected %q (%v)", what, err, fault.ClassOf(err), text, class)
		return
	}
	checkError(t, err)
}

// checkError accepts errors that say whose fault it is, in text that is safe to print and not long.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Class != fault.Malformed && e.Class != fault.Unsupported {
		t.Fatalf("unexpected kind of error: %v", err)
	}
	control := func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e }
	if text := e.Text + e.Hint; e.Text == "" || len(text) > 4000 || strings.ContainsFunc(text, control) {
		t.Fatalf("unsuitable text: %q", text)
	}
}

// allocated returns all the bytes the process has allocated on the heap so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// cases is how many random files a test makes: TLAYOUT_TEST_CHECKPOINT_CASES, or else n.
func cases(t *testing.T, n int) int {
	t.Helper()
	text := os.Getenv("TLAYOUT_TEST_CHECKPOINT_CASES")
	if text == "" {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
