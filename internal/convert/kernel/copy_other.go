//go:build !amd64 || purego

package kernel

const streamsInOrder = false

// The stubs below are never called: there are neither streaming stores nor vectors of more than 16 bytes.

func (p *permutation) run(dense int) {}
func (c *copying) lines(stream bool) {}
func (c *copying) pages()            {}
func (c *copying) bytes()            {}
func fence()                         {}
