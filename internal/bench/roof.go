package bench

import (
	"cmp"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Cache sizes to assume if they are unknown, and the maximum size of a roof: a last-level cache that claims more is shared
// by many cores.
const (
	defaultL1, defaultL2, defaultL3 = 32 << 10, 1 << 20, 8 << 20
	maxRoof                         = 256 << 20
)

// The roofs of rows: reading as many bytes as the tensor has, and copying as many.
const (
	tensorRoof     = "tensor"
	conversionRoof = "conversion"
)

// newRoofs are the roofs for a tensor, in whole cache lines.
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

// levelRoofs are the roofs of a machine: half of each cache, which leaves room for other data, and more than the last one.
func levelRoofs(m Machine) []Roof {
	l1, l2, l3 := cmp.Or(m.L1, defaultL1), cmp.Or(m.L2, defaultL2), cmp.Or(m.L3, defaultL3)
	limit := maxRoof
	if m.Memory > 0 {
		limit = int(min(int64(limit), m.Memory/8)) / tensor.CacheLine * tensor.CacheLine
	}
	return []Roof{
		{Level: "l1", Bytes: l1 / 2},
		{Level: "l2", Bytes: l2 / 2},
		{Level: "l3", Bytes: min(max(l3/2, l2), 16*l2, limit)},
		{Level: "memory", Bytes: min(4*l3, limit)},
	}
}

// streamFrom is the number of bytes read and written from which a streaming copy may be faster.
const streamFrom = 32 << 20

// roofPrograms read and copy memory as fast as one thread can. A copy reads one half of the memory and writes the other.
func roofPrograms(roofs []Roof, r reader.Reader, k *kernel.Kernels) []*program {
	mem := memory(largest(roofs))
	for i := range mem {
		mem[i] = byte(i) // pages never written all map to one zero page
	}
	var programs []*program
	for i := range roofs {
		roof := &roofs[i]
		here := mem[:roof.Bytes]
		to, from := here[len(here)/2:], here[:len(here)/2]
		programs = append(programs, &program{roof: roof, speed: &roof.ReadGBps, pass: func() { r.Load(here) }})
		for _, c := range Copies(to, from, k) {
			programs = append(programs, &program{roof: roof, speed: &roof.CopyGBps, pass: c.Run})
		}
	}
	return programs
}

// Copy is one way to copy memory.
type Copy struct {
	Name string
	Run  func()
}

// Copies are the ways to copy src to dst on one thread. The fastest is the roof of conversions.
func Copies(dst, src []byte, k *kernel.Kernels) []Copy {
	copies := []Copy{{"Go's copy", func() { copy(dst, src) }}}
	if len(dst)+len(src) > streamFrom {
		copies = append(copies, Copy{"streaming copy", func() {
			k.Copy(dst, src, kernel.Options{Stream: true})
			k.Fence()
		}})
	}
	return copies
}
