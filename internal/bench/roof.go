package bench

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Cache sizes to assume if they are unknown, and the maximum size of a roof: a larger last-level cache is shared by many cores.
const (
	defaultL1, defaultL2, defaultL3 = 32 << 10, 1 << 20, 8 << 20
	maxRoof                         = 256 << 20
)

// The roofs of rows: reading as many bytes as the tensor has, and copying as many.
const (
	tensorRoof     = "tensor"
	conversionRoof = "conversion"
)

// newRoofs returns the roofs for a tensor, in whole cache lines.
func newRoofs(tensorBytes int) []Roof {
	bytes := ints.CeilDiv(tensorBytes, tensor.CacheLine) * tensor.CacheLine
	return []Roof{{Level: tensorRoof, Bytes: bytes}, {Level: conversionRoof, Bytes: 2 * bytes}}
}

func largest(roofs []Roof) int {
	bytes := 0
	for _, roof := range roofs {
		bytes = max(bytes, roof.Bytes)
	}
	return bytes
}

// levelRoofs returns the roofs of a machine: half of each cache, so that other data fits too, and more than the last one.
func levelRoofs(m Machine) []Roof {
	l1 := cmp.Or(m.L1, defaultL1)
	l2 := cmp.Or(m.L2, defaultL2)
	l3 := cmp.Or(m.L3, defaultL3)
	limit := maxRoof
	if m.Memory > 0 {
		limit = int(min(int64(limit), m.Memory/8)) / tensor.CacheLine * tensor.CacheLine
	}
	return []Roof{
		{Level: "l1", Bytes: l1 / 2},
		{Level: "l2", Bytes: l2 / 2},
		{Level: "l3", Bytes: min(max(l3/2, l2), 16*l2, limit)},
		{Level: "memory", Bytes: 4 * min(l3, limit/4)}, // four times 512 MiB overflows a 32-bit int
	}
}

// roofPrograms read and copy memory in every way, on one thread. A copy reads one half of the memory and writes the other.
func roofPrograms(roofs []Roof, r reader.Reader, k *kernel.Kernels) []*program {
	mem := memory(largest(roofs))
	noise(mem, 0) // pages never written all map to one zero page, and some processors copy lines of zeros faster
	var programs []*program
	for i := range roofs {
		roof := &roofs[i]
		here := mem[:roof.Bytes]
		to := here[len(here)/2:]
		from := here[:len(here)/2]
		add := func(kind roofKind, way string, pass func()) {
			programs = append(programs, &program{roof: roof, kind: kind, way: way, pass: pass})
		}
		for _, way := range r.Ways(len(here)) {
			add(reading, way.Name, func() { way.Run(here) })
		}
		for _, c := range Copies(to, from, k) {
			add(copying, c.Name, c.Run)
		}
	}
	return programs
}

// roofKind is the operation of a roof.
type roofKind int

const (
	reading roofKind = iota
	copying
)

// set records a bandwidth in GB/s if it is the highest of its kind.
func (roof *Roof) set(kind roofKind, way string, gbps float64) {
	rate := &roof.ReadGBps
	by := &roof.ReadBy
	if kind == copying {
		rate = &roof.CopyGBps
		by = &roof.CopyBy
	}
	if gbps > *rate {
		*rate = gbps
		*by = way
	}
}

// Copy is one way to copy memory.
type Copy struct {
	Name string
	Run  func()
}

// Copies returns the ways to copy src to dst, of equal length, on one thread. The fastest is the roof of conversions:
//
//	go       Go's copy
//	pieces   Go's copy of 256 KiB at a time, which it copies through the caches
//
// and the ways of kernel.Ways.
func Copies(dst, src []byte, k *kernel.Kernels) []Copy {
	copies := []Copy{{"go", func() { copy(dst, src) }}}
	if len(src) > kernel.CopyPiece {
		copies = append(copies, Copy{"pieces", func() { k.Copy(dst, src, kernel.Cached) }})
	}
	for _, way := range k.Ways(len(src)) {
		copies = append(copies, Copy{way.Name, func() { way.Run(dst, src) }})
	}
	return copies
}

// Of several equivalent ways, only some are measured in every round: at most nearest ways, which took at most nearTime times as long as the
// fastest in a trial.
const (
	nearTime = 1.2
	nearest  = 2
)

// Fastest returns the indices of the times near the shortest, in ascending order of time: the ways that are worth measuring again.
func Fastest(times []float64) []int {
	order := ints.Range(len(times))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	n := 0
	for n < min(nearest, len(order)) && times[order[n]] <= nearTime*times[order[0]] {
		n++
	}
	return order[:n]
}
