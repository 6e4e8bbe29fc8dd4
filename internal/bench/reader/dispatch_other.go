//go:build !amd64 || purego

package reader

import "github.com/tlayout/tlayout/internal/convert/kernel"

// vectors reports whether the kernels run at a level.
func vectors(kernel.Level) bool { return false }

// The stubs below are never called.

func (b *rows) add(row int)   {}
func (b *listed) add(row int) {}
func loadLines(b *lines)      {}
func loadPages(b *lines)      {}
