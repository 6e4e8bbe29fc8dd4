package idx

import (
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/array"
	"github.com/tlayout/tlayout/internal/hostile"
)

// TestRules: what breaks the format is malformed, and named; a file of no elements is read, but not recognized.
func TestRules(t *testing.T) {
	for _, c := range []struct{ head, text string }{
		{"\x00\x00\x08\x01\x00\x00\x00\x02ab", ""},
		{"\x00\x00\x08\x01\x00\x00\x00\x00", ""},
		{"\x00\x01\x08\x01\x00\x00\x00\x02ab", "two zeros"},
		{"\x00\x00\x0a\x01\x00\x00\x00\x02ab", "type 0x0a"},
		{"\x00\x00\x08\x00", "0 dims"},
		{"\x00\x00\x08\x02\x00\x00\x00\x02ab", "2 dims in a file of 10 bytes"},
		{"\x00\x00\x08\x01\xff\xff\xff\xffab", "the size of dim 0 is 4294967295"},
		{"\x00\x00\x08\x01\x00\x00\x00\x03ab", "a shape of 3 bytes behind a header of 8, in a file of 10"},
		{"\x00\x00\x08\x01\x00\x00\x00\x01ab", "a shape of 1 bytes"},
	} {
		_, err := Open(c.head, int64(len(c.head)))
		if c.text == "" && err != nil || c.text != "" && !hostile.WantFault(t, c.head, err, fault.Malformed, c.text) {
			t.Errorf("%q: %v", c.head, err)
		}
		if want := c.text == "" && len(c.head) > 8; Recognize(c.head, int64(len(c.head))) != want {
			t.Errorf("%q is recognized: %v", c.head, !want)
		}
	}
}

// FuzzIDX opens any bytes: a clean *fault.Error, or elements that fill the rest of the file.
func FuzzIDX(f *testing.F) {
	f.Add("\x00\x00\x0d\x02\x00\x00\x00\x01\x00\x00\x00\x01abcd")
	f.Fuzz(func(t *testing.T, head string) {
		a, err := Open(head, int64(len(head)))
		if err != nil {
			hostile.CheckError(t, err, 600)
			return
		}
		checkInside(t, a, int64(len(head)))
	})
}

func checkInside(t *testing.T, a *array.Array, size int64) {
	t.Helper()
	if bytes, err := a.Bytes(); err != nil || a.At+bytes != size {
		t.Errorf("%+v: %d bytes of %d, %v", a, bytes, size, err)
	}
}
