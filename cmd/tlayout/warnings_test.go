package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// warned are commands that read X, a file with three bytes after its data.
var warned = []string{
	"inspect X", "inspect X --offsets --limit 2", "inspect X --storage --limit 2", "inspect X --explain",
	"check X --packed", "convert X --to nhwc --dry-run --allow-trailing", "plan X --to nhwc", "bench X " + quick,
	"trace X T", "trace X T --values --limit 2", "offset X 0,0,0,0", "diff X Y", "draw X", "draw X -o x.svg --force",
}

// TestWarnings: every command warns once of bytes after the data: in the document for JSON, otherwise on standard error.
func TestWarnings(t *testing.T) {
	t.Chdir(t.TempDir())
	content := fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false))
	cli.Must(os.WriteFile("y.npy", content, 0o644))
	cli.Must(os.WriteFile("x.npy", append(slices.Clone(content), "abc"...), 0o644))
	for _, command := range warned {
		args := strings.Fields(strings.NewReplacer("X", "x.npy", "Y", "y.npy").Replace(command))
		for _, format := range []string{"table", "csv", "markdown", "json"} {
			o := runIn(t, nil, append(args, "-f", format)...)
			if o.code != 0 {
				t.Errorf("tlayout %s -f %s: exit code %d\n%s", command, format, o.code, o.err)
				continue
			}
			const warning = "3 bytes after the data"
			people, document := 1, 0
			if format == "json" {
				people, document = 0, 1
			}
			if got := strings.Count(o.err, warning); got != people {
				t.Errorf("tlayout %s -f %s: %d times on standard error, expected %d:\n%s", command, format, got, people, o.err)
			}
			if got := strings.Count(o.out, warning); got != document {
				t.Errorf("tlayout %s -f %s: %d times on standard output, expected %d", command, format, got, document)
			}
		}
	}
}
