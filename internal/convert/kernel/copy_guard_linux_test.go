package kernel

import (
	"bytes"
	"testing"
)

// TestWaysBounds: no way to copy reads around the source or writes around the destination, or it faults.
func TestWaysBounds(t *testing.T) {
	const largest = 6 * round
	from, to := mapping(t, largest), mapping(t, largest)
	noise(fenced(t, from, largest, false))
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range copySizes() {
			for _, ends := range [][2]bool{{false, false}, {true, true}, {false, true}, {true, false}} {
				for _, way := range every(k) {
					dst, src := fenced(t, to, size, ends[0]), fenced(t, from, size, ends[1])
					clear(dst)
					if way.Run(dst, src); !bytes.Equal(dst, src) {
						t.Fatalf("%s, %d bytes: wrong", way.Name, size)
					}
				}
			}
		}
	})
}
