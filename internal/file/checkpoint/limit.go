package checkpoint

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
)

// Limit bounds the tensors of a container, and in proportion everything else that a file can make a reader hold. It stops no model: what a
// command holds follows from the bytes that describe the tensors, at least 8 each in every format but pickles, which Listable bounds.
type Limit int

// DefaultLimit is the default of --max-tensors, which accepts up to MaxLimit.
const (
	DefaultLimit Limit = 1_000_000
	MaxLimit     Limit = 10_000_000
)

// Check refuses a container with too many tensors, called what: fault.Resource. Readers call it as soon as n is known, or for each
// tensor.
func (l Limit) Check(n uint64, what string) error {
	if n <= uint64(l) {
		return nil
	}
	return fault.New(fault.Resource, "more than %d %s", l, what).WithHint("%s", l.Hint())
}

// Numbers of tensors in pickles, which can name one again in five bytes. torch.save writes some 250 bytes for a tensor.
const (
	listedAnyway   = 20_000 // tensors that a pickle of any size may list
	bytesOfListing = 32     // bytes of a pickle for each tensor more
)

// Listable returns how many tensors the pickles of a container may list that have so many bytes.
func Listable(bytes int64) int { return listedAnyway + int(bytes/bytesOfListing) }

// Hint returns how to raise the limit.
func (l Limit) Hint() string { return fmt.Sprintf("--max-tensors %d allows more", min(5*l, MaxLimit)) }

// MaxName bounds a name in bytes: a tensor's with all its keys, a metadata key, a pickle's global.
const MaxName = 64 << 10

// Bytes of all names of a container, and likewise of its metadata.
const (
	leastTexts   = 16 << 20
	textOfTensor = 64 // for each tensor of the limit, if that is more
)

// Room is the remaining budget for a container's texts: its names, or its metadata.
type Room struct {
	what        string
	limit       Limit
	whole, left int64 // bytes
}

// Room returns the budget for texts, which errors call what: 16 MiB, or 64 bytes for each tensor of the limit, by default 64 MB.
func (l Limit) Room(what string) *Room {
	whole := max(leastTexts, textOfTensor*int64(l))
	return &Room{what, l, whole, whole}
}

// Left returns how many bytes are left.
func (r *Room) Left() int64 { return r.left }

// Take uses n bytes for a text, or refuses the container: fault.Unsupported.
func (r *Room) Take(n int64) error {
	if r.left -= n; r.left >= 0 {
		return nil
	}
	return fault.New(fault.Unsupported, "%s: more than %d bytes in total", r.what, r.whole).WithHint("%s", r.limit.Hint())
}

// TakeName is Take for a name, which has at most MaxName bytes.
func (r *Room) TakeName(n int64) error {
	if n > MaxName {
		return LongName(r.what)
	}
	return r.Take(n)
}

// LongName returns the error for a name of more than MaxName bytes: fault.Unsupported.
func LongName(what string) error {
	return fault.New(fault.Unsupported, "%s: one of more than %d bytes", what, MaxName)
}
