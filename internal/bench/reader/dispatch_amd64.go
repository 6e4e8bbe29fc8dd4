//go:build amd64 && !purego

package reader

import "github.com/tlayout/tlayout/internal/convert/kernel"

// add runs a kernel. Direct calls keep b and what it points to on the stack.
func (b *rows) add(level kernel.Level, row int) {
	switch row {
	case 1:
		add1SSE2(b)
	case 2:
		add2SSE2(b)
	case 4:
		add4SSE2(b)
	case 8:
		add8SSE2(b)
	case 16:
		add16SSE2(b)
	case 32:
		b.add32(level)
	case 64:
		b.add64(level)
	}
}

func (b *rows) add32(level kernel.Level) {
	if level == kernel.SSE2 {
		add32SSE2(b)
	} else {
		add32AVX2(b)
	}
}

func (b *rows) add64(level kernel.Level) {
	switch level {
	case kernel.SSE2:
		add64SSE2(b)
	case kernel.AVX2:
		add64AVX2(b)
	default:
		add64AVX512(b)
	}
}

func (b *listed) add(level kernel.Level, row int) {
	switch row {
	case 1:
		addAt1SSE2(b)
	case 2:
		addAt2SSE2(b)
	case 4:
		addAt4SSE2(b)
	case 8:
		addAt8SSE2(b)
	case 16:
		addAt16SSE2(b)
	case 32:
		b.add32(level)
	case 64:
		b.add64(level)
	}
}

func (b *listed) add32(level kernel.Level) {
	if level == kernel.SSE2 {
		addAt32SSE2(b)
	} else {
		addAt32AVX2(b)
	}
}

func (b *listed) add64(level kernel.Level) {
	switch level {
	case kernel.SSE2:
		addAt64SSE2(b)
	case kernel.AVX2:
		addAt64AVX2(b)
	default:
		addAt64AVX512(b)
	}
}

func (b *lines) load(level kernel.Level) {
	switch level {
	case kernel.SSE2:
		loadSSE2(b)
	case kernel.AVX2:
		loadAVX2(b)
	default:
		loadAVX512(b)
	}
}

func (b *lines) loadPages(level kernel.Level) {
	switch level {
	case kernel.SSE2:
		loadPagesSSE2(b)
	case kernel.AVX2:
		loadPagesAVX2(b)
	default:
		loadPagesAVX512(b)
	}
}
