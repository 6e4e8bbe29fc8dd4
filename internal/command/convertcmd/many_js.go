package convertcmd

import (
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// isMany reports whether the arguments are a batch.
func (o *options) isMany(args []name.Name) (bool, error) {
	return !o.dir.IsZero() && len(args) > 1, nil
}

// runMany refuses: a page converts one source at a time.
func runMany(*cli.App, *options, []name.Name) error {
	return fault.New(fault.Unsupported, "a page converts one source at a time").WithHint("run it at a terminal")
}
