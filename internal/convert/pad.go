package convert

// maxPad is the longest step, in elements, whose padding is written together with what stands before it.
const maxPad = 64

// padRuns finds out whether all places that no element is copied to stand behind runs of one length in steps of one
// pitch, as in a block of 4 channels of which 3 are there, and notes them in the boxes: then they are written
// together with the elements, and the plan has no gaps any more.
//
//	pitch 4:   |c0 c1 c2 —|c0 c1 c2 —|c0 c1 c2 —|
//
// All boxes begin at a multiple of the pitch, so that no two of them share one: both would write its first place.
func (p *Plan) padRuns() {
	pitches := p.pitches()
	if !p.Gaps || !isItem(p.ItemSize) || len(pitches) < 2 || pitches[len(pitches)-2] > maxPad {
		return
	}
	pitch := pitches[len(pitches)-2]
	pads, covered := make([]int, len(p.Boxes)), 0
	for i, b := range p.Boxes {
		run, turns, ok := b.runs(pitch)
		if !ok {
			return
		}
		pads[i] = pitch - run
		covered += turns * pitch
	}
	if covered != p.Alloc {
		return
	}
	for i := range p.Boxes {
		p.Boxes[i].Pad = pads[i]
	}
	p.Pitch, p.Gaps = pitch, false
}

// runs returns how long the runs of the destination are and how many there are, each at a multiple of pitch. It is not
// ok if they are anything else, or if they are runs of the source too, which are copied whole.
func (b Box) runs(pitch int) (run, turns int, ok bool) {
	run, turns = 1, 1
	for _, l := range b.Loops {
		switch {
		case l.Dst >= pitch:
			turns *= l.N
		case l.Dst == 1 && l.Src != 1 && run == 1:
			run = l.N
		default:
			return 0, 0, false
		}
	}
	return run, turns, b.Dst%pitch == 0
}
