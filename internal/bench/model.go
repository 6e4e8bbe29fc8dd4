package bench

import (
	"runtime"
	"sync"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

// exactElems is the maximum number of elements for an exact simulation.
const exactElems = 1 << 26

// sampledPart is the sampling rate for larger tensors: one line in sampledPart is simulated.
const sampledPart = 8

// models simulates the walks of the subject; the result is by row key.
func (s Subject) models(g cachesim.Geometry) (map[string]*Model, error) {
	models := map[string]*Model{}
	var all sync.WaitGroup
	free := make(chan bool, runtime.GOMAXPROCS(0)) // bounds memory: a large cache has a large model
	for _, r := range s.rows() {
		if !r.Pattern.Walk() {
			continue
		}
		l := s.layout(r.Layout)
		walk, err := newNest(r.Pattern, l.Layout, s.DType.ItemSize())
		if err != nil {
			return nil, err
		}
		m := &Model{}
		models[r.Key()] = m
		all.Go(func() {
			free <- true
			*m = newModel(walk, l.Numel(), g)
			<-free
		})
	}
	all.Wait()
	return models, nil
}

func (s Subject) layout(name string) Layout {
	for _, l := range s.Layouts {
		if l.Name == name {
			return l
		}
	}
	panic("no layout " + name)
}

// newModel simulates a walk over elems elements.
func newModel(walk nest, elems int, g cachesim.Geometry) Model {
	if elems > exactElems {
		return simulated(cachesim.NewSample(g, sampledPart), walk, elems, g)
	}
	return simulated(cachesim.New(g), walk, elems, g)
}

// simulated runs a walk through the caches.
func simulated(sim *cachesim.Sim, walk nest, elems int, g cachesim.Geometry) Model {
	walk.rows(sim.Read)
	return perElem(sim, elems, g)
}

// perElem divides the counts by the elements.
func perElem(sim *cachesim.Sim, elems int, g cachesim.Geometry) Model {
	c := sim.Counts()
	each := func(count int) float64 { return float64(count) / float64(elems) }
	m := Model{TouchesPerElem: each(c.Touches), LinesPerElem: each(c.Misses[0]), PagesPerElem: each(c.Pages),
		BytesUsed: float64(c.Bytes) / (float64(c.Misses[0]) * float64(g.Levels[0].Line)), MissPerElem: map[string]float64{}, Error: c.Error}
	for i, level := range g.Levels {
		m.MissPerElem[level.Name] = each(c.Misses[i])
	}
	return m
}
