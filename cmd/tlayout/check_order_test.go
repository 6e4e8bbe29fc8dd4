package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// orderAssertions are the assertions whose answer may depend on the order of the axes.
var orderAssertions = []string{
	"--layout=nchw", "--layout=nhwc", "--layout=chw", "--layout=hwc", "--layout=hw", "--layout=ndhwc", "--layout=nchw --strict",
	"--layout=c", "--layout=fortran", "--contiguous=c", "--contiguous=f", "--contiguous=dense", "--contiguous=channels_last",
	"--contiguous=channels_last_3d", "--accepted-by=pytorch", "--accepted-by=numpy", "--accepted-by=directml", "--accepted-by=onednn",
	"--accepted-by=cudnn", "--accepted-by=tensorrt", "--accepted-by=megengine", "--accepted-by=safetensors", "--no-padding", "--packed",
}

// TestCheckAssumesNothing: for a file with unnamed axes, check answers yes only if it does for every order that --from can name, and no
// only if every order gives no. So no assertion passes on an assumption, and none that always holds fails. Whether a framework accepts a
// C-contiguous array depends on the array as stored, not on names.
func TestCheckAssumesNothing(t *testing.T) {
	d := rand.New(rand.NewPCG(7, 1))
	letters := map[int]string{2: "hw", 3: "chw", 4: "nchw"}
	counts := map[string]int{}
	for n := range 9 {
		shape := make([]int, 2+d.IntN(3))
		for i := range shape {
			shape[i] = []int{1, 1, 2, 3}[d.IntN(4)]
		}
		fortran := d.IntN(3) == 0
		if n == 8 { // TensorRT accepts it under some orders of its axes
			shape, fortran = []int{2, 1, 2}, true
		}
		x := fixture.NpyFile(t, "x.npy", "<f4", shape, fortran)
		long := slices.DeleteFunc(slices.Clone(shape), func(size int) bool { return size == 1 })
		inC := !fortran || len(long) < 2
		for _, assertion := range orderAssertions {
			untold := verdictOf(t, x, assertion)
			counts[untold]++
			told := map[string]int{}
			for _, from := range arrangements(letters[len(shape)]) {
				told[verdictOf(t, x, assertion+" --from="+from)]++
			}
			want := "unknown"
			if len(told) == 1 {
				for want = range told {
				}
			}
			if asStored := strings.HasPrefix(assertion, "--accepted-by="); asStored && inC && untold == "yes" && told["yes"] > 0 {
				continue // the axes of a C-contiguous array are the framework's own dims, whatever their names
			}
			if namesOrder := strings.HasPrefix(assertion, "--layout="); untold != want && !(namesOrder && want == "no" && untold == "unknown") {
				t.Errorf("%v %s: %s; with --from: %v", shape, assertion, untold, told)
			}
		}
	}
	for _, verdict := range []string{"yes", "no", "unknown"} {
		if counts[verdict] < 10 {
			t.Errorf("%s: %d times", verdict, counts[verdict])
		}
	}
}

// TestCheckByName: an order in the file's name has the effect of --from on every assertion.
func TestCheckByName(t *testing.T) {
	for order, shape := range map[string][]int{"nchw": {2, 3, 1, 2}, "nhwc": {2, 3, 1, 2}, "hwc": {3, 2, 2}, "chw": {1, 3, 2}, "nchw2c": {1, 2, 2, 1, 2}} {
		named := fixture.NpyFile(t, "x."+order+".npy", "<f4", shape, false)
		plain := fixture.NpyFile(t, "x.npy", "<f4", shape, false)
		for _, assertion := range append([]string{"--layout=" + order, "--expect-shape=*,3,*,*", "--no-padding"}, orderAssertions...) {
			if byName, given := verdictOf(t, named, assertion), verdictOf(t, plain, assertion+" --from="+order); byName != given {
				t.Errorf("%v %s: %s by the name %s, %s with --from", shape, assertion, byName, order, given)
			}
		}
		if verdictOf(t, named, "--layout="+order) != "yes" || verdictOf(t, plain, "--layout="+order) != "unknown" {
			t.Errorf("%s: the name tells it, nothing else does", order)
		}
	}
}

// verdictOf returns the verdict on a file.
func verdictOf(t *testing.T, path, flags string) string {
	t.Helper()
	o := runIn(t, nil, append([]string{"check", path, "--json"}, strings.Fields(flags)...)...)
	var r struct{ Result string }
	cli.Must(json.Unmarshal([]byte(o.out), &r))
	if (o.code == 0) != (r.Result == "yes") || o.code > 1 {
		t.Fatalf("%s: %s, exit code %d: %s", flags, r.Result, o.code, o.err)
	}
	return r.Result
}

// arrangements lists the permutations of a word's letters.
func arrangements(word string) []string {
	if word == "" {
		return []string{""}
	}
	var all []string
	for i := range word {
		for _, rest := range arrangements(word[:i] + word[i+1:]) {
			all = append(all, word[i:i+1]+rest)
		}
	}
	return all
}
