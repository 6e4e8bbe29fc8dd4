package shared

import (
	"math/rand/v2"
	"testing"
)

// TestAccessDefinition: the transactions of an access are the most words of one bank, counted byte by byte, on random accesses of every
// width.
func TestAccessDefinition(t *testing.T) {
	d, conflicts := rand.New(rand.NewPCG(3, 4)), 0
	var sum BankCounts
	want := BankCounts{}
	for range 3000 {
		bytes := 1 << d.IntN(5)
		starts := make([]int, 1+d.IntN(Served(bytes)))
		for i := range starts {
			starts[i] = d.IntN(1+d.IntN(64)) * bytes
		}
		most := 0
		words := sum.Access(starts, bytes)
		for bank := range Banks {
			needed := map[int]bool{}
			for _, at := range starts {
				for b := at; b < at+bytes; b++ {
					if b/4%32 == bank {
						needed[b/4] = true
					}
				}
			}
			if words[bank] != len(needed) {
				t.Fatalf("threads of %d bytes at %v need %d words of bank %d, not %d", bytes, starts, len(needed), bank, words[bank])
			}
			most = max(most, len(needed))
		}
		want.Accesses, want.Transactions, want.Degree = want.Accesses+1, want.Transactions+most, max(want.Degree, most)
		conflicts += most - 1
	}
	if sum != want || sum.Conflicts() != conflicts || conflicts < 1000 {
		t.Errorf("%+v with %d conflicts, want %+v with %d", sum, sum.Conflicts(), want, conflicts)
	}
}

// TestKnownAccesses: the accesses in NVIDIA's guide, and vectors. Threads that access one word do not conflict.
func TestKnownAccesses(t *testing.T) {
	for _, c := range []struct {
		name                   string
		threads, stride, bytes int
		degree                 int
	}{
		{"words in a row", 32, 4, 4, 1}, {"every other word", 32, 8, 4, 2}, {"every third word", 32, 12, 4, 1},
		{"a column of 32 words", 32, 128, 4, 32}, {"one word", 32, 0, 4, 1}, {"bytes in a row", 32, 1, 1, 1},
		{"a column of half words", 32, 128, 2, 32}, {"vectors in a row", Served(16), 16, 16, 1}, {"vectors of 8", Served(8), 8, 8, 1},
		{"a column of vectors", Served(16), 128, 16, 8},
	} {
		starts := make([]int, c.threads)
		for i := range starts {
			starts[i] = i * c.stride
		}
		var n BankCounts
		if n.Access(starts, c.bytes); n.Degree != c.degree || n.Transactions != c.degree || n.Accesses != 1 {
			t.Errorf("%s: %+v, want degree %d", c.name, n, c.degree)
		}
	}
	for bytes, want := range map[int]int{1: 32, 2: 32, 4: 32, 8: 16, 16: 8} {
		if got := Served(bytes); got != want {
			t.Errorf("%d threads of %d bytes are served together, want %d", got, bytes, want)
		}
	}
	var none BankCounts
	if none.Access(nil, 4); none != (BankCounts{}) {
		t.Errorf("no threads: %+v", none)
	}
}
