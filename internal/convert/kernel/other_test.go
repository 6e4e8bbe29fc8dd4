//go:build !amd64 || purego

package kernel

func otherKernels() map[string]*Kernels { return nil }
