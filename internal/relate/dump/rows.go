package dump

import (
	"math"
	"slices"
)

// Thresholds of rows, planes and frames, as ratios of differences: 1 is noise, or no change. They were tuned on generated pictures and
// photographs (TestGuessShape, TestCorpus: 158 of 160 photographs in 16 element types are right), not derived.
const (
	// maxNearRow: a row differs from the next one by less than this, of what it differs from the eighth: rows of one picture change
	// steadily, records of a table are as different from any other.
	maxNearRow = 0.85
	// secondPitch is what a second pitch costs, beside how much worse it is.
	secondPitch = 0.9

	// Of sounds, the step from the end of a row to the next one is a step like any other, and the steps of all columns are alike.
	minWrapOfSound     = 0.7
	maxWrapOfSound     = 1.3
	maxSpreadOfColumns = 1.8
	// maxLevelsNear: in areas of one value, as of masks, neighbors differ in a quarter as many places as elements anywhere.
	maxLevelsNear = 0.25

	// Rows of a header differ from the next one as any rows do, up to minHeaderOfFar, and more than the rows of the picture.
	minHeaderOfFar   = 0.4
	minHeaderOfImage = 1.2

	// A row breaks, at the end of a plane, if it differs from the next one by minBreak of what the rows around it do. Halves of one
	// picture, such as sky and ground, differ too: two parts need minBreakOfTwo.
	minBreak      = 2
	minBreakOfTwo = 3
	// maxContinued is the mean of breaks of parts that continue each other.
	maxContinued = 1.3

	// maxUnlike… are what parts that change alike differ by: independent ones have 0.7. Three are likely, as planes of RGB.
	maxUnlikeOfThree  = 0.55
	maxUnlikeOfFour   = 0.45
	maxUnlikeOfHeader = 0.6 // where breaks say three planes, too
	// planesOfFrames: the planes of a frame are more alike than the last plane of a frame and the first of the next.
	planesOfFrames = 0.9
	// maxParts bounds parts that only change alike: they are too short to be compared.
	maxParts = 64

	// minChroma is how much smoother chroma must be as pairs or half rows than as what luma is; minLumaOfPairs weighs pairs by how smooth
	// luma is one by one. scoreOfChroma is what a format costs that describes more.
	minChroma      = 1.5
	minLumaOfPairs = 1.6
	scoreOfChroma  = 1.3
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
		if near > smooth || !r.showsPicture() {
			continue
		}
		g := g
		g.Score -= near * v.cost
		g.Score = (1 + g.Score) / 2
		if i > 0 {
			g.Score *= secondPitch * found[0].cost / c.cost
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

// showsPicture reports whether rows change as those of pictures do, and not as those of records, sounds, tables and programs.
func (r *rows) showsPicture() bool {
	if r.step > maxNearRow*r.near(8*r.pitch) || r.sounds() {
		return false
	}
	return r.hasLevels() || !(r.changes(r.channels)+r.changes(r.pitch) > maxChanges) // NaN if no elements differ
}

// sounds reports whether neighbors are equally alike in all columns, and from the end of a row to the next one, as in sounds. Rows of pictures begin
// elsewhere than they end, and show something in the middle.
func (r *rows) sounds() bool {
	const enough = 30 // rows
	if r.channels > 2 || r.n < enough {
		return false
	}
	ratio := r.wraps(r.pitch, r.channels) / (r.near(r.channels) + 1e-9)
	if ratio < minWrapOfSound || ratio > maxWrapOfSound {
		return false
	}
	const columns = 5 // that are compared
	lowest := math.Inf(1)
	highest := 0.0
	for k := range columns {
		step := r.stepBefore(r.pitch, r.channels, k*r.pitch/columns)
		lowest = min(lowest, step)
		highest = max(highest, step)
	}
	return highest < maxSpreadOfColumns*lowest
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
	return r.near(r.channels) < maxLevelsNear*r.far(r.channels) && r.step < maxLevelsNear*r.far(r.pitch)
}

// jump returns the mean difference of a row to the next one, of which an edge across a part of the row is only a part.
func (r *rows) jump(y int) float64 { return r.differs(y, 4*r.step) }

// differs returns the mean difference of a row to the next one, each at most a limit.
func (r *rows) differs(y int, limit float64) float64 {
	sum := 0.0
	n := 0
	start := r.first + y*r.pitch
	for x := 0; x < r.pitch; x += 1 + r.pitch/128 {
		sum += min(r.difference(start+x, start+x+r.pitch), limit)
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
	limit := minHeaderOfFar * r.far(r.pitch)
	for y := most; y < min(most+minHeight, r.n-1); y++ {
		limit = max(limit, minHeaderOfImage*r.differs(y, 1))
	}
	for n < most && (r.differs(n, 1) > limit || r.zeros(n)) {
		n++
	}
	if r.channels > 1 {
		return n
	}
	for m := n; m <= most; m++ {
		rest := rows{r.view, r.pitch, 1, r.first + m*r.pitch, r.n - m, r.step}
		if rest.n%3 == 0 && rest.broken(3) && rest.unlikeness(3, every) < maxUnlikeOfHeader {
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
	const sample = 200 // rows
	constant := func(x int) bool {
		for range sample {
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
	if most == 3 || r.unlikeness(most, inTriple) < planesOfFrames*r.unlikeness(most, func(i int) bool { return i%3 == 2 }) {
		g.Frames = most / 3
		g.Planes = 3
	}
}

// Choices of parts: all, and those whose next one is of the same frame.
func every(int) bool      { return true }
func inTriple(i int) bool { return i%3 < 2 }

// parts reports whether k equal parts of the rows are planes or frames.
func (r *rows) parts(k int) bool {
	if r.broken(k) {
		return true
	}
	if r.continues(k) {
		return false
	}
	switch k {
	case 3:
		return r.unlikeness(k, every) < maxUnlikeOfThree
	case 2, 4:
		return r.unlikeness(k, every) < maxUnlikeOfFour
	}
	return k%3 == 0 && k < maxParts && r.unlikeness(k, inTriple) < maxUnlikeOfFour
}

// continues reports whether k equal parts of the rows continue each other, as those of one picture do.
func (r *rows) continues(k int) bool {
	sum := 0.0
	for i := 1; i < k; i++ {
		sum += r.breaks(i*r.n/k - 1)
	}
	return sum < maxContinued*float64(k-1)
}

// broken reports whether k equal parts of the rows end in breaks, three in four of them.
func (r *rows) broken(k int) bool {
	threshold := float64(minBreak)
	if k == 2 {
		threshold = minBreakOfTwo
	}
	found := 0
	tried := 0
	for i := 1; i < k; i += 1 + k/64 {
		tried++
		if r.breaks(i*r.n/k-1) > threshold {
			found++
		}
	}
	return found*4 >= tried*3
}

// unlikeness returns how differently k parts change from place to place, those that are chosen and the next ones: 0.7 if they are independent.
func (r *rows) unlikeness(k int, chosen func(part int) bool) float64 {
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
	if !r.mayBeLuma(g) {
		return false
	}
	best := minChroma
	for k := 1; k <= r.n/(3*minHeight); k++ {
		if r.n%(3*k) != 0 || r.breaks(r.n/k*2/3-1) < minBreak {
			continue
		}
		frame := r.n / k
		name, x := r.chromaOf(frame)
		if x > best && !math.IsInf(x, 0) {
			best = x
			g.Chroma = name
			g.Frames = k
			g.Height = frame * 2 / 3
		}
	}
	if g.Chroma == "" {
		return false
	}
	g.Width = r.pitch
	g.Channels = 1
	g.Score = 1 - (1-g.Score)/scoreOfChroma
	return true
}

// mayBeLuma reports whether a shape may be one of rows of luma with chroma after them: unsigned integers in rows without padding, which halve.
func (r *rows) mayBeLuma(g *Shape) bool {
	switch g.DType {
	case "uint8", "uint16":
		return g.Channels <= 2 && g.Width*g.Channels == r.pitch && r.pitch%2 == 0
	}
	return false
}

// chromaOf returns the format of frames of as many rows, and how much smoother the last third of each is in it than as luma.
func (r *rows) chromaOf(frame int) (name string, smoother float64) {
	isColor := func(i int) bool { return (i-r.first)/r.pitch%frame >= frame*2/3 }
	color := func(lag int) float64 { return r.nearIn(lag, func(i int) bool { return i >= r.first && isColor(i) }) }
	luma := func(lag int) float64 { return r.nearIn(lag, func(i int) bool { return i >= r.first && !isColor(i) }) }
	if color(1) < color(2) {
		half := r.pitch / 2
		return "i420", min(color(half+half/2)/color(half), luma(half)/luma(r.pitch))
	}
	return "nv12", min(color(1)/color(2), minLumaOfPairs*luma(2)/luma(1))
}
