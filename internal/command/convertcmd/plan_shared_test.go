package convertcmd

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
)

// TestSharedLabels: each access of plan --shared is labelled as it was given, a read or a write, and numbered if there are several of its kind.
func TestSharedLabels(t *testing.T) {
	label := regexp.MustCompile(`(read|write)( \d)?`)
	for args, want := range map[string]string{
		"--read ldmatrix":                                  "read",
		"--write rows:16":                                  "write",
		"--read ldmatrix --write rows:16":                  "read,write",
		"--write rows:16 --read ldmatrix":                  "read,write",
		"--read ldmatrix --write rows:16 --write stmatrix": "read,write 1,write 2",
		"--read ldmatrix --read rows:16 --write rows:16":   "read 1,read 2,write",
	} {
		var page bytes.Buffer
		cmd := NewPlanCmd(&cli.App{Streams: &cli.Streams{Out: io.Discard, Err: io.Discard, Env: noEnv}, Stdout: &page, Format: cli.Table, Color: cli.ColorNever})
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetArgs(append(strings.Fields(args), "--shared", "--shape", "64,64", "--dtype", "float16"))
		if err := cmd.Execute(); err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		lines := strings.Split(page.String(), "\n")
		header := slices.IndexFunc(lines, func(line string) bool { return strings.HasSuffix(line, "conflict  layout") })
		if header < 0 || strings.Join(label.FindAllString(lines[header], -1), ",") != want {
			t.Errorf("%s: want %s\n%s", args, want, page.String())
		}
	}
}
