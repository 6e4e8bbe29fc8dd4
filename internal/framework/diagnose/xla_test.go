package diagnose

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/framework/printed"
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
		typ, err := printed.Parse(all[0].text)
		if err != nil || typ.Bytes() != c.bytes {
			t.Fatalf("%s: %d bytes, expected %d (%v)", c.shape, typ.Bytes(), c.bytes, err)
		}
		bits := map[byte]int{'p': 8, 'b': 16, 's': 32, 'u': 32, 'f': 32}[c.shape[0]]
		if plain := bytesOf(c.plain); math.Abs(float64(typ.Layout.Numel()*bits/8)-plain) > 0.01*plain {
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

// TestHugeSizes: sizes beyond any integer are the first, and a dot is not a size.
func TestHugeSizes(t *testing.T) {
	report, nines := "Largest program allocations in hbm:", strings.Repeat("9", 400)
	for _, size := range []string{"1.00G", "2.00G", nines[:30] + "G", nines + "G", ".", "3.00G"} {
		report += " 1. Size: " + size + " Shape: f32[8,4]{1,0} Unpadded size: 128"
	}
	a, _ := Read(report)
	if len(a.Facts) != 3 || !strings.HasPrefix(a.Facts[0], nines+"G") || !strings.HasPrefix(a.Facts[1], nines[:30]+"G") || !strings.HasPrefix(a.Facts[2], "3.00G") {
		t.Errorf("%q", a.Facts)
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
	bytes := func(order []int) int64 {
		typ, err := printed.Parse("f32[24,5,130,2]{" + text.Ints(order, ",") + ":T(8,128)}")
		if err != nil {
			t.Fatal(err)
		}
		return typ.Bytes()
	}
	now := bytes([]int{3, 2, 1, 0})
	if want := int64(4 * 24 * 5 * 136 * 128); now != want {
		t.Fatalf("%d bytes, expected %d", now, want)
	}
	least := now
	for _, p := range ints.Permutations(4) {
		least = min(least, bytes(p))
	}
	e := allocation{text: "f32[24,5,130,2]{3,2,1,0:T(8,128)}", size: strconv.FormatInt(now, 10), plain: "1.00K", count: 1}
	facts, command := e.explain()
	if want := "would take " + text.Bytes(least); !strings.Contains(strings.Join(facts, "\n"), want) || command == "" || least >= now {
		t.Errorf("%q: expected %s; %s", facts, want, command)
	}
}
