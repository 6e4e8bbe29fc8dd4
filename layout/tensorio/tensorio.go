// Package tensorio reads and writes the tensors of package layout as .npy and .safetensors files. Files are not trusted: all that they claim is
// checked, and memory is allocated for bytes that exist.
package tensorio

import (
	"errors"
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
)

// Errors that a caller may act upon, for errors.Is. Others are those of the reader or writer.
var (
	// ErrFormat: a file breaks its format, or has elements that are not supported.
	ErrFormat = errors.New("not readable")
	// ErrNoTensor: a file has no tensor of a name.
	ErrNoTensor = errors.New("no such tensor")
)

// refusal returns an error of a format as ErrFormat, and another one, of reading, as it is.
func refusal(err error) error {
	if fault.ClassOf(err) == fault.Resource {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}
