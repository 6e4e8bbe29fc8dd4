package offset

import (
	"math/rand/v2"
	"testing"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/fixture"
)

// TestOffsetInverse: search finds every element at an offset.
func TestOffsetInverse(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		l := fixture.SomeLayout(d)
		living := fixture.EachCoord(l, func([]int, int) {})
		_, high, _ := l.Span()
		for off := range high + 5 {
			result := result{position: position{Offset: off}}
			result.search(l)
			if !result.Complete || result.Elems != len(living[off]) {
				t.Fatalf("%s: %d elements at %d, not %d", l, result.Elems, off, len(living[off]))
			}
		}
	}
}
