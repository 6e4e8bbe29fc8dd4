package convert

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/random"
)

// TestManyRandomRetypings: conversions between random layouts and sizes of elements, with a channel or none, with kernels of every level, equal
// the plain loop, and write nothing but the elements.
func TestManyRandomRetypings(t *testing.T) {
	eachCase(t, random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 6_000), func(data []byte) func(dice, randomCase) error {
		room := make([]byte, maxBytes+2*besideBytes)
		return func(d dice, c randomCase) error { return c.checkRetyping(d, data, room) }
	})
}

// mix is a Caster for elements of sizes in bytes: each byte of a result depends on a byte of the source, on the channel, and on its place.
type mix struct{ dst, src int }

func (m mix) one(dst, src []byte, channel int) {
	for k := range dst {
		dst[k] = src[k%len(src)] + byte(17*channel+k)
	}
}

func (m mix) Run(dst, src []byte, channel int) {
	for i := range len(dst) / m.dst {
		m.one(dst[i*m.dst:(i+1)*m.dst], src[i*m.src:(i+1)*m.src], channel)
	}
}

func (m mix) Mixed(dst, src []byte, base int, channels []int) {
	for i, channel := range channels {
		m.one(dst[i*m.dst:(i+1)*m.dst], src[i*m.src:(i+1)*m.src], base+channel)
	}
}

// checkRetyping runs one conversion.
func (c randomCase) checkRetyping(d dice, data, room []byte) error {
	m := mix{dst: oneOf(d, []int{1, 2, 4, 8}), src: oneOf(d, []int{1, 2, 4, 8})}
	if c.dst.Alloc()*m.dst > maxBytes || c.src.Alloc()*m.src > maxBytes {
		return nil
	}
	channelDim := d.from(-1, c.dst.Rank()-1)
	r, err := NewRetyping(c.dst, c.src, m.dst, m.src, channelDim)
	if err != nil {
		if strings.Contains(err.Error(), "no small common ") {
			return nil
		}
		return err
	}
	src := data[:c.src.Alloc()*m.src]
	room = room[:c.dst.Alloc()*m.dst+2*besideBytes]
	repeat(room, []byte{untouched})
	want := bytes.Clone(room)
	to := addresses(c.dst, c.names)
	channels := make([]int, len(to))
	if channelDim >= 0 {
		channels = addresses(must(channelsOf(c.dst, channelDim)), c.names)
	}
	for k, at := range addresses(c.src, c.names) {
		element := want[besideBytes+to[k]*m.dst:][:m.dst]
		m.one(element, src[at*m.src:(at+1)*m.src], channels[k])
	}
	o := Options{Kernels: oneOf(d, kernel.Available()), Threads: d.from(1, 2), Guard: caught, tile: oneOf(d, []int{0, 4096, len(want)/d.from(1, 32) + 1})}
	dst := room[besideBytes : len(room)-besideBytes]
	about := fmt.Sprintf("%d to %d bytes, channels of dim %d, with %s, %d threads, tiles of %d", m.src, m.dst, channelDim, o.Kernels.Level, o.Threads, o.tile)
	if err := r.Run(dst, src, m, o); err != nil {
		return fmt.Errorf("%s: %w", about, err)
	}
	if !bytes.Equal(room, want) {
		at := 0
		for room[at] == want[at] {
			at++
		}
		return fmt.Errorf("%s: byte %d is %d, want %d", about, at-besideBytes, room[at], want[at])
	}
	return nil
}
