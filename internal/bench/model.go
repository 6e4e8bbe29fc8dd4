package bench

import (
	"runtime"
	"sync"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

// exactElems is how many elements a tensor has at most of which every access is simulated.
const exactElems = 1 << 26

// sampledPart is the part of the lines of a larger tensor that is simulated: one in so many.
const sampledPart = 8

// models simulates the walks of the subject, by the keys of their rows.
func (s Subject) models(g cachesim.Geometry) (map[string]*Model, error) {
	models := map[string]*Model{}
	var all sync.WaitGroup
	free := make(chan bool, runtime.GOMAXPROCS(0)) // a model of a large cache takes memory
	for _, r := range s.rows() {
		if !r.Pattern.Walk() {
			continue
		}
		l := s.layout(r.Layout)
		dims, err := r.Pattern.order(l.Layout)
		if err != nil {
			return nil, err
		}
		m := &Model{}
		models[r.Key()] = m
		all.Go(func() {
			free <- true
			*m = newModel(newNest(dims, l.Offset(), s.DType.ItemSize()), l.Numel(), g)
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

// newModel simulates a walk over some elements.
func newModel(walk part, elems int, g cachesim.Geometry) Model {
	if elems > exactElems {
		return simulated(cachesim.NewSample(g, sampledPart), walk, elems, g)
	}
	return simulated(cachesim.New(g), walk, elems, g)
}

// simulated lets a walk run through the caches.
func simulated(sim *cachesim.Sim, walk part, elems int, g cachesim.Geometry) Model {
	walk.rows(sim.Read)
	c := sim.Counts()
	each := func(count int) float64 { return float64(count) / float64(elems) }
	m := Model{TouchesPerElem: each(c.Touches), LinesPerElem: each(c.Misses[0]), PagesPerElem: each(c.Pages),
		BytesUsed: float64(c.Bytes) / (float64(c.Misses[0]) * float64(g.Levels[0].Line)), MissPerElem: map[string]float64{}, Error: c.Error}
	for i, level := range g.Levels {
		m.MissPerElem[level.Name] = each(c.Misses[i])
	}
	return m
}
