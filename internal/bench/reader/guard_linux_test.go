package reader

import (
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns memory between guard pages: reads before it, and from byte readable on, fault.
func guarded(t *testing.T, size int) (mem []byte, readable int) {
	t.Helper()
	page := os.Getpagesize()
	readable = (size + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, readable+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(all) })
	mem = all[page:]
	copy(mem[:readable], noise(readable))
	for _, guard := range [][]byte{all[:page], mem[readable:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return mem, readable
}

// TestAddBounds: Add reads nothing before the first row or after the last one, or it faults.
func TestAddBounds(t *testing.T) {
	mem, readable := guarded(t, 1<<16)
	mem = mem[:readable]
	eachLevel(t, func(t *testing.T, r Reader) {
		grids(func(g Grid) {
			g.At = 0
			for _, at := range []int{0, readable - g.end()} {
				g.At = at
				var lanes Lanes
				if r.Add(&lanes, mem, g); lanes != g.want(Lanes{}, mem) {
					t.Fatalf("%+v: wrong", g)
				}
			}
		})
	})
}

// TestAddAtBounds: AddAt reads nothing before the first row or after the last one, or it faults.
func TestAddAtBounds(t *testing.T) {
	mem, readable := guarded(t, 1<<12)
	mem = mem[:readable]
	eachLevel(t, func(t *testing.T, r Reader) {
		eachList(func(p RowList) {
			if len(p.Offsets) == 0 {
				return
			}
			end := max(0, p.N-1)*p.Step + slices.Max(p.Offsets) + p.Row
			for _, at := range []int{0, readable - end} {
				p.At = at
				var lanes Lanes
				if r.AddAt(&lanes, mem, p); lanes != p.want(Lanes{}, mem) {
					t.Fatalf("%+v: wrong", p)
				}
			}
		})
	})
}

// TestLoadBounds: Load reads nothing outside whole lines, or it faults.
func TestLoadBounds(t *testing.T) {
	mem, readable := guarded(t, 1<<13)
	eachLevel(t, func(t *testing.T, r Reader) {
		for n := range 20 {
			r.Load(mem[:n*64+n])
			r.Load(mem[readable-n*64:][: n*64+n : n*64+n]) // up to 19 bytes that are not a whole line, and fault
		}
	})
}

// TestLoadReads: Load reads all whole lines: any 8 bytes fault if they are the first that can.
func TestLoadReads(t *testing.T) {
	mem, readable := guarded(t, 1<<13)
	eachLevel(t, func(t *testing.T, r Reader) {
		for before := 0; before < 64*20; before += 8 {
			for lines := before/64 + 1; lines < 22; lines++ {
				addr, faulted := fault(func() { r.Load(mem[readable-before:][:lines*64]) })
				if want := uintptr(unsafe.Pointer(&mem[readable])); !faulted || addr != want {
					t.Fatalf("%d lines, byte %d: faulted: %v, at %#x, want %#x", lines, before, faulted, addr, want)
				}
			}
		}
	})
}

// TestWaysBounds: no way to read reads outside whole lines, or it faults.
func TestWaysBounds(t *testing.T) {
	mem, readable := guarded(t, 3*round)
	eachLevel(t, func(t *testing.T, r Reader) {
		for _, size := range []int{0, 1, 63, 64, 65, 600, round - 1, round, round + 65, 2*round - 64, 2 * round, 2*round + 130} {
			for _, way := range r.Ways(size) {
				way.Run(mem[:size])
				way.Run(mem[readable-size/64*64:][:size:size]) // the bytes after whole lines fault
			}
		}
	})
}

// TestLoadPagesReads: a round is read in the order of its definition, all of it: the first 8 bytes of it that can fault do.
//
//	for k in 0…32: for p in 0…4: lines 2k and 2k + 1 of page p
func TestLoadPagesReads(t *testing.T) {
	mem, readable := guarded(t, round)
	var order []int
	for k := range 32 {
		for p := range 4 {
			for b := 0; b < 128; b += 8 {
				order = append(order, p*4096+k*128+b)
			}
		}
	}
	eachLevel(t, func(t *testing.T, r Reader) {
		if !r.vectors {
			t.Skip("it has no such kernel")
		}
		for before := 0; before < round; before += 8 {
			first := order[slices.IndexFunc(order, func(at int) bool { return at >= before })]
			addr, faulted := fault(func() { r.loadPages(unsafe.Slice(&mem[readable-before], round)) })
			if want := uintptr(unsafe.Pointer(&mem[readable])) + uintptr(first-before); !faulted || addr != want {
				t.Fatalf("from byte %d on: faulted: %v, at %#x, want %#x", before, faulted, addr, want)
			}
		}
	})
}

// fault returns the address at which a read faulted.
func fault(read func()) (addr uintptr, faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if err, ok := recover().(interface{ Addr() uintptr }); ok {
			addr, faulted = err.Addr(), true
		}
	}()
	read()
	return 0, false
}
