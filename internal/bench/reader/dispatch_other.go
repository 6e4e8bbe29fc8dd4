//go:build !amd64 || purego

package reader

import "github.com/tlayout/tlayout/internal/convert/kernel"

// The stubs below are never called: Generic is the only level.

func (b *rows) add(level kernel.Level, row int)   {}
func (b *listed) add(level kernel.Level, row int) {}
func (b *lines) load(level kernel.Level)          {}
func (b *lines) loadPages(level kernel.Level)     {}
