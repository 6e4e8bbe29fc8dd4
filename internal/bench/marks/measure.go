package marks

import (
	"fmt"
	"io"
)

// result is what one row gave. Ratios are to the roof: 1 is the speed of memory.
type result struct {
	row
	Name       string             `json:"row"`
	Bytes      int                `json:"bytes"` // read and written, padding too
	Roof       string             `json:"roof"`  // the fastest copy
	RoofGBPerS float64            `json:"roof_gb_per_s"`
	Tlayout    float64            `json:"tlayout"`
	Threads    float64            `json:"two_threads,omitempty"` // how many times as fast as one; 0 if not measured
	Peers      map[string]float64 `json:"peers,omitempty"`
}

// behind is how much longer tlayout takes than oneDNN, 0.1 for a tenth; 0 where it does not, or where there is none.
func (r result) behind() float64 {
	theirs, ok := r.Peers[oneDNN]
	if !ok || r.Tlayout >= theirs {
		return 0
	}
	return theirs/r.Tlayout - 1
}

// measureRows measures all rows and prints them as they come.
func measureRows(out, progress io.Writer, rows []row, o options) error {
	peers, err := startPeers(o.peers)
	if err != nil {
		return err
	}
	defer peers.stop()
	to := out
	if o.json {
		to = progress
	}
	rep := report{Machine: thisMachine(o.date), Peers: peers.versions()}
	rep.printHead(to, peers.names())
	var b buffers
	for _, r := range rows {
		got, err := measure(&b, r, peers, o.samples, !o.odd)
		if err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		rep.Rows = append(rep.Rows, got)
		if got.Tlayout < o.under {
			printRow(to, got, peers.names())
		}
	}
	rep.Summary = summarize(rep.Rows)
	if o.json {
		return rep.printJSON(out)
	}
	return rep.Summary.print(out)
}

// measure has all programs run a row in turn, tlayout with two threads too if it should.
func measure(b *buffers, r row, peers peerSet, samples int, threads bool) (result, error) {
	plan, srcBytes, err := r.plan()
	if err != nil {
		return result{}, err
	}
	dstBytes := plan.Alloc * r.item
	half := (srcBytes + dstBytes) / 2
	b.grow(max(dstBytes, half), max(srcBytes, half))
	dst, src := b.dst[:dstBytes], b.src[:srcBytes]
	if err := check(r, plan, dst, src); err != nil {
		return result{}, err
	}
	programs := []program{roof(b.dst[:half], b.src[:half]), conversion(one, plan, dst, src, 1)}
	if threads {
		programs = append(programs, conversion(two, plan, dst, src, 2))
	}
	seconds, err := inTurn(append(programs, peers.programs(r, half)...), samples)
	if err != nil {
		return result{}, err
	}
	return newResult(r, srcBytes+dstBytes, seconds), nil
}

// newResult makes ratios of the median seconds of all programs.
func newResult(r row, bytes int, seconds map[string]float64) result {
	out := result{row: r, Name: r.String(), Bytes: bytes, Peers: map[string]float64{}}
	var limit float64
	for _, name := range roofs {
		if s, ok := seconds[name]; ok && (limit == 0 || s < limit) {
			out.Roof, limit = name, s
		}
	}
	for _, name := range peerNames {
		if s, ok := seconds[name]; ok {
			out.Peers[name] = limit / s
		}
	}
	out.RoofGBPerS = float64(bytes) / limit / 1e9
	out.Tlayout = limit / seconds[one]
	if s, ok := seconds[two]; ok {
		out.Threads = seconds[one] / s
	}
	return out
}
