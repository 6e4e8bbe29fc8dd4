//go:build !amd64 || purego

package kernel

func detect() []*Kernels { return []*Kernels{{Level: Generic}} }

const streamsInOrder = false

// The stubs below are never called: Generic has no vectors.

func (b *block) run(size, lanes int, stream bool) {}
func (s *shuffle) run(lanes, stream bool)         {}
func (c *copying) lines(level Level, stream bool) {}
func (c *copying) pages()                         {}
func (c *copying) bytes()                         {}
func (r *rows) run(stream bool)                   {}
func fence()                                      {}
