package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// TestFlags: flags parse these texts to these values.
func TestFlags(t *testing.T) {
	a := &cli.App{Streams: &cli.Streams{In: new(bytes.Buffer)}}
	for _, c := range []struct {
		command string
		args    string
		want    map[string]string
	}{
		{"inspect", "", map[string]string{"limit": "64", "offsets": "false", "storage": "false", "shape": "", "channels": "0"}},
		{"inspect", "--shape (1,64,5,4) --strides [1280,1,256,64] --offset 3", map[string]string{
			"shape": "1, 64, 5, 4", "strides": "1280, 1, 256, 64", "offset": "3"}},
		{"inspect", "--from NHWC --dtype f4 --max-header 64MiB", map[string]string{"from": "NHWC", "dtype": "float32", "max-header": "64 MiB"}},
		{"convert", "", map[string]string{"memory": "64 MiB", "pad-value": "0", "force": "false", "durable": "false", "verify": "false"}},
		{"convert", "--from nhwc --to nchw4 -o y.npy", map[string]string{"from": "nhwc", "to": "nchw4", "output": "y.npy"}},
		{"convert", "--to-pitch W=64B,H=4 --to-pitch N=2", map[string]string{"to-pitch": "[W=64B,H=4,N=2]"}},
	} {
		cmd := fixture.Must(newChild(a, c.command))
		if err := cmd.ParseFlags(strings.Fields(c.args)); err != nil {
			t.Errorf("%s %s: %v", c.command, c.args, err)
			continue
		}
		for name, want := range c.want {
			if got := cmd.Flags().Lookup(name).Value.String(); got != want {
				t.Errorf("%s %s: --%s is %q, expected %q", c.command, c.args, name, got, want)
			}
		}
	}
}

// TestRelations: flags that exclude or need others, or override their settings, are flags of their command.
func TestRelations(t *testing.T) {
	found := 0
	for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
		for _, relation := range []string{"rivals", "exclusive", "needs"} {
			for _, name := range strings.FieldsFunc(c.Annotations[relation], func(r rune) bool { return r == ' ' || r == ',' }) {
				found++
				if c.LocalFlags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil {
					t.Errorf("%s: %s names --%s", c.Name(), relation, name)
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("%d names found", found)
	}
}

// newChild returns a command of a new tree.
func newChild(a *cli.App, name string) (*cobra.Command, error) {
	cmd, _, err := command.NewRoot(a).Find([]string{name})
	return cmd, err
}
