package kernel

import (
	"fmt"
	"os"
	"slices"
)

// Variable is the environment variable that lowers the level that Best returns.
const Variable = "TLAYOUT_CPU"

var (
	available = detect()
	best, _   = FromEnv(os.Getenv(Variable)) // a program that wants to tell of a wrong value asks FromEnv itself
)

// Available returns the kernels of every level that this machine and this build have, Generic first.
func Available() []*Kernels { return slices.Clone(available) }

// For returns the kernels of a level, or false where this machine or this build does not have it.
func For(level Level) (*Kernels, bool) {
	if int(level) >= len(available) {
		return nil, false
	}
	return available[level], true
}

// FromEnv returns the kernels that a value of Variable names, and those of the highest level for "". A name that is
// unknown, or a level that is not available, is an error; the kernels are then those of the highest level too.
func FromEnv(value string) (*Kernels, error) {
	highest := available[len(available)-1]
	if value == "" {
		return highest, nil
	}
	level, err := ParseLevel(value)
	if err != nil {
		return highest, fmt.Errorf("%s: %w", Variable, err)
	}
	k, ok := For(level)
	if !ok {
		return highest, fmt.Errorf("%s: this machine or this build has no %s, only up to %s", Variable, level, highest.Level)
	}
	return k, nil
}

// Best returns the kernels of the highest level that is available, unless Variable names a lower one.
func Best() *Kernels { return best }
