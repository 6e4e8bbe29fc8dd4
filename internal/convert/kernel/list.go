package kernel

import (
	"fmt"
	"slices"
)

// Name is the name of the level.
func (k *Kernels) Name() string { return k.Level.String() }

// List names what these kernels do with vectors, each as kernel/level: "transpose4/avx512" transposes items of 4 bytes.
// It is sorted, and empty for Generic.
func (k *Kernels) List() (names []string) {
	if k.lanes == 0 {
		return nil
	}
	for _, size := range []int{1, 2, 4, 8, 16} {
		names = append(names, fmt.Sprintf("transpose%d/%s", size, k.Level))
	}
	if k.lanes >= 2 {
		names = append(names, "copy/avx2", "shuffle/avx2")
	}
	if k.vbmi {
		names = append(names, "shuffle64/avx512")
	}
	slices.Sort(names)
	return names
}
