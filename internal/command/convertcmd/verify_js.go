package convertcmd

import (
	"os"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// verify refuses: the page leaves reading results back out.
func (j *job) verify(name.Name, *os.File, []task) error {
	return fault.New(fault.Unsupported, "the page does not verify a result").WithHint("run it at a terminal")
}
