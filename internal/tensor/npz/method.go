package npz

import "fmt"

// Method is how a member's content is packed; the number in its header.
type Method uint16

// The methods that can be read: as it is, which np.savez writes, and deflated, which np.savez_compressed writes.
const (
	Stored   Method = 0
	Deflated Method = 8
)

// methods names those that other programs use. Source: APPNOTE.TXT, section 4.4.5.
var methods = map[Method]string{
	Stored: "stored", Deflated: "deflated", 1: "shrunk", 6: "imploded", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz",
	98: "PPMd", 99: "AES",
}

func (m Method) String() string {
	if name, ok := methods[m]; ok {
		return name
	}
	return fmt.Sprintf("method %d", uint16(m))
}
