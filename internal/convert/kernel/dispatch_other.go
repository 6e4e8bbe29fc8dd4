//go:build !amd64 || purego

package kernel

func detect() []*Kernels { return []*Kernels{{Level: Generic}} }

// The stubs below are never called: Generic has no vectors.

func (b *block) run(size, lanes int, stream bool) {}
func (s *shuffle) run(lanes, stream bool)         {}
func (s *stream) run()                            {}
func (r *rows) run(stream bool)                   {}
func fence()                                      {}
