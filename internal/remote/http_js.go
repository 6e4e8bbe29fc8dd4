package remote

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// OpenHTTP refuses: the page requests its own files only.
func OpenHTTP(n name.Name) (*Reader, error) {
	return nil, fault.New(fault.Unsupported, "%s: the page reads no URLs", n).WithHint("download the file, and drop it on the page")
}
