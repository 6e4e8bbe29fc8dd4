package property

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestRapid: rapid draws the same cases twice in one process.
func TestRapid(t *testing.T) {
	var runs [2][]int
	for i := range runs {
		Check(t, func(t *rapid.T) { runs[i] = append(runs[i], rapid.Int().Draw(t, "n")) })
	}
	if fmt.Sprint(runs[0]) != fmt.Sprint(runs[1]) {
		t.Error("rapid draws other cases")
	}
}
