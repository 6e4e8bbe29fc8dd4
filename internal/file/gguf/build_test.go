package gguf

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
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
	return Open(bytes.NewReader(raw), int64(len(raw)), checkpoint.MaxLimit)
}

func wantFault(t *testing.T, what string, err error, class fault.Class, text string) {
	t.Helper()
	if hostile.WantFault(t, what, err, class, text) {
		hostile.CheckError(t, err, 4000)
	}
}
