package kernel

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fenced is size bytes between two guard pages: they end at the second, or start after the first.
func fenced(t *testing.T, m []byte, size int, atEnd bool) []byte {
	t.Helper()
	page := os.Getpagesize()
	inner := m[page : len(m)-page]
	if atEnd {
		return inner[len(inner)-size:]
	}
	return inner[:size:size]
}

// mapping reserves memory for fenced, with its two guards.
func mapping(t *testing.T, size int) []byte {
	t.Helper()
	page := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, (size+page-1)/page*page+2*page, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(m) })
	for _, guard := range [][]byte{m[:page], m[len(m)-page:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestBounds: kernels read nothing around the source and write nothing around the destination, or they fault.
func TestBounds(t *testing.T) {
	const most = 1 << 16
	from, to := mapping(t, most), mapping(t, most)
	noise(from[os.Getpagesize() : len(from)-os.Getpagesize()])
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{1, 2, 4, 8, 16} {
			for rows := range 75 {
				for _, cols := range []int{1, 2, 3, 5, 8, 16, 17, 31, 64, 65} {
					for _, atEnd := range []bool{false, true} {
						if rows*cols*size <= most {
							total := rows * cols * size
							bounded(t, k, rows, cols, size, fenced(t, to, total, atEnd), fenced(t, from, total, atEnd))
						}
					}
				}
			}
		}
	})
}

func bounded(t *testing.T, k *Kernels, rows, cols, size int, dst, src []byte) {
	t.Helper()
	srcRows, _ := spaced(rows, cols*size, cols*size)
	dstRows, _ := spaced(cols, rows*size, rows*size)
	k.Transpose(dst, dstRows, src, srcRows, size, Options{Staging: staging, Stream: rows%2 == 0})
	k.Interleave(dst, src, srcRows, cols, size, Options{Staging: staging, Stream: rows%2 == 0})
	k.Deinterleave(dst, dstRows, src, rows, size, Options{Staging: staging, Stream: rows%2 == 0})
	k.Copy(dst, src, Options{Stream: true})
	j := job{src: src, dstRows: dstRows, srcRows: srcRows, size: size}
	want := make([]byte, len(dst))
	j.want(want)
	k.Transpose(dst, dstRows, src, srcRows, size, Options{})
	if unsafe.String(unsafe.SliceData(want), len(want)) != unsafe.String(unsafe.SliceData(dst), len(dst)) {
		t.Fatalf("%v: wrong", j)
	}
}
