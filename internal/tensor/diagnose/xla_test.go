package diagnose

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/text"
)

// Entries of published reports: flowpm 27, pytorch/xla 6674, jax 7502, pytorch/xla 1965, google/trax 525. The sizes with and without
// padding are XLA's.
var published = []struct {
	shape, size, plain string
	padded, cure       string
	bytes              int64
}{
	{"s32[8388608,8,4]{2,1,0:T(8,128)}", "32.00G", "1.00G", "dim 2 is padded from 4 to 128", "{0,1,2:T(8,128)}, with dims 1 and 0 innermost, would take 1 GiB", 32 << 30},
	{"bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", "4.00G", "1.00G", "dim 1 is padded from 1 to 4", "would take 1 GiB", 4 << 30},
	{"s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}", "16.00G", "512.00M", "dim 4 is padded from 4 to 128", "would take 512 MiB", 16 << 30},
	{"u32[12582912,1]{1,0:T(8,128)}", "6.00G", "48.00M", "dim 1 is padded from 1 to 128", "{0,1:T(8,128)}, with dims 1 and 0 innermost, would take 384 MiB", 6 << 30},
	{"s32[29360128,10]{1,0:T(8,128)}", "14.00G", "1.09G", "dim 1 is padded from 10 to 128", "{0,1:T(8,128)}", 14 << 30},
	{"f32[4,128,128,9,18]{4,3,0,2,1:T(8,128)}", "512.00M", "40.50M", "dim 3 is padded from 9 to 16; dim 4 is padded from 18 to 128", "would take 40.5 MiB", 512 << 20},
	{"pred[64,512,2048]{2,1,0:T(8,128)E(32)}", "256.00M", "64.00M", "", "", 256 << 20},
}

// TestPublishedReports: the size of each array in its layout is what XLA printed, in any log around it.
func TestPublishedReports(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the arrays are larger than an address can count")
	}
	for _, c := range published {
		for _, before := range []string{"\n     ", "\n2020-05-04 09:05:40.719796: E    1578 tensorflow/compiler/xla/xla_client/xla_util.cc:76]      "} {
			report := "Largest program allocations in hbm:\n  1. Size: " + c.size + before + "Operator: op_name=\"jit(t)/x[ dimension=4 ]\"" + before + "Shape: " + c.shape + before + "Unpadded size: " + c.plain +
				before + "Extra memory due to padding: 1G (2x expansion)" + before + "XLA label: %copy = s32[8388608,8,4]{2,1,0:T(8,128)} copy()"
			a, _ := Read(report)
			facts := strings.Join(a.Facts, "\n")
			if !strings.HasPrefix(facts, c.size+" of "+c.shape+", "+c.plain+" without padding") || !strings.Contains(facts, c.padded) || !strings.Contains(facts, c.cure) || c.cure == "" && strings.Contains(facts, "would take") {
				t.Errorf("%s:\n%s", c.shape, facts)
			}
		}
		all := allocations("1. Size: " + c.size + " Shape: " + c.shape + " Unpadded size: " + c.plain)
		m := xlaTiling.Get().FindStringSubmatch(c.shape[strings.Index(c.shape, "{"):])
		if n, _ := all[0].bytes(m, m[1]); int64(n) != c.bytes {
			t.Errorf("%s: %d bytes, expected %d", c.shape, n, c.bytes)
		}
		bits := map[byte]int{'p': 8, 'b': 16, 's': 32, 'u': 32, 'f': 32}[c.shape[0]]
		if plain := bytesOf(c.plain); math.Abs(float64(ints.Product(all[0].shape)*bits/8)-plain) > 0.01*plain {
			t.Errorf("%s: %s without padding", c.shape, c.plain)
		}
	}
}

// TestWorstFirst: entries are counted, and ordered by their padding; one that is not what its layout takes is not explained.
func TestWorstFirst(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the arrays are larger than an address can count")
	}
	report := "Used 3G of 1G hbm"
	for _, c := range []int{6, 1, 1, 5} {
		report += " 1. Size: " + published[c].size + " Shape: " + published[c].shape + " Unpadded size: " + published[c].plain
	}
	a, _ := Read("Largest program allocations in hbm: " + report + " 9. Size: 9.00G Shape: f32[8,4]{1,0:T(8,128)} Unpadded size: 1.00G" + " 9. Size: 1.00G Shape: f32[8,4]{1,0} Unpadded size: 0.50G")
	facts := strings.Join(a.Facts, "\n")
	if !strings.HasPrefix(facts, "9.00G of f32[8,4]{1,0:T(8,128)}, 1.00G without padding\n2 × 4.00G of bf16[2048,1,2048,128]") || len(a.Facts) != 5-1 || a.What != "XLA ran out of hbm: the program needs 3G of 1G" {
		t.Errorf("%s\n%s", a.What, facts)
	}
}

// TestOtherSize: where the report has another size than the layout, as of another compiler, nothing is explained.
func TestOtherSize(t *testing.T) {
	a, _ := Read("Largest program allocations in hbm: 1. Size: 64.00G Shape: s32[8388608,8,4]{2,1,0:T(8,128)} Unpadded size: 1.00G")
	if got := strings.Join(a.Facts, "\n"); got != "64.00G of s32[8388608,8,4]{2,1,0:T(8,128)}, 1.00G without padding" {
		t.Error(got)
	}
}

// TestLeastPadding: no order of dims takes less than the one that is named.
func TestLeastPadding(t *testing.T) {
	e := allocation{dtype: "f32", shape: []int{24, 5, 130, 2}, layout: "{3,2,1,0:T(8,128)}", size: "195.00K", plain: "1.00K", text: "f32[24,5,130,2]", count: 1}
	m := xlaTiling.Get().FindStringSubmatch(e.layout)
	now, _ := e.bytes(m, m[1])
	if want := 4 * 24 * 5 * 136 * 128; now != want {
		t.Fatalf("%d bytes, expected %d", now, want)
	}
	e.size = text.Ints([]int{now}, "")
	least := now
	for _, p := range ints.Permutations(4) {
		n, _ := e.bytes(m, text.Ints(p, ","))
		least = min(least, n)
	}
	facts, command := e.explain()
	if want := "would take " + text.Bytes(int64(least)); !strings.Contains(strings.Join(facts, "\n"), want) || command == "" || least >= now {
		t.Errorf("%q: expected %s; %s", facts, want, command)
	}
}

// TestTail: L pads the end of an array.
func TestTail(t *testing.T) {
	e := allocation{dtype: "bf16", shape: []int{3, 100}}
	m := xlaTiling.Get().FindStringSubmatch("{1,0:T(4,128)L(1024)S(1)}")
	if n, _ := e.bytes(m, m[1]); n != 2*1024 {
		t.Errorf("%d bytes", n)
	}
	for _, layout := range []string{"{1,0:T(*,128)}", "{1,0:T(8,128)SC(1:4)}", "{1,0:T(8,128)P(f32[8])}", "{1,0}", "{1,0:D(D,C)}"} {
		if m := xlaTiling.Get().FindStringSubmatch(layout); m != nil {
			t.Errorf("%s is understood: %q", layout, m)
		}
	}
	m = xlaTiling.Get().FindStringSubmatch("{1,0:T(8,128)}")
	if n, _ := (allocation{dtype: "f32", shape: []int{math.MaxInt / 2, 3}}).bytes(m, "1,0"); n != 0 {
		t.Errorf("overflow: %d bytes", n)
	}
}
