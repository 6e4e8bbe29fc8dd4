package npy_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/hostile"
)

// Headers of 1 MiB made to be costly allocate less than 96 MiB in all, garbage included, so that what is alive at a
// time stays within the 64 MiB that `tlayout inspect` may use. A claim without bytes costs next to nothing.
func TestMemoryIsBounded(t *testing.T) {
	fill := func(open string, item func(i int) string, close string) []byte {
		var b strings.Builder
		b.WriteString("{'fortran_order': False, 'shape': (), 'descr': " + open)
		for i := 0; b.Len() < 1<<20-100; i++ {
			b.WriteString(item(i))
		}
		return headerFile(2, 0, b.String()+close+"}", 0)
	}
	same := func(s string) func(int) string { return func(int) string { return s } }
	tests := []struct {
		name string
		file []byte
		most uint64 // bytes
	}{
		{"a claim of 4 GiB", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), 1 << 20},
		{"a claim of 1 MiB", []byte("\x93NUMPY\x02\x00\x00\x00\x10\x00{}"), 1 << 20},
		{"many fields", fill("[", func(i int) string { return fmt.Sprintf("('%x','b'),", i) }, "]"), 96 << 20},
		{"many fields with sub-arrays", fill("[", func(i int) string { return fmt.Sprintf("('%x','b',(1,)),", i) }, "]"), 96 << 20},
		{"much padding", fill("[", same("('','V1'),"), "]"), 96 << 20},
		{"a long comma list", fill("'", same("b,"), "'"), 96 << 20},
		{"a long string", fill("'", same("x"), "'"), 96 << 20},
		{"a name to be escaped", fill("[('", same("\x01"), "','b')]"), 96 << 20},
		{"many dimensions", fill("('b',(", same("0,"), "))"), 96 << 20},
		{"many brackets", fill("", same("["), ""), 96 << 20},
		{"blanks", fill("", same(" "), "'b'"), 96 << 20},
	}
	for _, tt := range tests {
		before := hostile.Allocated()
		h, err := npy.ReadHeader(bytes.NewReader(tt.file), -1, npy.Limits{})
		used := hostile.Allocated() - before
		if used > tt.most {
			t.Errorf("%s: %d bytes allocated (%d fields, %v)", tt.name, used, len(h.DType.Fields()), err)
		}
		t.Logf("%s: %d KiB", tt.name, used>>10)
	}
}
