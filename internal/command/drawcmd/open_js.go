package drawcmd

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// openFile refuses: a page starts no program.
func openFile(n name.Name) error {
	return fault.New(fault.Resource, "%s was written, but the page cannot open it", n).WithHint("open it in a browser or viewer")
}
