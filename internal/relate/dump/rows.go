package dump

import (
	"math"
	"slices"
)

// rows is a view as rows of pitch elements, the last of which ends with the bytes.
type rows struct {
	*view
	pitch, channels int
	first           int     // element
	n               int     // rows
	step            float64 // mean difference of a row to the next one
}

// shapes completes a guess that has a type and channels, with each pitch that rows may have.
func (v *view) shapes(g Shape) (all []Shape) {
	found := v.pitches(g.Channels)
	for i, c := range found[:min(len(found), 2)] {
		pitch := c.lag
		r := &rows{view: v, pitch: pitch, channels: g.Channels, n: v.n / pitch, first: v.n % pitch, step: v.near(pitch)}
		near := r.step / r.far(pitch)
		switch {
		case near > smooth, r.step > 0.85*r.near(8*pitch), r.sounds():
			continue
		case !r.hasLevels() && v.changes(g.Channels)+v.changes(pitch) > maxChanges:
			continue
		}
		g := g
		g.Score -= near * v.cost
		g.Score = (1 + g.Score) / 2
		if i > 0 {
			g.Score *= 0.9 * found[0].cost / c.cost
		}
		header := r.header()
		r.first = r.first + header*pitch
		r.n = r.n - header
		g.Pitch = pitch * v.size
		g.Skip = v.before + r.first*v.size
		g.Width = min((pitch-r.padding()+g.Channels-1)/g.Channels, pitch/g.Channels)
		g.Frames = 1
		g.Planes = 1
		g.Height = r.n
		if !r.chroma(&g) {
			r.planes(&g)
		}
		if g.Width >= minWidth && g.Height >= minHeight && g.Score >= minScore {
			all = append(all, g)
		}
	}
	return all
}

// sounds reports whether neighbors are equally alike in all columns, and from the end of a row to the next one, as in sounds. Rows of pictures begin
// elsewhere than they end, and show something in the middle.
func (r *rows) sounds() bool {
	const enough = 30 // rows
	if r.channels > 2 || r.n < enough {
		return false
	}
	ratio := r.wraps(r.pitch, r.channels) / (r.near(r.channels) + 1e-9)
	if ratio < 0.7 || ratio > 1.3 {
		return false
	}
	const columns = 5 // that are compared
	least := math.Inf(1)
	most := 0.0
	for k := range columns {
		step := r.stepBefore(r.pitch, r.channels, k*r.pitch/columns)
		least = min(least, step)
		most = max(most, step)
	}
	return most < 1.8*least
}

// hasLevels reports whether few values fill areas, as in masks and labels.
func (r *rows) hasLevels() bool {
	values := map[float32]bool{}
	for _, i := range r.at {
		values[r.value(i)] = true
		if len(values) > maxLevels {
			return false
		}
	}
	return r.near(r.channels) < 0.25*r.far(r.channels) && r.step < 0.25*r.far(r.pitch)
}

// jump returns the mean difference of a row to the next one, of which an edge across a part of the row is only a part.
func (r *rows) jump(y int) float64 { return r.differs(y, 4*r.step) }

// differs returns the mean difference of a row to the next one, each at most a limit.
func (r *rows) differs(y int, limit float64) float64 {
	sum := 0.0
	n := 0
	start := r.first + y*r.pitch
	for x := 0; x < r.pitch; x += 1 + r.pitch/128 {
		sum += min(r.apart(start+x, start+x+r.pitch), limit)
		n++
	}
	return sum / float64(n)
}

// breaks returns how much a row differs from the next one, compared with the rows around them.
func (r *rows) breaks(y int) float64 {
	sum := 0.0
	n := 0
	for at := max(y-3, 0); at <= min(y+3, r.n-2); at++ {
		if at != y {
			sum += r.jump(at)
			n++
		}
	}
	return r.jump(y) / (sum/float64(n) + 0.002)
}

// header returns how many whole rows come before the tensor: those at the start that are as different from the next one as from any, or zeros
// that follow. A header that divides the rows does not show.
func (r *rows) header() int {
	most := min((maxHeader/r.size-r.first)/r.pitch, r.n/4)
	if r.first == 0 || most < 1 {
		return 0
	}
	n := 0
	limit := 0.4 * r.far(r.pitch)
	for y := most; y < min(most+minHeight, r.n-1); y++ {
		limit = max(limit, 1.2*r.differs(y, 1))
	}
	for n < most && (r.differs(n, 1) > limit || r.zeros(n)) {
		n++
	}
	if r.channels > 1 {
		return n
	}
	for m := n; m <= most; m++ {
		if rest := (&rows{r.view, r.pitch, 1, r.first + m*r.pitch, r.n - m, r.step}); rest.n%3 == 0 && rest.broken(3) && rest.alike(3, every) < 0.6 {
			return m
		}
	}
	return n
}

// zeros reports whether a row is all zeros.
func (r *rows) zeros(y int) bool {
	start := (r.first + y*r.pitch) * r.size
	return !slices.ContainsFunc(r.data[start:start+r.pitch*r.size], func(b byte) bool { return b != 0 })
}

