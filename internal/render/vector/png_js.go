package vector

import (
	"io"

	"github.com/tlayout/tlayout/internal/fault"
)

// PNG refuses: the page leaves rasterizing out.
func (d Drawing) PNG(io.Writer, PNGOptions) error {
	return fault.New(fault.Unsupported, "the page draws no PNG").WithHint("save the SVG: -o x.svg")
}
