package gguf

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
)

// TestBounds: names, keys, metadata and counts exactly at their bounds are read, and one more is refused.
func TestBounds(t *testing.T) {
	const limit, all = 600, 16 << 20
	long := func(i, n int) string { return fmt.Sprintf("%0*d", n, i) }
	tensors := func(n, size, more int) []byte {
		f := begun(uint64(n+more), 0)
		for i := range n {
			f.info(long(i, size), 24, 0, 0)
		}
		for i := range more {
			f.info(string(rune('a'+i)), 24, 0, 0)
		}
		return f.data(0)
	}
	pairs := func(n, size, text, more int) []byte {
		f := begun(0, uint64(n+more))
		for i := range n {
			f.text(long(i, size)).u32(typeText).text(strings.Repeat("x", text))
		}
		for i := range more {
			f.text(string(rune('a' + i))).u32(typeText).text("")
		}
		return f.raw
	}
	for _, c := range []struct {
		what  string
		file  func(more int) []byte
		class fault.Class
		text  string
	}{
		{"a name", func(more int) []byte { return tensors(1, maxName+more, 0) }, fault.Malformed, "name of 65536 bytes"},
		{"all names", func(more int) []byte { return tensors(512, all/512, more) }, fault.Unsupported, "the names of the tensors: more than 16777216 bytes in total"},
		{"tensors", func(more int) []byte { return tensors(limit+more, 3, 0) }, fault.Resource, "more than 600 tensors"},
		{"a key", func(more int) []byte { return pairs(1, maxName+more, 0, 0) }, fault.Malformed, "key of 65536 bytes"},
		{"all metadata", func(more int) []byte { return pairs(256, 1<<10, 1<<16-1<<10, more) }, fault.Unsupported, "the metadata: more than 16777216 bytes in total"},
		{"pairs", func(more int) []byte { return pairs(limit+more, 3, 0, 0) }, fault.Resource, "more than 600 key-value pairs"},
	} {
		for more := range 2 {
			raw := c.file(more)
			_, err := Open(bytes.NewReader(raw), int64(len(raw)), limit)
			if refused := err != nil && fault.ClassOf(err) == c.class && strings.Contains(err.Error(), c.text); refused != (more == 1) || err != nil && more == 0 {
				t.Errorf("%s, %d more: %v, expected %q", c.what, more, err, c.text)
			}
		}
	}
}

// TestRank: 64 dims are read; of more, those that there are, nothing is kept, and other tensors are shown.
func TestRank(t *testing.T) {
	ones := func(n int) []uint64 {
		ne := make([]uint64, n)
		for i := range ne {
			ne[i] = 1
		}
		return ne
	}
	for n, refused := range map[int]string{64: "", 65: "rank 65 is over the limit of 64 dims", 1 << 20: "rank 1048576 is over the limit of 64 dims"} {
		raw := begun(2, 0).info("a", 24, 0, ones(n)...).info("b", 24, 32, 1).data(33)
		var c *checkpoint.Container
		var err error
		used := hostile.AllocatedBy(func() { c, err = Open(bytes.NewReader(raw), int64(len(raw)), checkpoint.DefaultLimit) })
		switch {
		case err != nil || used > 1<<18:
			t.Errorf("%d dims: %d bytes allocated, %v", n, used, err)
		case refused == "" && (len(c.Tensors) != 2 || len(c.Refused) > 0), refused != "" && (len(c.Tensors) != 1 || c.Refused[0].Why != refused):
			t.Errorf("%d dims: %+v", n, c)
		}
	}
	_, err := Open(io.NewSectionReader(bytes.NewReader(begun(1, 0).text("t").u32(math.MaxUint32).raw), 0, 100), 100, checkpoint.DefaultLimit)
	wantFault(t, "2³²−1 dims", err, fault.Malformed, "do not fit")
}
