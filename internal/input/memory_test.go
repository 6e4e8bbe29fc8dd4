package input

import (
	"io"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestHeldText: a text reads the same from memory and from a temporary file.
func TestHeldText(t *testing.T) {
	for _, n := range []int{1, 4, smallCopy, smallCopy + 1} {
		text := strings.Repeat("abcdefg", n/7+1)[:n]
		b, err := Text("x", text)
		if err != nil {
			t.Fatal(err)
		}
		if _, inMemory := b.(*memory); inMemory != (n <= smallCopy) || b.Size() != int64(n) {
			t.Errorf("%d bytes: %d, in memory: %v", n, b.Size(), inMemory)
		}
		err = b.Guard(func() error {
			for _, from := range []int{0, n / 2, n} {
				part, err := b.Range(int64(from), int64(n-from))
				if err != nil || string(part) != text[from:] {
					t.Errorf("%d bytes, from %d: %d, %v", n, from, len(part), err)
				}
				p := make([]byte, n-from)
				if err := ReadFull(b, p, int64(from)); err != nil || string(p) != text[from:] {
					t.Errorf("%d bytes, from %d: fill %v", n, from, err)
				}
				more := make([]byte, n-from+1)
				if k, err := b.ReadAt(more, int64(from)); err != io.EOF || string(more[:k]) != text[from:] {
					t.Errorf("%d bytes, from %d: %d, %v", n, from, k, err)
				}
			}
			if _, err := b.Range(1, int64(n)); fault.ClassOf(err) != fault.Malformed {
				t.Errorf("%d bytes: %v", n, err)
			}
			return nil
		})
		if err != nil || !b.Resident(0) {
			t.Error(n, err)
		}
		b.Fetch(0, int64(n))
		b.Forget(0, int64(n))
		b.Release(0, int64(n))
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}
