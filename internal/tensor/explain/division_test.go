package explain

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestDivision: each division is true, divides what the one before has left, and together they make up the offset.
func TestDivision(t *testing.T) {
	draw, steps := rand.New(rand.NewPCG(5, 9)), 0
	for range 200 {
		l := drawLayout(t, draw)
		_, high, _ := l.Span()
		for off := range high + 5 {
			d, ok := NewDivision(l, off)
			if !ok {
				continue
			}
			sum, left := l.Offset()+d.Rest, off-l.Offset()
			for _, s := range d.Steps {
				whole, text, _ := strings.Cut(s.String(), " = ")
				if got, ok := evaluate(text); !ok || strconv.Itoa(got) != whole || got != left {
					t.Fatalf("%s, offset %d: %s, after %d was left", l, off, s, left)
				}
				sum, left = sum+s.Value*s.Stride, s.Rest
				steps++
			}
			if sum != off {
				t.Fatalf("%s: %+v makes up %d, not %d", l, d, sum, off)
			}
		}
	}
	if steps < 1000 {
		t.Errorf("only %d divisions were looked at", steps)
	}
}
