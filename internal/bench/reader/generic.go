package reader

import "encoding/binary"

var le = binary.LittleEndian // byte k of a row is byte k of its word, as in the lanes, on every machine

// sums are the lanes as words.
type sums [8]uint64

// genericAdd is Add in plain Go.
func genericAdd(lanes *Lanes, mem []byte, g Grid) {
	var s sums
	for i := range g.N1 {
		at := mem[g.At+i*g.Step1:]
		for j := range g.N0 {
			s.add(at[j*g.Step0:], g.Row)
		}
	}
	s.fold(lanes)
}

// genericAddAt is AddAt in plain Go.
func genericAddAt(lanes *Lanes, mem []byte, p RowList) {
	var s sums
	for i := range p.N {
		at := mem[p.At+i*p.Step:]
		for _, offset := range p.Offsets {
			s.add(at[offset:], p.Row)
		}
	}
	s.fold(lanes)
}

// add xors a row. Unrolled, a row of 64 bytes takes half the time.
func (s *sums) add(mem []byte, row int) {
	switch row {
	case 1:
		s[0] ^= uint64(mem[0])
	case 2:
		s[0] ^= uint64(le.Uint16(mem))
	case 4:
		s[0] ^= uint64(le.Uint32(mem))
	case 64:
		line := (*[64]byte)(mem)
		s[0] ^= le.Uint64(line[0:])
		s[1] ^= le.Uint64(line[8:])
		s[2] ^= le.Uint64(line[16:])
		s[3] ^= le.Uint64(line[24:])
		s[4] ^= le.Uint64(line[32:])
		s[5] ^= le.Uint64(line[40:])
		s[6] ^= le.Uint64(line[48:])
		s[7] ^= le.Uint64(line[56:])
	default:
		for k := 0; k < row/8; k++ {
			s[k] ^= le.Uint64(mem[8*k:])
		}
	}
}

func (s *sums) fold(lanes *Lanes) {
	for k, sum := range s {
		lane := lanes[8*k:]
		le.PutUint64(lane, le.Uint64(lane)^sum)
	}
}

// genericLoad is Load in plain Go. Its result is unused, but without inlining the compiler cannot drop the loads.
//
//go:noinline
func genericLoad(mem []byte) (all uint64) {
	var words [4]uint64
	for ; len(mem) >= 32; mem = mem[32:] {
		words[0] |= le.Uint64(mem)
		words[1] |= le.Uint64(mem[8:])
		words[2] |= le.Uint64(mem[16:])
		words[3] |= le.Uint64(mem[24:])
	}
	return words[0] | words[1] | words[2] | words[3]
}
