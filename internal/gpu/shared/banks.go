// Package shared is a model of the shared memory of NVIDIA's GPUs: which elements the threads of a warp access at once, and how many
// transactions the banks need for it.
//
//	BankCounts   the words of each bank, access by access    banks.go
//	Pattern      the accesses of warps to a tile             pattern.go
//	Parse        their spellings                             parse.go
//	Search       swizzles and pads with fewer transactions   search.go
//	Search.TMA   the tiles that the modes of TMA write       tma.go
package shared

import "slices"

// Shared memory of NVIDIA GPUs since compute capability 5.0: successive 4-byte words are in successive banks, and a bank serves one word at
// a time, to all threads that request it. (CUDA C++ Programming Guide 12, "Shared Memory" of compute capability 5.x)
const (
	Banks     = 32
	WordBytes = 4
	Warp      = 32 // threads
)

// Served returns how many threads of a warp are served together if each accesses this many bytes, a power of two up to 16: a warp, half of
// it for 8 bytes or a quarter for 16, as a request moves at most 128 bytes. (Greg Smith of NVIDIA in forums.developer.nvidia.com/t/77228:
// an LDS.128 takes 4 requests)
func Served(bytes int) int { return min(Warp, Banks*WordBytes/bytes) }

// BankCounts are the costs of accesses to shared memory. An access comprises the threads that are served together.
type BankCounts struct {
	Accesses     int `json:"accesses"`     // memory accesses of warps
	Transactions int `json:"transactions"` // one for each word of an access's busiest bank
	Degree       int `json:"degree"`       // most transactions of one access
}

// Conflicts returns the number of transactions in excess of accesses.
func (c BankCounts) Conflicts() int { return c.Transactions - c.Accesses }

// Access counts an access of at most 32 threads that each take up to 16 bytes at one of starts, which are not negative. It returns how
// many words of each bank it needs.
//
//	transactions = max over banks of |{⌊b/4⌋ : bytes b of the access with ⌊b/4⌋ mod 32 = bank}|
func (c *BankCounts) Access(starts []int, bytes int) (words [Banks]int) {
	if len(starts) == 0 {
		return words
	}
	var seen [Banks][Warp]int
	worst := 0
	for _, at := range starts {
		for word := at / WordBytes; word <= (at+bytes-1)/WordBytes; word++ {
			bank := word % Banks
			if n := words[bank]; !slices.Contains(seen[bank][:n], word) {
				seen[bank][n] = word
				words[bank]++
				worst = max(worst, words[bank])
			}
		}
	}
	c.Accesses = c.Accesses + 1
	c.Transactions = c.Transactions + worst
	c.Degree = max(c.Degree, worst)
	return words
}
