package draw

import (
	"strings"
	"testing"
)

// TestViewer: every system that the program is built for has a command that shows files.
func TestViewer(t *testing.T) {
	for system, want := range map[string]string{"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler"} {
		if got := strings.Join(viewer(system), " "); got != want {
			t.Errorf("%s: %s, expected %s", system, got, want)
		}
	}
}
