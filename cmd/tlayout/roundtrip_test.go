package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random"
)

// tripFamilies are dims with layouts that convert writes, by name or by flags; the first is the original file's.
var tripFamilies = [][]string{
	{"nchw", "nhwc", "chwn", "whcn", "nchw4", "nchw8", "nChw16c", "nchw32", "chwn4", "nhwcd4", "kHWC8", "NCHW64w", "NHW16wC4c", "c4nhw4", "nchw2c2c",
		"{3,2,1,0:T(2,4)}", "c", "fortran", "--to-pitch=W=16", "--to-pitch=C=37"},
	{"ncdhw", "ndhwc", "kCDHW32", "kDHWC8", "ncdhw4c", "fortran"},
	{"chw", "hwc", "whc", "chw4c", "c", "fortran", "--to-pitch=H=10"},
	{"hw", "wh", "{1,0:T(2,4)}", "c", "fortran"},
	{"oihw", "hwio", "ohwi", "OIhw4i16o4i", "oihw8i8o", "fortran"},
	{"goihw", "gohwi", "goihw4i"},
	{"bshd", "bhsd", "sbhd", "bshd8d"},
	{"tbd", "btd"},
}

// TestRoundTrip: the program never misreads its results. Converting from every layout of a family to every other one and back, under default
// names, restores the first file's bytes, for random shapes. A renamed result is restored too, or the answer states its assumption, or the
// conversion is refused.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(14, 1))
	pairs, cases, renamed := 0, 0, 0
	for _, family := range tripFamilies {
		t.Run(family[0], func(t *testing.T) {
			for range max(1, len(random.Sample(make([]int, 40), 3))/len(family)/len(family)) {
				trip := newTrip(t, rnd, family)
				for _, a := range family {
					for _, b := range family {
						trip.pair(a, b)
						cases++
					}
					trip.renamed(a)
					renamed++
				}
			}
		})
		pairs += len(family) * len(family)
	}
	t.Logf("%d pairs of layouts, %d cases, %d renamed files", pairs, cases, renamed)
}

// trip is one file of a family.
type trip struct {
	*testing.T
	family []string
	dir    string
	origin []byte
	made   map[string]string // the file in each layout
	shape  []int
}

func newTrip(t *testing.T, rnd *rand.Rand, family []string) *trip {
	types := []string{"|u1", "<f2", "<f4", "<c8", "<c16", ">i4"}
	shape := make([]int, len(family[0]))
	for i := range shape {
		shape[i] = []int{1, 2, 3, 4, 5, 7, 8, 17}[rnd.IntN(8)]
	}
	if rnd.IntN(8) == 0 {
		shape[rnd.IntN(len(shape))] = 0
	}
	c := &trip{T: t, family: family, dir: t.TempDir(), made: map[string]string{}, shape: shape}
	origin, err := fixture.Npy(types[rnd.IntN(len(types))], shape, false)
	if err != nil {
		t.Fatal(err)
	}
	c.origin = origin
	start := filepath.Join(c.dir, "x."+family[0]+".npy")
	c.write(start)
	for i, layout := range family {
		sub := filepath.Join(c.dir, fmt.Sprint(i))
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		c.made[layout] = c.convert(start, sub, layout)
	}
	return c
}

func (c *trip) write(path string) {
	if err := os.WriteFile(path, c.origin, 0o644); err != nil {
		c.Fatal(err)
	}
}

// convert converts a file in a new folder, and returns the path of the result, which has its default name.
func (c *trip) convert(path, sub, layout string) string {
	c.Helper()
	in := filepath.Join(sub, filepath.Base(path))
	content, err := os.ReadFile(path)
	if err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(in, content, 0o644); err != nil {
		c.Fatal(err)
	}
	args := append([]string{"convert", in, "--verify", "--json"}, c.target(layout)...)
	o := runIn(c.T, nil, args...)
	if o.code == 2 && strings.Contains(o.err, "is the input itself") {
		return in // it has this layout and name
	}
	if o.code != 0 {
		c.Fatalf("shape %v: tlayout %q: exit code %d\n%s", c.shape, args, o.code, o.err)
	}
	doc := decode(c.T, o.out).(map[string]any)
	if doc["layout_assumed"] == true {
		c.Errorf("shape %v: tlayout %q: the order of %s is assumed", c.shape, args, in)
	}
	return doc["output"].(string)
}