// padding returns how many elements at the end of every row hold the same value, if alignment explains them.
func (r *rows) padding() int {
	align := r.pitch * r.size & -(r.pitch * r.size)
	last := r.first + r.pitch - 1
	constant := func(x int) bool {
		for range 200 {
			if r.value(r.first+r.rand.IntN(r.n)*r.pitch+x) != r.value(last) {
				return false
			}
		}
		return true
	}
	n := 0
	for n < r.pitch && constant(r.pitch-1-n) {
		n++
	}
	if n*r.size >= align || constant(0) {
		return 0
	}
	return n
}

// planes divides the rows into planes and frames: into as many as have a break after each, or as change alike from place to place.
func (r *rows) planes(g *Shape) {
	most := 1
	for k := 2; k <= r.n/minHeight; k++ {
		if r.n%k == 0 && r.parts(k) {
			most = k
		}
	}
	g.Height = r.n / most
	g.Frames = most
	if g.Channels > 1 || most%3 != 0 {
		return
	}
	if most == 3 || r.alike(most, inTriple) < 0.9*r.alike(most, func(i int) bool { return i%3 == 2 }) {
		g.Frames = most / 3
		g.Planes = 3
	}
}

// Choices of parts: all, and those whose next one is of the same frame.
func every(int) bool      { return true }
func inTriple(i int) bool { return i%3 < 2 }

// parts reports whether k equal parts of the rows are planes or frames.
func (r *rows) parts(k int) bool {
	switch {
	case r.broken(k):
		return true
	case r.continues(k):
		return false
	case k == 3:
		return r.alike(k, every) < 0.55
	case k <= 4:
		return r.alike(k, every) < 0.45
	}
	return k%3 == 0 && k < 64 && r.alike(k, inTriple) < 0.45
}

// continues reports whether k equal parts of the rows continue each other, as those of one picture do.
func (r *rows) continues(k int) bool {
	sum := 0.0
	for i := 1; i < k; i++ {
		sum += r.breaks(i*r.n/k - 1)
	}
	return sum < 1.3*float64(k-1)
}

// broken reports whether k equal parts of the rows end in breaks.
func (r *rows) broken(k int) bool {
	found := 0
	tried := 0
	for i := 1; i < k; i += 1 + k/64 {
		tried++
		if b := r.breaks(i*r.n/k - 1); b > 2 && k > 2 || b > 3 {
			found++
		}
	}
	return found*4 >= tried*3
}

// alike returns how differently k parts change from place to place, those that are chosen and the next ones: 0.7 if they are independent.
func (r *rows) alike(k int, chosen func(part int) bool) float64 {
	part := r.n / k * r.pitch
	lag := min(6, r.n/k/2) * r.pitch
	differ := 0.0
	sum := 1e-9
	for _, i := range r.at {
		if i < r.first || i+part+lag >= r.view.n || !chosen((i-r.first)/part) {
			continue
		}
		a, b := float64(r.value(i)-r.value(i+lag)), float64(r.value(i+part)-r.value(i+part+lag))
		differ = differ + math.Abs(a-b)
		sum = sum + math.Abs(a) + math.Abs(b)
	}
	return differ / sum
}

// chroma recognizes frames in YUV 4:2:0: after H rows of luma, H/2 rows of chroma, as pairs or as two planes of half as wide rows.
func (r *rows) chroma(g *Shape) bool {
	if g.Channels > 2 || g.Width*g.Channels != r.pitch || r.pitch%2 != 0 || g.DType != "uint8" && g.DType != "uint16" {
		return false
	}
	best := 1.5
	for k := 1; k <= r.n/(3*minHeight); k++ {
		if r.n%(3*k) != 0 || r.breaks(r.n/k*2/3-1) < 2 {
			continue
		}
		frame := r.n / k
		luma := func(i int) bool { return i >= r.first && (i-r.first)/r.pitch%frame < frame*2/3 }
		color := func(i int) bool { return i >= r.first && (i-r.first)/r.pitch%frame >= frame*2/3 }
		half := r.pitch / 2
		name := "nv12"
		x := min(r.nearIn(1, color)/r.nearIn(2, color), 1.6*r.nearIn(2, luma)/r.nearIn(1, luma))
		if y := min(r.nearIn(half+half/2, color)/r.nearIn(half, color), r.nearIn(half, luma)/r.nearIn(r.pitch, luma)); r.nearIn(1, color) < r.nearIn(2, color) {
			x = y
			name = "i420"
		}
		if x > best && !math.IsInf(x, 0) {
			best = x
			g.Chroma = name
			g.Frames = k
			g.Height = frame * 2 / 3
		}
	}
	if g.Chroma != "" {
		g.Width = r.pitch
		g.Channels = 1
		g.Score = 1 - (1-g.Score)/1.3
	}
	return g.Chroma != ""
}
