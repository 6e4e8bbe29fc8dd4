package drawcmd

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

// TestFillsTerminal: a picture fits the rows and columns of the terminal, shows more elements in a larger one, and is drawn whatever the
// tensor's size.
func TestFillsTerminal(t *testing.T) {
	for shape, want := range map[string][]int{"100,100": {0, 0, 100, 500, 2000}, "2,3,30,40": {0, 0, 40, 300, 2000}, "100000,3": {0, 0, 10, 60, 150},
		"4,4": {16, 16, 16, 16, 16}, "2,64,56,56": {0, 0, 40, 200, 800}, "1,1000000": {0, 0, 40, 80, 120}, "10000,10000": {0, 0, 60, 200, 700},
		"64,64 --banks ldmatrix": {0, 0, 20, 200, 800}} {
		for i, size := range []struct{ columns, rows, most int }{{20, 5, 48}, {80, 24, 24}, {120, 40, 39}, {200, 50, 49}, {300, 100, 99}} {
			var out bytes.Buffer
			a := &cli.App{Streams: &cli.Streams{Err: io.Discard, Width: size.columns, Height: size.rows, Unicode: true,
				Env: func(string) (string, bool) { return "", false }}, Stdout: &out, Format: cli.Table, Color: cli.ColorNever}
			cmd := NewCmd(a)
			cmd.SetArgs(append([]string{"--shape"}, strings.Fields(shape)...))
			if err := cmd.Execute(); err != nil {
				t.Errorf("%s at %v: %v", shape, size, err)
			}
			text, drawn := out.String(), 16
			if m := regexp.MustCompile(`([0-9]+) of [0-9]+ elements drawn`).FindStringSubmatch(text); m != nil {
				drawn = fixture.Must(strconv.Atoi(m[1]))
			}
			if lines := strings.Count(text, "\n"); lines == 0 || lines > size.most || drawn < want[i] { // the prompt takes a line, and the smallest picture more than some terminals have
				t.Errorf("%s at %v: %d lines, %d elements, expected %d:\n%s", shape, size, lines, drawn, want[i], text)
			}
			for line := range strings.Lines(text) {
				if displaywidth.String(line) > max(size.columns, 40) {
					t.Errorf("%s at %v: %q is wider", shape, size, line)
				}
			}
		}
	}
}

// TestViewer: every system that the program is built for has a command that opens files.
func TestViewer(t *testing.T) {
	for system, want := range map[string]string{"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler"} {
		if got := strings.Join(viewer(system), " "); got != want {
			t.Errorf("%s: %s, expected %s", system, got, want)
		}
	}
}
