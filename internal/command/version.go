package command

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// versionDocument is the JSON that version prints.
var versionDocument = cli.Document{Schema: "tlayout/version/v1", Prints: "version", Type: reflect.TypeFor[versionReport]()}

type versionReport struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Commit  string `json:"commit"`      // commit of the build; empty if unknown
	Date    string `json:"commit_date"` // time of the commit, RFC 3339, UTC
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	versionKernel

	Settings *string `json:"settings_file" jsonschema:"null without one"` // the settings file
}

// versionKernel describes the kernels that move data.
type versionKernel struct {
	Level     string   `json:"kernel_level"`
	Available []string `json:"kernel_levels"` // levels that TLAYOUT_CPU may name on this machine
	List      []string `json:"kernels"`       // kernels of this level; none in plain Go
}

func (r versionReport) line() string {
	return fmt.Sprintf("tlayout %s (%s %s/%s, %s)", r.Version, r.Go, r.OS, r.Arch, r.Level)
}

// built returns the commit and its date.
func (r versionReport) built() string {
	day, _, _ := strings.Cut(r.Date, "T")
	return strings.TrimSpace("commit " + r.Commit[:min(12, len(r.Commit))] + " " + day)
}

// Page writes the version, the commit if it is known, and the settings file, a line each.
func (r versionReport) Page(p *cli.Page) {
	p.Items(r.line())
	if r.Commit != "" {
		p.Items(r.built())
	}
	if r.Settings != nil {
		p.Items("settings: " + text.Quote(*r.Settings))
	}
}

// Rows returns one row.
func (r versionReport) Rows() render.Table {
	return cli.TableOf("version,go,os,arch,kernel_level,commit,commit_date", r)
}

func newVersionKernel(k *kernel.Kernels) versionKernel {
	return versionKernel{Level: k.Name(), Available: cli.AvailableLevels(), List: append([]string{}, k.List()...)}
}

func newVersionCmd(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, commit, platform, kernels and settings file",
		Args:  cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			kernels, err := a.Kernels()
			if err != nil {
				return err
			}
			settings, err := a.SettingsFile()
			if err != nil {
				return err
			}
			commit, date := cli.Commit()
			return a.Write(versionReport{
				"tlayout/version/v1", cli.Version(), commit, date, runtime.Version(), runtime.GOOS, runtime.GOARCH, newVersionKernel(kernels), text.OrNull(settings.Redacted()),
			})
		},
	}
}
