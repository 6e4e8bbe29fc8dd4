package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// release is set by the linker for a release: -X main.release=v1.2.3.
var release string

// version is the release, the module's version, or "devel".
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

type versionReport struct {
	Schema  string        `json:"schema"`
	Version string        `json:"version"`
	Go      string        `json:"go"`
	OS      string        `json:"os"`
	Arch    string        `json:"arch"`
	Kernels versionKernel `json:"kernels"`
}

// versionKernel says what moves the data.
type versionKernel struct {
	Level     string   `json:"level"`
	Available []string `json:"available"` // the levels that TLAYOUT_CPU may name here
	List      []string `json:"list"`      // kernel/level; none in plain Go
}

func newVersionKernel(k *kernel.Kernels) versionKernel {
	return versionKernel{Level: k.Name(), Available: availableLevels(), List: append([]string{}, k.List()...)}
}

func newVersionCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it was built for",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			kernels, err := a.kernels()
			if err != nil {
				return err
			}
			r := versionReport{"tlayout/version/v1", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, newVersionKernel(kernels)}
			if a.format == formatJSON {
				return writeJSON(a.stdout, r, true)
			}
			_, err = fmt.Fprintf(a.stdout, "tlayout %s (%s %s/%s, %s)\n", r.Version, r.Go, r.OS, r.Arch, r.Kernels.Level)
			return err
		},
	}
}
