package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
)

// The definitions have the results computed by hand. Elements by index: 0 9 3 13 7 1 11 5 15 8. Weights by index:
// −7 −5 −1 3 7 −5 −1 3 7 −7 −3 1 5 −7 −3 1.
func TestDefinitionsByHand(t *testing.T) {
	tests := []struct {
		pattern Pattern
		names   string
		shape   []int
		want    []float64
	}{
		{Sum, "NCHW", []int{1, 2, 2, 2}, []float64{0 + 7, 9 + 1, 3 + 11, 13 + 5}},
		{Sum, "NCDHW", []int{2, 2, 2, 1, 1}, []float64{0 + 3, 9 + 13, 7 + 11, 1 + 5}},
		{Sum, "HWC", []int{1, 2, 2}, []float64{0 + 9, 3 + 13}},
		{Depthwise, "NCHW", []int{1, 1, 2, 3}, []float64{ // 0 9 3, 13 7 1
			7*0 - 5*9 + 3*13 + 7*7, 3*0 + 7*9 - 5*3 - 1*13 + 3*7 + 7*1, 3*9 + 7*3 - 1*7 + 3*1,
			-5*0 - 1*9 + 7*13 - 5*7, -7*0 - 5*9 - 1*3 + 3*13 + 7*7 - 5*1, -7*9 - 5*3 + 3*7 + 7*1,
		}},
		{Depthwise, "CHW", []int{2, 1, 1}, []float64{7 * 0, -7 * 9}},
	}
	for _, tt := range tests {
		got := newReference(tt.pattern, strings.Split(tt.names, ""), tt.shape)
		if !slices.Equal(got.values, tt.want) {
			t.Errorf("%s of %s %v is %v, want %v", tt.pattern, tt.names, tt.shape, got.values, tt.want)
		}
	}
}

// at formats a row-major index by the results' own dims.
func TestReferenceAt(t *testing.T) {
	r := newReference(Depthwise, []string{"N", "C", "H", "W"}, []int{2, 3, 1, 5})
	if got, want := r.at((1*3+2)*5+3), "[n=1 c=2 w=3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// NumPy computes the same results for random tensors, with its own sum and with sums of shifted copies.
//
// TLAYOUT_TEST_RANDOM_SEED chooses the tensors; TLAYOUT_TEST_REQUIRE_NUMPY=1 fails without NumPy.
func TestDefinitionsAgainstNumPy(t *testing.T) {
	numpy := oracle.NumPy(t, "reference_numpy.py")
	draw := random.New(t)
	for range 120 {
		p, names, shape := drawDefinition(draw)
		line := string(p)
		for k, name := range names {
			line += fmt.Sprintf(" %s=%d", name, shape[k])
		}
		fmt.Fprintln(numpy, line)
		answer, err := numpy.Line()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := sameAsNumPy(p, newReference(p, names, shape), strings.Fields(answer)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

// drawDefinition draws a pattern and dims in any order, some of them missing.
func drawDefinition(draw *rand.Rand) (p Pattern, names []string, shape []int) {
	p = opPatterns[draw.IntN(len(opPatterns))]
	names = []string{"C", "H", "W"}
	for _, name := range []string{"N", "D"} {
		if draw.IntN(2) == 0 {
			names = append(names, name)
		}
	}
	draw.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for range names {
		shape = append(shape, 2+draw.IntN(6))
	}
	return p, names, shape
}

func sameAsNumPy(p Pattern, r reference, answer []string) error {
	if len(answer) != len(r.values) || len(answer) == 0 {
		return fmt.Errorf("NumPy has %d results, the definition %d", len(answer), len(r.values))
	}
	for i, word := range answer {
		want, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return err
		}
		if got := r.values[i]; got != want {
			return fmt.Errorf("%s%s is %v, by NumPy %v", p, r.at(i), got, want)
		}
	}
	return nil
}

// BenchmarkReference: every definition over 32×64×56×56, which a measurement computes once.
func BenchmarkReference(b *testing.B) {
	for _, p := range opPatterns {
		b.Run(string(p), func(b *testing.B) {
			for b.Loop() {
				newReference(p, []string{"N", "C", "H", "W"}, []int{32, 64, 56, 56})
			}
		})
	}
}
