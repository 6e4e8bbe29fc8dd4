package beam

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convertcmd"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// TestCheckFlags: flags that a pipeline cannot honor are refused by name before it starts, as are unknown ones; the others pass.
func TestCheckFlags(t *testing.T) {
	defer Close()
	base := []string{"--to", "nhwc", "-d", filepath.Join(t.TempDir(), "out")}
	for _, c := range []struct{ flags, text string }{
		{"", ""}, {"--force", ""}, {"--verify --threads 1", ""},
		{"--no-such", "--no-such"}, {"x.npy", "x.npy"}, {"--shard 0/2", "--shard"}, {"--shard auto", "--shard"}, {"--jobs 2", "--jobs"},
		{"--report r", "--report"}, {"-@", "--list"}, {"-0", "--null"}, {"-o x.npy", "--output"}, {"--split 2", "--split"}, {"--dry-run", "--dry-run"},
	} {
		err := CheckFlags(append(base[:4:4], strings.Fields(c.flags)...))
		flag, _, _ := strings.Cut(c.flags, " ")
		cmd := convertcmd.NewCmd(&cli.App{Streams: cli.System()})
		if c.text != "" && strings.HasPrefix(flag, "--") && flag != "--no-such" && cmd.Flags().Lookup(flag[2:]) == nil {
			c.text = flag // removed from tlayout convert, so unknown
		}
		switch {
		case c.text == "" && err != nil:
			t.Errorf("%q: %v", c.flags, err)
		case c.text != "" && (err == nil || fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), c.text)):
			t.Errorf("%q: %v, want a usage error that names %s", c.flags, err, c.text)
		}
	}
	for _, flags := range [][]string{nil, {"--to", "nhwc"}, {"-d", "out"}} {
		if err := CheckFlags(flags); err == nil || fault.ClassOf(err) != fault.Usage {
			t.Errorf("%q: %v", flags, err)
		}
	}
}

// TestCheckResults: sources with the same result are refused; those in other folders, or that cannot be read, are not.
func TestCheckResults(t *testing.T) {
	dir := t.TempDir()
	content, err := os.ReadFile("../testdata/x.npy")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.npy", "a.nchw.npy", "b.npy"} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(dir, "b.nchw.npy"), content[:20], 0o644)
	flags := []string{"--to", "nhwc", "-d", filepath.Join(dir, "out")}
	for _, c := range []struct{ names, refused string }{
		{"a.npy b.npy", ""}, {"a.npy a.nchw.npy", "a.nhwc.npy"}, {"a.npy b.npy a.npy", "a.nhwc.npy"}, {"b.npy b.nchw.npy", ""}, {"a.npy none.npy", ""}, {"none.npy none.nchw.npy", ""},
		{"x/a.npy a.npy", ""},
	} {
		var list batch.List
		for _, rel := range strings.Fields(c.names) {
			list.Add(batch.Item{Name: name.Parse(filepath.Join(dir, filepath.Base(rel))), Rel: rel})
		}
		err := CheckResults(&list, flags)
		if (err == nil) != (c.refused == "") || err != nil && (fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: %v", c.names, err)
		}
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "out", "*.npy")); len(made) > 0 {
		t.Errorf("the check wrote %q", made)
	}
}
