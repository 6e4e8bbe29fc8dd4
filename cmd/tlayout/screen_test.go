package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
)

// firstScreens are ordinary commands with a first screen. X, P and B stand for files. Those of inspect, and of bench, which takes seconds, are
// in their packages.
var firstScreens = []string{
	"trace X transpose(1,2) view(-1)",
	"trace X permute(0,2,3,1) contiguous [0,1:3] view(2,-1) t() reshape(-1)",
	"trace --shape 2,3,32,32 x.permute(0,2,3,1).contiguous().view(2,-1).t().reshape(-1)[3:]",
	"trace --shape 2,3,32,32 --from nhwc [0] unsqueeze(0) contiguous(channels_last) to(channels_last)",
	"trace --shape 12 view(3,4) T view(12)",
	"trace --shape 2,3,4 T contiguous T contiguous T view(24)",
	"trace --shape 1,32,35,35 --strides 39200,1,1120,32 view(1,39200)",
	"trace --shape 4,3 --numpy [::-1,1:] T ravel",
	"trace --cute (6,2):(8,2) composition((4,3):(3,1))",
	"trace --cute (4,2,3):(2,1,8) logical_divide(4:2) coalesce size at(3)",
	"trace --cute (4,6):(1,8) coalesce composition(6:1)",
	"offset X 1 2 3 4", "offset X 1,2,3,4 0,0,0,0 c=1,w=1 --at 7,8,28B", "offset X --at 7", "offset P 1,2,3,1 --from nhwc --line-size 64",
	"offset X --at 7 --line-size 128", "offset --shape 2,20,5,4 --from nChw16c 1 17 2 3", "offset --shape 2,20,5,4 --from nChw16c --at 5 --line-size 64",
	"offset --shape 2,3 --strides 0,1 1 2", "offset --from (8,64):(64,1)@5 3 9",
	"check X --expect-dtype float32 --contiguous c --aligned 64", "check X P --packed --rank 3 --layout nchw --contiguous channels_last",
	"check X --expect-dtype int8 --expect-shape 2,3 --rank 3 --expect-strides 1,2 --contiguous f --layout nhwc --max-bytes 3",
	"formats", "formats tensorrt", "formats pytorch", "formats tvm", "formats nhwc", "formats channels_last_3d --shape 2,3,4,5,6",
	"formats nhwc --shape 2,3,4,5", "formats nchw --shape 8,1,28,28 --dtype float16", "formats nChw16c --shape 1,62,5,4",
	"formats NCHW4 --shape 2,8,3,3 --dtype int8", "formats OIhw4i16o4i --shape 32,32,3,3", "formats {1,0:T(8,128)(2,1)} --shape 8,128",
	"formats fortran", "formats 0,2,3,1 --shape 2,3,4,5", "formats bshd --shape 2,1024,16,64", "formats --shape 2,1,4,4 --strides 16,16,4,1", "formats (2,3):(5,1)@2",
	"formats --shape 2,20,5,4 --strides 640,320,64,16 --inner-blocks 16c", "formats --shape 2,3 --strides=-3,1",
	"formats nhwc --shape 2,3,4,5 --framework onednn", "formats kDHWC8 --shape 2,3,4,5,6 --dtype float16",
}

// TestFirstScreen: an ordinary answer fits a terminal of 80 columns and 24 lines with its prompt: at most 20 lines. Off a terminal it has no
// more lines. --all shows more, if there is more.
func TestFirstScreen(t *testing.T) {
	t.Chdir(t.TempDir())
	ascii := func(s *cli.Streams) { s.Unicode = false }
	for _, screen := range firstScreens {
		args := screenArgs(t, screen)
		for name, changes := range map[string][]func(*cli.Streams){
			"at 80 columns": {onTerminal(80)}, "at 80 columns in ASCII": {onTerminal(80), ascii}, "in a pipe": nil,
		} {
			o := runIn(t, changes, args...)
			if o.code > 1 || o.out == "" {
				t.Fatalf("tlayout %s: exit code %d\n%s%s", screen, o.code, o.out, o.err)
			}
			lines := strings.Split(strings.TrimSuffix(plainText(o.out), "\n"), "\n")
			if len(lines) > 20 {
				t.Errorf("tlayout %s %s: %d lines\n%s", screen, name, len(lines), o.out)
			}
			wide := slices.ContainsFunc(lines, func(l string) bool { return displaywidth.String(l) > 80 })
			if changes != nil && wide {
				t.Errorf("tlayout %s %s is wider\n%s", screen, name, o.out)
			}
			if hidden := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "more: --all") }); hidden {
				all := runIn(t, changes, append([]string{"--all"}, args...)...)
				if n := strings.Count(all.out, "\n"); n <= len(lines)-2 || strings.Contains(all.out, "more: ") {
					t.Errorf("tlayout --all %s %s: %d lines, %d without\n%s", screen, name, n, len(lines), all.out)
				}
			}
		}
	}
}
