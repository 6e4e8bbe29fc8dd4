//go:build !unix

package input

import (
	"io"
	"os"

	"github.com/tlayout/tlayout/internal/name"
)

// ReadSmall reads a regular file into buffer. ok is false if the file is larger than the buffer, changes meanwhile, or cannot be opened;
// Open reports why.
func ReadSmall(n name.Name, buffer []byte) (content []byte, ok bool) {
	file, err := os.Open(n.Raw())
	if err != nil {
		return nil, false
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil || !before.Mode().IsRegular() || before.Size() > int64(len(buffer)) {
		return nil, false
	}
	size, err := io.ReadFull(file, buffer[:before.Size()])
	if err != nil {
		return nil, false
	}
	after, err := file.Stat()
	return buffer[:size], err == nil && after.Size() == before.Size() && after.ModTime().Equal(before.ModTime())
}
