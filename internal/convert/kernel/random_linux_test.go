package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
)

// TestRandomBlocks: blocks of any rows and columns, at any offsets within the contract of Block, equal the plain loop, write nothing
// beside their destination rows, and touch nothing outside of the source and the destination, which lie between guard pages.
//
// TLAYOUT_TEST_RANDOM_CASES sets how many of each level, TLAYOUT_TEST_RANDOM_SEED which ones.
func TestRandomBlocks(t *testing.T) {
	cases, seed := random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 4_000), random.Seed(t)
	from, to := mapping(t, maxRandom), mapping(t, maxRandom)
	noise(from[os.Getpagesize() : len(from)-os.Getpagesize()])
	pad := []byte("the pad of a test")
	eachLevel(t, func(t *testing.T, k *Kernels) {
		w := new(Worker)
		for n := range cases {
			d := dice{rand.New(rand.NewPCG(seed, uint64(n)))}
			m, dstBytes, srcBytes := d.move()
			if max(dstBytes, srcBytes) > maxRandom {
				continue
			}
			m.pad = pad[:m.size]
			m.src, m.dst = fenced(t, from, srcBytes, d.percent(60)), fenced(t, to, dstBytes, d.percent(60))
			noise(m.dst)
			want := bytes.Clone(m.dst)
			m.want(want)
			b := k.NewBlock(m.srcRows, m.dstRows, m.size)
			err := faulting(func() { b.Run(w, m.dst, m.src, m.jobs, m.pad, m.stores) })
			k.Fence()
			if err == nil && !bytes.Equal(m.dst, want) {
				at := 0
				for m.dst[at] == want[at] {
					at++
				}
				err = fmt.Errorf("byte %d of %d is %d, want %d", at, len(want), m.dst[at], want[at])
			}
			if err != nil {
				t.Fatalf("case %d of seed %d, %v by %s: %v\nsource rows %v\ndestination rows %v", n, seed, m, b.Method(), err, m.srcRows, m.dstRows)
			}
		}
	})
}

// maxRandom bounds the source and the destination of a random block, in bytes.
const maxRandom = 1 << 19

// faulting runs f, and returns a fault of memory, or a panic, as an error.
func faulting(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v\n%s", r, debug.Stack())
		}
	}()
	f()
	return nil
}

// dice draws the parts of a random block.
type dice struct{ *rand.Rand }

func (d dice) percent(p int) bool { return d.IntN(100) < p }

func (d dice) oneOf(list ...int) int { return list[d.IntN(len(list))] }

// count draws a number of rows or columns: mostly few, or about as many as some vectors hold.
func (d dice) count(size int) int {
	if d.percent(50) {
		return 1 + d.IntN(1<<d.IntN(9))
	}
	return max(1, d.oneOf(16, 32, 64, 128, 256)/size*(1+d.IntN(3))+d.oneOf(0, 0, -1, 1, 2))
}

// move draws a block, its stores and its jobs' positions, and the bytes of destination and source that they need.
func (d dice) move() (m move, dstBytes, srcBytes int) {
	m.size, m.stores = d.oneOf(1, 2, 4, 8, 16), Stores(d.IntN(2))
	rows, cols := d.count(m.size), d.count(m.size)
	if d.percent(3) {
		rows, cols = d.oneOf(0, rows), d.oneOf(0, cols)
	}
	row, column, jobs := cols*m.size, rows*m.size, 1+d.IntN(5) // bytes of a source row and of a destination row
	m.srcRows = d.spaced(rows, d.oneOf(row, row, row+m.size, row+d.IntN(200), 64, 1<<11, 1<<12, row/2, 0))
	gap := d.oneOf(0, 0, 0, m.size, d.IntN(100), -column&(cacheLine-1))
	turns := d.oneOf(1, 1, jobs) // jobs that continue the rows of the one before
	m.dstRows = d.spaced(cols, turns*column+gap)
	srcExtent, dstExtent := extent(m.srcRows, row), extent(m.dstRows, turns*column)
	srcStep, dstStep := d.oneOf(srcExtent, row, m.size, srcExtent+d.IntN(100)), dstExtent+d.oneOf(0, gap, d.IntN(100), -dstExtent&(cacheLine-1))
	if turns > 1 {
		dstStep = column
	}
	first := Job{d.oneOf(0, 0, d.IntN(200)), d.oneOf(0, 0, d.IntN(200))}
	for j := range jobs {
		m.jobs = append(m.jobs, Job{first.Dst + j*dstStep, first.Src + j*srcStep})
		dstBytes, srcBytes = max(dstBytes, m.jobs[j].Dst+dstExtent), max(srcBytes, m.jobs[j].Src+srcExtent)
	}
	d.Shuffle(jobs*d.IntN(2), func(i, j int) { m.jobs[i], m.jobs[j] = m.jobs[j], m.jobs[i] })
	if turns > 1 {
		dstBytes = first.Dst + dstExtent
	}
	if d.percent(25) {
		d.remove(m.srcRows)
	}
	if d.percent(15) {
		d.remove(m.dstRows)
	}
	return m, dstBytes + d.oneOf(0, 0, d.IntN(200)), srcBytes + d.oneOf(0, 0, d.IntN(200))
}

// spaced draws rows at equal distances, from the first one on, backwards, in adjacent groups, or in any order.
func (d dice) spaced(n, step int) []int {
	rows, begin := make([]int, n), d.oneOf(0, 0, 0, d.IntN(100))
	for i := range rows {
		rows[i] = begin + i*step
	}
	switch d.IntN(10) {
	case 0:
		slices.Reverse(rows)
	case 1:
		d.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	case 2: // as of two dims in the other order
		for i, high := 0, d.oneOf(2, 3, 4, 8, 16); n%high == 0 && i < n; i++ {
			rows[i] = begin + (i%high*(n/high)+i/high)*step
		}
	}
	return rows
}

// remove makes some rows NoRow: one, every k-th, all from one on, or any.
func (d dice) remove(rows []int) {
	kind, every, from := d.IntN(4), d.oneOf(2, 3, 4, 8, 16), d.IntN(len(rows)+1)
	for i := range rows {
		if kind == 0 && i == from || kind == 1 && i%every == every-1 || kind == 2 && i >= from || kind == 3 && d.percent(30) {
			rows[i] = NoRow
		}
	}
}

// extent returns how many bytes rows of a length span, from 0 on.
func extent(rows []int, length int) (bytes int) {
	for _, at := range rows {
		bytes = max(bytes, at+length)
	}
	return bytes
}
