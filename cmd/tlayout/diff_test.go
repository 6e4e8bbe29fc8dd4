package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/oracle"
)

// TestDiffLikeNumPy: of pairs of two types, byte orders and layouts, with NaN, infinities and zeros of both signs,
// --numeric finds the elements that numpy.array_equal tells apart, --rtol and --atol those that numpy.allclose does, and
// the largest distance is NumPy's.
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
		must(json.Unmarshal([]byte(line), &want))
		o := runIn(t, nil, append([]string{"diff", want.A, want.B, "--numeric", "--json"}, want.Args...)...)
		var got struct {
			Equal     bool
			Differing *int
			MaxAbs    *struct{ Value float64 } `json:"max_abs_diff"`
			First     []struct{ Coord []int }
		}
		must(json.Unmarshal([]byte(o.out), &got))
		apart := 0.0
		if got.MaxAbs != nil {
			apart = got.MaxAbs.Value
		}
		near := math.Abs(apart-want.Apart) <= 1e-15*want.Apart // hypot may differ in its last bit
		code := min(want.Differing, 1)
		if got.Differing == nil || *got.Differing != want.Differing || !near || got.Equal != (code == 0) || o.code != code {
			t.Errorf("%s: exit code %d: %s", line, o.code, o.out)
			continue
		}
		if got.Equal {
			equal++
			continue
		}
		if different++; !slices.Equal(got.First[0].Coord, want.First) {
			t.Errorf("%s: first at %v", line, got.First[0].Coord)
		}
	}
	if equal+different != pairs || equal < 50 || different < 50 {
		t.Errorf("%d pairs are equal, %d differ", equal, different)
	}
}

// TestDiffTruncated: a file that becomes shorter while it is compared is an error, whichever of the two it is.
func TestDiffTruncated(t *testing.T) {
	for i := range 2 {
		dir := t.TempDir()
		o := &diffOptions{limit: 10}
		for _, name := range []string{"x.npy", "y.npy"} {
			content := must2(makeNpy("float32", []int{64, 64, 64}, false))
			o.sources = append(o.sources, filepath.Join(dir, name))
			must(os.WriteFile(filepath.Join(dir, name), content, 0o644))
		}
		a := &app{streams: &streams{err: new(bytes.Buffer)}}
		p := must2(openPair(a, o))
		for _, other := range p.tensors {
			must2(other.Data()) // is mapped
		}
		must(os.Truncate(o.sources[i], 4096))
		_, err := p.run(a, convert.Options{})
		if fault.ClassOf(err) != fault.Resource || err == nil || !strings.Contains(err.Error(), "changed while reading") {
			t.Errorf("source %d: %v", i, err)
		}
		p.close()
	}
}

// TestCutApart: texts that differ still do when they are cut, in the same stretch of both, none wider than a table shows;
// short ones stay as they are. All pairs of lengths and places of the first difference are tried, in letters of two bytes.
func TestCutApart(t *testing.T) {
	cut := 0
	for n := range 60 {
		for m := range 60 {
			for at := range min(n, m) + 1 {
				a, b := []rune(strings.Repeat("é", n)), []rune(strings.Repeat("é", m))
				if at < n {
					a[at] = 'x'
				}
				shownA, shownB := cutApart(string(a), string(b))
				if wide := max(len([]rune(shownA)), len([]rune(shownB))); wide > mostShown || (shownA == shownB) != slices.Equal(a, b) {
					t.Fatalf("%d and %d characters, different from %d on: %s and %s", n, m, at, shownA, shownB)
				}
				if shownA != string(a) {
					cut++
				} else if max(n, m) <= mostShown && shownB != string(b) {
					t.Fatalf("%s was short, and was cut to %s", string(b), shownB)
				}
			}
		}
	}
	if cut == 0 {
		t.Error("nothing was cut")
	}
}
