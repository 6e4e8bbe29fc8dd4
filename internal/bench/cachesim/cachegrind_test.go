package cachesim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

const fixtures = "testdata/cachegrind.json"

// cachegrind has Valgrind's counts of some walks, from testdata/cachegrind/walk.c.
type cachegrind struct {
	Valgrind string     `json:"valgrind"` // version
	GCC      string     `json:"gcc"`
	Walks    []measured `json:"walks"`
}

type measured struct {
	walk
	Cache   string `json:"cache"`
	figures        // of the line that reads elements
}

type figures struct {
	Reads int `json:"reads"`
	L1    int `json:"l1_misses"`
	L2    int `json:"l2_misses"`
	Pages int `json:"page_misses"` // those of a first cache with lines of the size of a page
}

// TestAgainstCachegrind: the misses of both levels and of the tlb equal those that Valgrind's cachegrind counts for a C program
// that reads the same elements in the same order.
func TestAgainstCachegrind(t *testing.T) {
	text, err := os.ReadFile(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	var file cachegrind
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Walks) != len(cachegrindWalks()) {
		t.Fatalf("%d walks, want %d", len(file.Walks), len(cachegrindWalks()))
	}
	again := map[string]int{} // walks that fetched something twice, by level
	for i, m := range file.Walks {
		if want := cachegrindWalks()[i]; m.walk != want.walk || m.Cache != want.Cache {
			t.Fatalf("walk %d is %v, want %v", i, m, want)
		}
		cold := m.compare(t)
		for name, more := range map[string]bool{"l1": m.L1 > cold.L1, "l2": m.L2 > cold.L2, "pages": m.Pages > cold.Pages} {
			if more {
				again[name]++
			}
		}
	}
	if again["l1"] < 20 || again["l2"] < 10 || again["pages"] < 10 {
		t.Errorf("walks that fetch a line twice: %v: too few to test replacement", again)
	}
}

// compare fails if the Sim differs. It returns the figures of caches that hold everything.
func (m measured) compare(t *testing.T) (cold figures) {
	t.Helper()
	if got := m.sim(t, m.Cache); got != m.figures {
		t.Errorf("%v in %s: Sim has %+v, cachegrind %+v", m.walk, m.Cache, got, m.figures)
	}
	line := geometry(t, m.Cache).Levels[0].Line
	return m.sim(t, fmt.Sprintf("l1=8M,16,%d l2=8M,16,%d l3=none tlb=8M,16,4K", line, line))
}

func (m measured) sim(t *testing.T, cache string) figures {
	c := m.counts(t, cachesim.New(geometry(t, cache)))
	return figures{c.Bytes / m.Item, c.Misses[0], c.Misses[1], c.Pages}
}

// cachegrindWalks are the walks to measure. Their caches hold all, some or almost none of the tensors; some are direct-mapped,
// two have other line sizes.
func cachegrindWalks() []measured {
	shapes := [][4]int{{2, 64, 14, 14}, {1, 62, 9, 7}, {2, 3, 32, 32}, {4, 256, 7, 7}, {4, 128, 16, 16}}
	caches := []string{
		"l1=48K,12,64 l2=2M,16,64 l3=none tlb=256K,4,4K", "l1=8K,1,64 l2=256K,8,64 l3=none tlb=16K,1,4K",
		"l1=4K,2,64 l2=32K,4,64 l3=none tlb=16K,4,4K", "l1=32K,8,64 l2=256K,8,64 l3=none tlb=64K,2,4K",
		"l1=6K,3,32 l2=96K,6,32 l3=none tlb=32K,8,4K", "l1=16K,4,128 l2=64K,2,128 l3=none tlb=128K,4,8K",
		"l1=2K,2,64 l2=16K,1,64 l3=none tlb=32K,2,4K",
	}
	var walks []measured
	for _, layout := range []string{"nchw", "nhwc", "nchw4", "nchw8", "nchw16", "nchw32", "chwn", "chwn4"} {
		for _, order := range []string{"channel", "spatial"} {
			for _, item := range []int{1, 4} {
				i := len(walks)
				walks = append(walks, measured{walk{layout, shapes[i%5], item, order}, caches[i%7], figures{}})
				walks = append(walks, measured{walk{layout, shapes[4-i/2%2], item, order}, caches[1+i/2%6], figures{}})
			}
		}
	}
	for i, item := range []int{2, 8} {
		walks = append(walks, measured{walk{"nchw", shapes[4], item, "channel"}, caches[2+i], figures{}})
	}
	return walks
}