// target returns the flags for a layout.
func (c *trip) target(layout string) []string {
	if strings.HasPrefix(layout, "--") {
		return []string{"--to", c.family[0], layout}
	}
	return []string{"--to", layout}
}

// pair converts the file of layout a to b and back.
func (c *trip) pair(a, b string) {
	c.Helper()
	sub, err := os.MkdirTemp(c.dir, "")
	if err != nil {
		c.Fatal(err)
	}
	there := c.convert(c.made[a], sub, b)
	back, err := os.MkdirTemp(c.dir, "")
	if err != nil {
		c.Fatal(err)
	}
	result, err := os.ReadFile(c.convert(there, back, c.family[0]))
	if err != nil {
		c.Fatal(err)
	}
	if !bytes.Equal(result, c.origin) {
		c.Errorf("shape %v: %s -> %s -> %s -> %s are other bytes (%s, %s)", c.shape, c.family[0], a, b, c.family[0], c.made[a], there)
	}
	os.RemoveAll(sub)
	os.RemoveAll(back)
}

// renamed converts a's file back after it was renamed.
func (c *trip) renamed(a string) {
	c.Helper()
	path := filepath.Join(c.dir, "renamed"+filepath.Ext(c.made[a]))
	content, err := os.ReadFile(c.made[a])
	if err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		c.Fatal(err)
	}
	out := filepath.Join(c.dir, "back.npy")
	os.Remove(out)
	args := []string{"convert", path, "--to", c.family[0], "--verify", "-o", out}
	switch o := runIn(c.T, nil, args...); o.code {
	case 0:
		result, err := os.ReadFile(out)
		if err != nil {
			c.Fatal(err)
		}
		said := strings.Contains(o.out, "(assumed)") && !strings.Contains(o.out, "\nverified:")
		if !bytes.Equal(result, c.origin) && !said {
			c.Errorf("shape %v in %s, renamed: other bytes, and no word of an assumption\n%s", c.shape, a, o.out)
		}
		if filepath.Ext(path) == ".npz" && !bytes.Equal(result, c.origin) {
			c.Errorf("shape %v in %s, renamed: the archive's record is not used\n%s", c.shape, a, o.out)
		}
	case 2:
		if filepath.Ext(path) == ".npz" {
			c.Errorf("shape %v in %s, renamed: refused\n%s", c.shape, a, o.err)
		}
	default:
		c.Errorf("shape %v in %s, renamed: exit code %d\n%s", c.shape, a, o.code, o.err)
	}
}

// TestLongNames: a name of the file system's maximal length is read and written.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	name := func(first string) string {
		return filepath.Join(dir, first+strings.Repeat("n", 255-len(first)-len(".npy"))+".npy")
	}
	content, err := fixture.Npy("<f4", []int{2, 3, 4, 5}, false)
	if err != nil {
		t.Fatal(err)
	}
	err = os.WriteFile(name("a"), content, 0o644)
	if errors.Is(err, syscall.ENAMETOOLONG) {
		t.Skipf("this file system has shorter names: %v", err)
	}
	need.Made(t, err)
	tlayout(t, "inspect", name("a"))
	tlayout(t, "check", name("a"), "--contiguous", "c")
	tlayout(t, "convert", name("a"), "--to", "nhwc", "-o", name("b"), "--verify")
	tlayout(t, "convert", name("b"), "--from", "nhwc", "--to", "nchw", "-o", name("c"))
	tlayout(t, "convert", name("a"), "--to", "chwn", "-o", name("b"), "--force")
	tlayout(t, "diff", name("a"), name("c"))
	tlayout(t, "draw", name("a"))
}
