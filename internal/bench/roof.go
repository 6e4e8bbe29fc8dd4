package bench

import (
	"cmp"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// What the roofs are measured on where the machine does not tell its caches, and the most that is taken for them: past
// the last cache, which many share where it claims more, and within what can be had.
const (
	usualL1, usualL2, usualL3 = 32 << 10, 1 << 20, 8 << 20
	mostRoof                  = 256 << 20
)

// The roofs that rows are measured against: reading as many bytes as the tensor has, and copying as many.
const (
	tensorRoof     = "tensor"
	conversionRoof = "conversion"
)

// newRoofs are those that a tensor is measured against, in whole lines.
func newRoofs(tensorBytes int) []Roof {
	lines := (tensorBytes + 63) / 64
	return []Roof{{Level: tensorRoof, Bytes: 64 * lines}, {Level: conversionRoof, Bytes: 2 * 64 * lines}}
}

func largest(roofs []Roof) int {
	most := 0
	for _, roof := range roofs {
		most = max(most, roof.Bytes)
	}
	return most
}

// levelRoofs are those of a machine: half of each cache, so that what else is there has room, and more than the last one.
func levelRoofs(m Machine) []Roof {
	l1, l2, l3 := cmp.Or(m.L1, usualL1), cmp.Or(m.L2, usualL2), cmp.Or(m.L3, usualL3)
	most := mostRoof
	if m.Memory > 0 {
		most = int(min(int64(most), m.Memory/8)) / 64 * 64
	}
	return []Roof{
		{Level: "l1", Bytes: l1 / 2},
		{Level: "l2", Bytes: l2 / 2},
		{Level: "l3", Bytes: min(max(l3/2, l2), 16*l2, most)},
		{Level: "memory", Bytes: min(4*l3, most)},
	}
}

// streamFrom is the number of bytes read and written from which a streaming copy may be faster.
const streamFrom = 32 << 20

// roofPrograms read and copy memory as fast as one thread can. A copy reads one half and writes the other.
func roofPrograms(roofs []Roof, r reader.Reader, k *kernel.Kernels) []*program {
	mem := memory(largest(roofs))
	for i := range mem {
		mem[i] = byte(i) // pages that were never written are one page that all share
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
