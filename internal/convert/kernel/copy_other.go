//go:build !amd64 || purego

package kernel

const streamsInOrder = false

// These stubs are never called: there are no streaming stores, and no vectors of more than 16 bytes.

func (p *permutation) run(dense int) {}

func (p *permutation) runLanes(dense int, adjacent bool) {}
func (c *copying) lines(stream bool)                     {}
func (c *copying) pages()                                {}
func (c *copying) bytes()                                {}
func fence()                                             {}
