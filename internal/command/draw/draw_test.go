package draw

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// TestFillsTerminal: a picture takes the rows and columns of the terminal and no more, and shows more elements in a larger one.
func TestFillsTerminal(t *testing.T) {
	for shape, want := range map[string][]int{"100,100": {0, 100, 500}, "2,3,30,40": {0, 40, 300}, "100000,3": {0, 10, 60}, "4,4": {16, 16, 16}} {
		for i, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			var out bytes.Buffer
			a := &cli.App{Streams: &cli.Streams{Err: io.Discard, Width: size[0], Height: size[1], Unicode: true,
				Env: func(string) (string, bool) { return "", false }}, Stdout: &out, Format: cli.Table, Color: cli.ColorNever}
			cmd := NewCmd(a)
			cmd.SetArgs([]string{"--shape", shape})
			cli.Must(cmd.Execute())
			text, drawn := out.String(), 16
			if m := regexp.MustCompile(`([0-9]+) of [0-9]+ elements drawn`).FindStringSubmatch(text); m != nil {
				drawn = fixture.Must(strconv.Atoi(m[1]))
			}
			if lines := strings.Count(text, "\n"); lines >= max(size[1], 27) || drawn < want[i] { // the least picture of four dims has 26
				t.Errorf("%s at %v: %d lines, %d elements, expected %d:\n%s", shape, size, lines, drawn, want[i], text)
			}
			for line := range strings.Lines(text) {
				if displaywidth.String(line) > size[0] {
					t.Errorf("%s at %v: %q is wider", shape, size, line)
				}
			}
		}
	}
}

// TestViewer: every system that the program is built for has a command that shows files.
func TestViewer(t *testing.T) {
	for system, want := range map[string]string{"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler"} {
		if got := strings.Join(viewer(system), " "); got != want {
			t.Errorf("%s: %s, expected %s", system, got, want)
		}
	}
}
