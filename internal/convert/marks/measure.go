package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// repeatFor is how long one sample lasts at least: shorter ones measure what the last program left in the caches.
const repeatFor = 20 * time.Millisecond

// buffers are the memory that all rows share, touched before anything is measured.
type buffers struct{ dst, src []byte }

func (b *buffers) grow(dst, src int) {
	if len(b.dst) < dst {
		b.dst = touched(dst)
	}
	if len(b.src) < src {
		b.src = touched(src)
	}
}

func touched(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

// result is what one row gave: times per conversion, medians.
type result struct {
	row
	bytes        int // read and written
	ratio        float64
	gbPerS       float64
	memcpyGBPerS float64
	twoThreads   float64 // times as fast as one
	peers        map[string]float64
}

func measureAll(w io.Writer, rows []row, peersDir string, samples int) error {
	peers, err := startPeers(peersDir)
	if err != nil {
		return err
	}
	defer peers.stop()
	fmt.Fprintf(w, "kernels %s, %d cores, %s\n\n", kernel.Best().Level, runtime.NumCPU(), peers.versions())
	fmt.Fprintf(w, "| row | memcpy GB/s | tlayout | threads |%s\n|---|---|---|---|%s\n", peers.header(), peers.rule())
	var b buffers
	var ratios []float64
	for _, r := range rows {
		got, err := measure(&b, r, peers, samples)
		if err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		ratios = append(ratios, got.ratio)
		fmt.Fprintf(w, "| %s | %.1f | %.2f | %.2f |%s\n", r, got.memcpyGBPerS, got.ratio, got.twoThreads, peers.cells(got))
	}
	slices.Sort(ratios)
	_, err = fmt.Fprintf(w, "\n%d rows: median %.2f of memcpy, least %.2f\n", len(ratios), median(ratios), ratios[0])
	return err
}

func measure(b *buffers, r row, peers peerSet, samples int) (result, error) {
	plan, srcBytes, err := r.plan()
	if err != nil {
		return result{}, err
	}
	dstBytes := plan.Alloc * r.item
	half := (srcBytes + dstBytes) / 2
	b.grow(max(dstBytes, half), max(srcBytes, half))
	pad := make([]byte, r.item)
	run := func(threads int) func() {
		return func() { plan.Run(b.dst[:dstBytes], b.src[:srcBytes], pad, convert.Options{Threads: threads}) }
	}
	if err := check(r, plan, b.dst[:dstBytes], b.src[:srcBytes], run(1)); err != nil {
		return result{}, err
	}
	copies := func() { copy(b.dst[:half], b.src[:half]) }
	if half > 64<<20 {
		copies = func() {
			kernel.Best().Copy(b.dst[:half], b.src[:half], kernel.Options{Stream: true})
			kernel.Best().Fence()
		}
	}
	out := result{row: r, bytes: srcBytes + dstBytes, peers: map[string]float64{}}
	var memcpy, one, two []float64
	others := map[string][]float64{}
	for range samples {
		memcpy = append(memcpy, timed(copies))
		one = append(one, timed(run(1)))
		two = append(two, timed(run(2)))
		for name, s := range peers.sample(r) {
			others[name] = append(others[name], s)
		}
	}
	roof := median(memcpy)
	out.ratio, out.twoThreads = roof/median(one), median(one)/median(two)
	out.memcpyGBPerS = float64(out.bytes) / roof / 1e9
	for name, s := range others {
		out.peers[name] = roof / median(s)
	}
	return out, nil
}

// timed is how many seconds f takes, the mean of as many calls as fill repeatFor.
func timed(f func()) float64 {
	start := time.Now()
	for n := 1; ; n++ {
		f()
		if d := time.Since(start); d >= repeatFor {
			return d.Seconds() / float64(n)
		}
	}
}

func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// check runs the conversion once and compares some thousand elements with their own addresses, so that no figure is that
// of work left out.
func check(r row, p *convert.Plan, dst, src []byte, run func()) error {
	for i := range dst {
		dst[i] = 0xEE
	}
	run()
	from, err := bind(r.from, r.shape)
	if err != nil {
		return err
	}
	to, err := bind(r.to, r.shape)
	if err != nil {
		return err
	}
	for k := range 5000 {
		at := k * 7919
		var coord [4]int
		for i := 3; i >= 0; i-- {
			coord[i] = at % r.shape[i]
			at /= r.shape[i]
		}
		coord[0] = k % r.shape[0]
		s, d := from.At(coord[:]...)*r.item, to.At(coord[:]...)*r.item
		if string(src[s:s+r.item]) != string(dst[d:d+r.item]) {
			return fmt.Errorf("element %v is wrong", coord)
		}
	}
	return nil
}
