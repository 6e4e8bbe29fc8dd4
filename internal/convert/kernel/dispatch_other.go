//go:build !amd64 || purego

package kernel

func detect() []*Kernels { return []*Kernels{{Level: Generic}} }

const streamsInOrder = false

// The stubs below are never called: Generic has no vectors.

func (s tileShape) run(b *tiles, size int, stream bool) {}
func (p *permutation) run(stream bool)                  {}
func (p *permutation) run16()                           {}
func (c *copying) lines(level Level, stream bool)       {}
func (c *copying) pages()                               {}
func (c *copying) bytes()                               {}
func (r *rows) run()                                    {}
func fence()                                            {}
