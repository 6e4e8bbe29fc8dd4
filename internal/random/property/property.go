// Package property is pgregory.net/rapid with the seed of package random. It is separate because rapid takes 3 ms to start, in each process
// of a test that starts the program a thousand times.
package property

import (
	"flag"
	"strconv"
	"sync"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"pgregory.net/rapid"
)

var seed sync.Once

// Check is rapid.Check. A -rapid.seed on the command line takes precedence.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	n := strconv.FormatUint(random.Seed(t), 10)
	seed.Do(func() {
		if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
			f.Value.Set(n) //nolint:errcheck // a number
		}
	})
	rapid.Check(t, property)
}

// MakeCheck is rapid.MakeCheck.
func MakeCheck(property func(*rapid.T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		Check(t, property)
	}
}
