package kernel

import (
	"bytes"
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
				for _, cols := range []int{1, 2, 3, 5, 8, 9, 13, 16, 17, 25, 31, 64, 65} {
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

// TestBeyondRows: tiles that read beyond the end of each row read nothing beyond the source: blocks whose rows of the
// destination follow each other, or are apart, with rows of padding or without, and several jobs.
func TestBeyondRows(t *testing.T) {
	const most = 1 << 18
	from, to := mapping(t, most), mapping(t, most)
	noise(from[os.Getpagesize() : len(from)-os.Getpagesize()])
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, c := range []struct{ size, cols int }{{1, 9}, {1, 15}, {2, 5}, {2, 13}, {4, 3}, {4, 7}, {4, 13}, {8, 3}, {8, 7}, {16, 3}} {
			for _, rows := range []int{1, 33, 64, 65, 128, 300} {
				for _, jobs := range []int{1, 3} {
					for _, pitch := range []int{rows * c.size * jobs, rows*c.size*jobs + 3, (rows*c.size*jobs+63)/64*64 + 64} {
						for _, padding := range []bool{false, true} {
							block := rows * c.cols * c.size
							srcRows, _ := spaced(rows, c.cols*c.size, c.cols*c.size)
							dstRows, extent := spaced(c.cols, rows*c.size*jobs, pitch)
							if extent > most || block*jobs > most {
								continue
							}
							if padding {
								srcRows[rows/2] = NoRow
							}
							m := move{src: fenced(t, from, block*jobs, true), dstRows: dstRows, srcRows: srcRows, size: c.size, pad: make([]byte, c.size)}
							for j := range jobs {
								m.jobs = append(m.jobs, Job{j * rows * c.size, j * block})
							}
							dst, want := fenced(t, to, extent, true), make([]byte, extent)
							for _, s := range []Stores{Cached, Streaming} {
								clear(dst)
								clear(want)
								k.NewBlock(srcRows, dstRows, c.size).Run(worker, dst, m.src, m.jobs, m.pad, s)
								k.Fence()
								if m.want(want); !bytes.Equal(want, dst) {
									t.Fatalf("%v, %s: wrong", m, s)
								}
							}
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
	compared(t, k, srcRows, dstRows, size, dst, src)
	k.Copy(dst, src, Streaming)
}

// compared moves a block with both kinds of stores.
func compared(t *testing.T, k *Kernels, srcRows, dstRows []int, size int, dst, src []byte) {
	t.Helper()
	for _, s := range []Stores{Streaming, Cached} {
		k.NewBlock(srcRows, dstRows, size).Run(worker, dst, src, make([]Job, 1), nil, s)
		k.Fence()
		m := move{src: src, dstRows: dstRows, srcRows: srcRows, size: size, jobs: make([]Job, 1)}
		want := make([]byte, len(dst))
		m.want(want)
		if unsafe.String(unsafe.SliceData(want), len(want)) != unsafe.String(unsafe.SliceData(dst), len(dst)) {
			t.Fatalf("%v: wrong", m)
		}
	}
}
