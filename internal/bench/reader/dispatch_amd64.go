//go:build amd64 && !purego

package reader

import "github.com/tlayout/tlayout/internal/convert/kernel"

// vectors reports whether the kernels, which need AVX2, run at a level.
func vectors(l kernel.Level) bool { return l >= kernel.AVX2 }

// add runs a kernel. Direct calls keep b and what it points to on the stack.
func (b *rows) add(row int) {
	switch row {
	case 1:
		add1(b)
	case 2:
		add2(b)
	case 4:
		add4(b)
	case 8:
		add8(b)
	case 16:
		add16(b)
	case 32:
		add32(b)
	case 64:
		add64(b)
	}
}

func (b *listed) add(row int) {
	switch row {
	case 1:
		addAt1(b)
	case 2:
		addAt2(b)
	case 4:
		addAt4(b)
	case 8:
		addAt8(b)
	case 16:
		addAt16(b)
	case 32:
		addAt32(b)
	case 64:
		addAt64(b)
	}
}
