package bench

import (
	"sync"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/convert"
)

// CopyModel is the cost of a conversion in simulated caches: reading its source, and writing its destination. Each side has its own caches;
// a write fetches its line, as a read does.
type CopyModel struct {
	Source      Model `json:"src"` // reads from the source
	Destination Model `json:"dst"` // writes to the destination
}

// CopyModels compare a plan with the plain loop that it replaces: element by element over the strides, in the destination's order. They are
// deterministic on every machine.
type CopyModels struct {
	Cache string    `json:"cache"`           // geometry of the simulated caches: l1=48K,12,64 …
	Elems int       `json:"simulated_elems"` // elements simulated, from the destination's start
	Loop  CopyModel `json:"loop"`            // a plain loop over the strides
	Plan  CopyModel `json:"plan"`            // the plan, in tiles of half of L2
}

// copyElems is the maximum number of elements to simulate in a copy, which takes about 10 ms. L1 and L2 hold far fewer lines.
const copyElems = 1 << 17

// ModelCopy simulates a conversion from a storage of srcAlloc elements; it returns nil if the plan moves no bytes.
func ModelCopy(p *convert.Plan, srcAlloc int, g cachesim.Geometry) *CopyModels {
	m := &CopyModels{Cache: g.String()}
	var group sync.WaitGroup
	group.Go(func() {
		var loop simulatedCopy
		m.Elems = p.Elementwise(copyElems, loop.over(g))
		m.Loop = loop.model(m.Elems, g)
	})
	group.Go(func() {
		var tiles simulatedCopy
		own := g.Levels[min(1, len(g.Levels)-1)].Size
		m.Plan = tiles.model(p.Tilewise(own, copyElems, tiles.over(g)), g)
	})
	if group.Wait(); m.Elems == 0 || p.ItemSize == 0 {
		return nil
	}
	return m
}

// simulatedCopy has one model of the caches for each side.
type simulatedCopy struct{ src, dst *cachesim.Sim }

func (s *simulatedCopy) over(g cachesim.Geometry) convert.Accesses {
	s.src = cachesim.New(g)
	s.dst = cachesim.New(g)
	return convert.Accesses{Read: s.src.Read, Write: s.dst.Read}
}

func (s *simulatedCopy) model(elems int, g cachesim.Geometry) CopyModel {
	return CopyModel{perElem(s.src, elems, g), perElem(s.dst, elems, g)}
}

// Sum adds up the per-element figures of both sides: lines touched, lines fetched and TLB misses.
func (c CopyModel) Sum() (touched, fetched, pages float64) {
	s, d := c.Source, c.Destination
	return s.TouchesPerElem + d.TouchesPerElem, s.LinesPerElem + d.LinesPerElem, s.PagesPerElem + d.PagesPerElem
}
