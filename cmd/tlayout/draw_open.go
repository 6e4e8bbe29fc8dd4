package main

import (
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/tlayout/tlayout/internal/fault"
)

// viewer is the command that shows a file as the system's user wants it shown.
func viewer(system string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// openFile shows a file that has been written.
func openFile(path string) error {
	command := viewer(runtime.GOOS)
	whole, err := filepath.Abs(path)
	if err == nil {
		err = exec.Command(command[0], append(command[1:], whole)...).Run()
	}
	if err != nil {
		return fault.New(fault.Resource, `"%s" has been written, but %s cannot show it: %s`, fault.Quote(path), command[0], fault.Quote(rootCause(err).Error())).
			WithHint("open it yourself")
	}
	return nil
}
