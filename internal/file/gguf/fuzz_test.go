package gguf

import (
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"
)

// FuzzGGUF opens any bytes: no panic; memory in proportion to the bytes; a clean *fault.Error; and tensors that lie in the file,
// apart from each other, in as many bytes as their shapes say.
func FuzzGGUF(f *testing.F) {
	f.Add(begun(0, 0).raw)
	f.Add(begun(1, 1).text(alignmentKey).u32(4, 32).info("t", 2, 0, 64, 3).data(108))
	f.Add(begun(2, 0).info("b", 24, 64, 1).info("a", 30, 0, 1, 2).data(99))
	f.Add(begun(0, 2).text("k").u32(9, 9).u64(1).u32(8).u64(1).text("x").text("l").u32(6, 0).raw)
	f.Add(nested(9))
	f.Add([]byte("GGUF\x00\x00\x00\x03" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x01" +
		"\x00\x00\x00\x00\x00\x00\x00\x01k" + "\x00\x00\x00\x02" + "\x01\x02"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := hostile.Allocated()
		_, _ = open(raw)
		if used := hostile.Allocated() - before; used > 1<<20+64*uint64(len(raw)) {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(raw))
		}
		checkPlaces(t, raw)
	})
}
