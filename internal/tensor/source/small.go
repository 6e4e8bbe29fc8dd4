package source

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

// ReadSmall reads a regular file into buffer. ok is false if that does not succeed at once: the file is larger than the buffer, changes
// meanwhile, or cannot be opened; Open says why.
func ReadSmall(path string, buffer []byte) (content []byte, ok bool) { return readSmall(path, buffer) }

// SplitHeader is the header of the .npy file that content begins with: its first bytes, up to the data.
func SplitHeader(content []byte) (header []byte, ok bool) {
	const fixed = 12
	if len(content) < fixed || string(content[:len(npyMagic)]) != npyMagic {
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

// FromContent is the tensor in a .npy file of that name and content, without its data.
func FromContent(name string, content []byte, o Options) (*Tensor, error) {
	t := &Tensor{Source: words.Redact(name), Kind: "npy"}
	if err := t.read(bytes.NewReader(content), int64(len(content)), o); err != nil {
		return nil, err
	}
	return t, nil
}

// Tail is the end of a file's name that says what the file is: its ending, and before it the layout of the axes, if there is something
// before that. It is ".nhwc.npy" of "x.nhwc.npy", "nhwc.npy" of a file of that name, ".npy" of "x.npy", ".pt" of "x.pt".
func Tail(base string) string {
	stem := trimNpy(base)
	if stem == base {
		if at := strings.LastIndexByte(base, '.'); at > 0 {
			return base[at:]
		}
		return ""
	}
	inner := withoutOwn(stem)
	_, part := splitOrder(inner)
	if part != "" && mayBeOrder(part) {
		if _, ok := orderOf(part); ok {
			at := len(inner) - len(part)
			if at > 0 {
				at-- // the dot
			}
			return base[at:]
		}
	}
	return base[len(inner):]
}

// mayBeOrder is quick, and false for most of what orderOf refuses: names of files that are numbered.
func mayBeOrder(part string) bool {
	digits := 0
	for i := range len(part) {
		c := part[i]
		switch {
		case '0' <= c && c <= '9':
			if digits++; digits > 4 {
				return false
			}
		case c == '_' || c >= 0x80, 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			digits = 0
		default:
			return true
		}
	}
	return true
}
