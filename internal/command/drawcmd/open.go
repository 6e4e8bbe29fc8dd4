//go:build !js

package drawcmd

import (
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// viewer returns the command that opens a file in the user's viewer.
func viewer(system string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// openFile opens a written file in the viewer.
func openFile(n name.Name) error {
	command := viewer(runtime.GOOS)
	whole, err := filepath.Abs(n.Raw())
	if err == nil {
		err = exec.Command(command[0], append(command[1:], whole)...).Run()
	}
	if err != nil {
		return fault.New(fault.Resource, "%s was written, but %s cannot open it: %s", n, command[0], text.Quote(fault.Cause(err).Error())).
			WithHint("open it in a browser or viewer")
	}
	return nil
}
