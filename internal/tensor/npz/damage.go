package npz

import "github.com/tlayout/tlayout/internal/fault"

// damaged is the error for bytes that contradict each other: a copy of the archive may have other ones.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the archive again, or write it again")
}
