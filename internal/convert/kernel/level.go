package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Level is an instruction set. Higher ones include the lower ones.
type Level int

const (
	Generic Level = iota // plain Go
	SSE2
	AVX2
	AVX512 // with the parts BW, DQ and VL
)

var levelNames = []string{"generic", "sse2", "avx2", "avx512"}

func (l Level) String() string { return levelNames[l] }

// ParseLevel is the inverse of String.
func ParseLevel(name string) (Level, error) {
	i := slices.Index(levelNames, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown instruction set %q: one of %s", name, strings.Join(levelNames, ", "))
	}
	return Level(i), nil
}
