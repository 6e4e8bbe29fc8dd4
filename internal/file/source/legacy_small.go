package source

// To be deleted with convertcmd's short way for small files.

import (
	"encoding/binary"

	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
)

// SplitHeader returns the header of the .npy file that content begins with: its first bytes, up to the data.
func SplitHeader(content []byte) (header []byte, ok bool) {
	const fixed = 12
	if len(content) < fixed || string(content[:len(npy.Magic)]) != npy.Magic {
		return nil, false
	}
	n := 10 + int(binary.LittleEndian.Uint16(content[8:]))
	if content[6] != 1 {
		long := binary.LittleEndian.Uint32(content[8:])
		if long > 1<<24 {
			return nil, false
		}
		n = fixed + int(long)
	}
	return content[:min(n, len(content))], n <= len(content)
}

// FromContent returns the source in a .npy file with this name and content.
func FromContent(n name.Name, content []byte) (*Set, error) {
	return openKind(n, "", input.Memory(n.String(), content), Options{})
}
