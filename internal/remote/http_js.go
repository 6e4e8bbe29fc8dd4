package remote

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// OpenHTTP refuses: the page requests its own files only.
func OpenHTTP(name string) (*Reader, error) {
	return nil, fault.New(fault.Unsupported, "%s: the page reads no URLs", text.Quoted(name)).WithHint("download the file, and drop it on the page")
}
