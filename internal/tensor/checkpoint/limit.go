package checkpoint

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
)

// Limit bounds the tensors of a container, and in proportion to them what else a file can make a reader hold. A million tensors of a few
// bytes each are a file of 100 MB, which takes a reader minutes and gigabytes.
type Limit int

// DefaultLimit is the limit of a command that is not told another one by --max-tensors, which takes up to MaxLimit.
const (
	DefaultLimit Limit = 20_000
	MaxLimit     Limit = 10_000_000
)

// Check refuses a container of n tensors, called what, if these are too many: fault.Resource. A reader that counts asks as soon as n
// is known, or for each tensor.
func (l Limit) Check(n uint64, what string) error {
	if n <= uint64(l) {
		return nil
	}
	return fault.New(fault.Resource, "more than %d %s", l, what).WithHint("%s", l.Hint())
}

// Hint says how to raise the limit.
func (l Limit) Hint() string { return fmt.Sprintf("--max-tensors %d allows more", min(5*l, MaxLimit)) }
