package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Flags of other tools are answered with the command's own one, whatever it has of several; others with the nearest.
func TestNearestFlag(t *testing.T) {
	for _, tt := range []struct{ flags, typed, want string }{
		{"to from output", "to-layout", "use --to LAYOUT"}, {"from", "to-layout", "use --from LAYOUT"}, {"shape", "to-layout", ""},
		{"to from", "src_layout", "use --from LAYOUT"}, {"output", "out", "use --output FILE"}, {"outside", "out", "did you mean --outside?"},
		{"contiguous to", "channels-last", "use --contiguous=channels_last"}, {"to", "channels_last", "use --to channels_last"},
		{"from", "perm", "use --from 0,2,3,1"}, {"layout", "layuot", "did you mean --layout?"}, {"from", "layout", "use --from LAYOUT"}, {"to to-pitch", "pitch", "use --to-pitch W=64B"},
		{"all", "x", ""}, {"banks limit", "vector", "use --banks h:16"}, {"read write", "vec_size", "use --read h:16"},
	} {
		cmd := &cobra.Command{}
		for _, name := range strings.Fields(tt.flags) {
			cmd.Flags().String(name, "", "")
		}
		if got := nearestFlag(cmd, tt.typed, ""); got != tt.want {
			t.Errorf("of %s, --%s: %q, want %q", tt.flags, tt.typed, got, tt.want)
		}
	}
}
