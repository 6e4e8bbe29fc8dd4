package guesscmd

import (
	"io"

	"github.com/tlayout/tlayout/internal/fault"
)

// png refuses: the page leaves encoding PNG out.
func (p *picture) png(io.Writer) error {
	return fault.New(fault.Unsupported, "the page writes no PNG").WithHint("run it at a terminal")
}
