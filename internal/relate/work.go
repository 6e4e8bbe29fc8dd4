package relate

import "math"

// Work bounds searches by steps, of some ten nanoseconds each: an element or a word of a name that is looked at. Steps are counted and not
// seconds, so that an answer does not depend on the machine. Each search has steps for the bytes that it reads, and a quarter of what is left
// of a common reserve: a few small tensors are searched thoroughly, and many take time in proportion to their bytes.
type Work struct{ reserve int }

const (
	reserveSteps = 1 << 24 // a quarter of a second or so
	stepsPerByte = 16      // a sixth of a second for 1 MiB
	leastBytes   = 256     // of a search: a tensor has a name, a type and a shape, too
	mostBytes    = math.MaxInt / (2 * stepsPerByte)
)

// NewWork returns the work of one command.
func NewWork() *Work { return &Work{reserveSteps} }

// Budget returns the budget of a search that reads so many bytes.
func (w *Work) Budget(bytes int) *Budget {
	own := stepsPerByte * min(max(bytes, leastBytes), mostBytes)
	return &Budget{work: w, own: own, all: own, share: w.reserve / 4}
}

// Budget counts the steps of one search.
type Budget struct {
	work  *Work
	all   int // steps for its bytes
	own   int // of them, those left
	share int // steps that it may take from the reserve
	taken int
	out   bool
}

// Take counts n steps. It returns false once there are not so many left: the search ends.
func (b *Budget) Take(n int) bool {
	if n > b.own+b.share {
		b.out = true
	}
	if b.out {
		return false
	}
	b.taken += n
	borrowed := max(0, n-b.own)
	b.own = b.own - (n - borrowed)
	b.share = b.share - borrowed
	b.work.reserve = b.work.reserve - borrowed
	return true
}

// another returns the budget of one more search of the same bytes.
func (b *Budget) another() *Budget {
	return &Budget{work: b.work, own: b.all, all: b.all, share: b.work.reserve / 4}
}

// add counts the steps of another search as its own.
func (b *Budget) add(o *Budget) {
	b.taken += o.taken
	b.out = b.out || o.out
}

// Out reports whether the search ended because its budget did: it did not try all that it would have.
func (b *Budget) Out() bool { return b.out }

// Taken returns the steps that the search took.
func (b *Budget) Taken() int { return b.taken }
