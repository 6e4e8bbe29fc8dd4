package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Level is an instruction set. Within an architecture, higher levels include lower ones.
type Level int

const (
	Generic Level = iota // plain Go
	AVX2
	AVX512 // F, BW, DQ and VL
	NEON   // of arm64
)

// lanes returns the number of 16-byte lanes in a vector.
func (l Level) lanes() int { return []int{0, 2, 4, 1}[l] }

// streams reports whether kernels write past the caches if asked to.
func (l Level) streams() bool { return l == AVX2 || l == AVX512 }

var levelNames = []string{"generic", "avx2", "avx512", "neon"}

func (l Level) String() string { return levelNames[l] }

// parseLevel is the inverse of String.
func parseLevel(name string) (Level, error) {
	i := slices.Index(levelNames, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown instruction set %q, want one of %s", name, strings.Join(levelNames, ", "))
	}
	return Level(i), nil
}

// Variable is the environment variable that lowers the level of Best.
const Variable = "TLAYOUT_CPU"

var (
	available = detect()
	best, _   = FromEnv(os.Getenv(Variable)) // a program that reports a wrong value calls FromEnv itself
)

// Available returns the kernels of every level that this machine and this build support, Generic first.
func Available() []*Kernels { return slices.Clone(available) }

// FromEnv returns the kernels of the level in a value of Variable; "" is the highest available level. An unknown or unavailable level is an
// error, together with the kernels of the highest level.
func FromEnv(value string) (*Kernels, error) {
	highest := available[len(available)-1]
	if value == "" {
		return highest, nil
	}
	level, err := parseLevel(value)
	if err != nil {
		return highest, fmt.Errorf("%s: %w", Variable, err)
	}
	var names []string
	for _, k := range available {
		if k.Level == level {
			return k, nil
		}
		names = append(names, k.Name())
	}
	return highest, fmt.Errorf("%s: %s is not available on this machine or in this build: want %s", Variable, level, strings.Join(names, ", "))
}

// Best returns the kernels of the highest available level, unless Variable names a lower one.
func Best() *Kernels { return best }

// Name returns the name of the level.
func (k *Kernels) Name() string { return k.Level.String() }

// List returns the sorted names of the vector kernels as kernel/level: "tiles4x1/avx512" transposes tiles of 4 lanes of rows
// by 1 of columns. It is empty for Generic.
func (k *Kernels) List() (names []string) {
	for _, s := range k.shapes {
		names = append(names, fmt.Sprintf("tiles%dx%d/%s", s.rows, s.cols, s.level))
	}
	if k.width > 0 {
		names = append(names, fmt.Sprintf("program%d/%s", k.width, k.Level))
	}
	if k.Streams() {
		names = append(names, "copy/avx2")
	}
	slices.Sort(names)
	return names
}
