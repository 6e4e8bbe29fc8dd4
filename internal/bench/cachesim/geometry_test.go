package cachesim_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/fault"
)

// All spellings of a geometry are read; levels that are not named are those of Reference.
func TestParse(t *testing.T) {
	const rest = " tlb=256K,4,4K"
	for in, want := range map[string]string{
		"":                          "l1=48K,12,64 l2=2M,16,64 l3=32M,16,64" + rest,
		"l1=32K,8,64":               "l1=32K,8,64 l2=2M,16,64 l3=32M,16,64" + rest,
		"l1=32768,8,64,l2=1M,16,64": "l1=32K,8,64 l2=1M,16,64 l3=32M,16,64" + rest,
		"L3=none; l2 = none":        "",
		"L3=none;\tl2=0":            "l1=48K,12,64 l2=none l3=none" + rest,
		"l3=0,l1=48KiB 12 64":       "l1=48K,12,64 l2=2M,16,64 l3=none" + rest,
		"l3=96m,16,64":              "l1=48K,12,64 l2=2M,16,64 l3=96M,16,64" + rest,
		"l3=1G,16,64 tlb=6M,3,2MiB": "l1=48K,12,64 l2=2M,16,64 l3=1G,16,64 tlb=6M,3,2M",
		"l1=60,3,4 l2=none l3=none": "",
		"l1=72,3,8 l2=none l3=none": "l1=72,3,8 l2=none l3=none" + rest,
		"l1=1800,3,8 l2=none l3=0":  "l1=1800,3,8 l2=none l3=none" + rest,
	} {
		g, err := cachesim.Parse(in)
		if got := g.String(); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("Parse(%q) = %s, %v, want %s", in, got, err, want)
		}
	}
	if g := geometry(t, cachesim.Reference.String()); !reflect.DeepEqual(g, cachesim.Reference) {
		t.Errorf("Reference is read as %v", g)
	}
}

// Every refusal is Usage, with the reason and a valid example.
func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"l4=1K,2,64":                `unknown cache level "l4"`,
		"cache=1K,2,64":             `unknown cache level "cache"`,
		"48K,12,64":                 `cache geometry has "48K" before any level name`,
		"l1=48K,12":                 `cache level l1 is "48K,12", want size,ways,line`,
		"l1=48K,12,64,2":            `cache level l1 is "48K,12,64,2", want size,ways,line`,
		"l1=48KB,12,64":             `cache level l1 is "48KB,12,64", want size,ways,line`,
		"l1=-48K,12,64":             `cache level l1 is "-48K,12,64", want size,ways,line`,
		"l1=\x1b[31m,12,64":         `cache level l1 is "\x1b[31m,12,64", want size,ways,line`,
		"l1=9999999999G,1,64":       `cache level l1 is "9999999999G,1,64", want size,ways,line`,
		"l1=48K,12,48":              "cache level l1 has lines of 48 bytes, want a power of two, at least 8",
		"l1=48K,12,4":               "cache level l1 has lines of 4 bytes, want a power of two, at least 8",
		"l1=48K,0,64":               "cache level l1 has 0 ways, want 1 to 1024",
		"l1=48K,2K,64":              "cache level l1 has 2048 ways, want 1 to 1024",
		"l1=50K,12,64":              "cache level l1 has 50K bytes, want a positive multiple of 12 ways × 64 bytes per line",
		"l1=0,12,64":                "cache level l1 has 0 bytes, want a positive multiple of 12 ways × 64 bytes per line",
		"l1=48K,12,128":             "cache level l2 has lines of 64 bytes, but l1 has 128",
		"tlb=256,4,32":              "cache level tlb has pages of 32 bytes, less than a line",
		"l1=1G,16,8 l2=1M,1,8":      "cache level l1 is too large to simulate: 1G bytes",
		"l1=1K,2,64 l2=none":        "cache geometry has l3 but no l2",
		"l1=none l2=none l3=none":   "cache geometry needs l1",
		"tlb=0":                     "cache geometry needs tlb",
		"l1=48K,12,64 l1=1K,1,64":   "cache geometry has l1 twice",
		"l1=48K,12,64 l2=0 l2=none": "cache geometry has l2 twice",
	} {
		g, err := cachesim.Parse(in)
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Usage || e.Text != want {
			t.Errorf("Parse(%q) = %v, %v, want %s", in, g, err, want)
			continue
		}
		right := e.Hint[strings.LastIndex(e.Hint, ": ")+1:]
		if _, err := cachesim.Parse(right); !strings.Contains(right, "=") || err != nil {
			t.Errorf("Parse(%q) hints %q: %v", in, e.Hint, err)
		}
	}
}

// A level of more than 2^40 bytes is refused.
func TestParseTooLarge(t *testing.T) {
	if _, err := cachesim.Parse("tlb=2048G,1,1G"); fault.ClassOf(err) != fault.Usage {
		t.Error(err)
	}
}

// For any text, Parse fails with Usage or returns a geometry that survives a round trip through String.
func FuzzGeometry(f *testing.F) {
	for _, s := range []string{
		"", cachesim.Reference.String(), "l1=48K,12,64,l2=none;l3=0", "l1=72,3,8 l2=none l3=none tlb=24,3,8",
		"l3=96MiB,16,64",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g, err := cachesim.Parse(s)
		if err != nil {
			if fault.ClassOf(err) != fault.Usage {
				t.Fatalf("Parse(%q): %v is not Usage", s, err)
			}
			return
		}
		for _, l := range append(g.Levels, g.TLB) {
			if l.Size != l.Sets()*l.Ways*l.Line || l.Sets() < 1 {
				t.Fatalf("Parse(%q) has %+v", s, l)
			}
		}
		if again, err := cachesim.Parse(g.String()); err != nil || !reflect.DeepEqual(again, g) {
			t.Fatalf("Parse(%q) = %v, which reads as %v, %v", s, g, again, err)
		}
	})
}
