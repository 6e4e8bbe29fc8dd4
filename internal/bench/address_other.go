//go:build !linux

package bench

// addressSpace is available on Linux only.
func addressSpace(string) (int64, bool) { return 0, false }
