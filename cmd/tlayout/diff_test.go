package main

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/oracle"
)

// TestDiffLikeNumPy: for pairs of types, byte orders and layouts, with NaN, infinities and zeros of both signs, --numeric finds the
// elements that differ for numpy.array_equal, --rtol and --atol those that differ for numpy.allclose, and the largest difference is NumPy's.
func TestDiffLikeNumPy(t *testing.T) {
	const pairs = 200
	numpy := oracle.NumPy(t, "numpy_diff.py", t.TempDir(), strconv.Itoa(pairs), "1")
	equal, different := 0, 0
	for line, err := numpy.Line(); err == nil; line, err = numpy.Line() {
		var want struct {
			A, B      string
			Args      []string
			Differing int
			First     []int
			Apart     float64
		}
		cli.Must(json.Unmarshal([]byte(line), &want))
		o := runIn(t, nil, append([]string{"diff", want.A, want.B, "--numeric", "--json"}, want.Args...)...)
		var got struct {
			Equal  bool
			Count  *int `json:"differing_elems"`
			MaxAbs *struct {
				Value float64 `json:"abs_diff"`
			} `json:"max_abs_diff"`
			Differing []struct{ Coord []int }
		}
		cli.Must(json.Unmarshal([]byte(o.out), &got))
		apart := 0.0
		if got.MaxAbs != nil {
			apart = got.MaxAbs.Value
		}
		near := math.Abs(apart-want.Apart) <= 1e-15*want.Apart // hypot may differ in its last bit
		code := min(want.Differing, 1)
		if got.Count == nil || *got.Count != want.Differing || !near || got.Equal != (code == 0) || o.code != code {
			t.Errorf("%s: exit code %d: %s", line, o.code, o.out)
			continue
		}
		if got.Equal {
			equal++
			continue
		}
		if different++; !slices.Equal(got.Differing[0].Coord, want.First) {
			t.Errorf("%s: first at %v", line, got.Differing[0].Coord)
		}
	}
	if equal+different != pairs || equal < 50 || different < 50 {
		t.Errorf("%d pairs are equal, %d differ", equal, different)
	}
}
