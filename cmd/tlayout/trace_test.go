package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
)

// A narrow terminal truncates steps first, then stacks shape and strides, and last replaces the table by lines.
func TestTraceSqueeze(t *testing.T) {
	for _, c := range []struct {
		columns     int
		shows, lets string
	}{
		{80, "(1,3,32,32)  (3072,1,96,3)|contiguous(channels_last)  |copy\n", "…|offset\x20 "},
		{74, "(1,3,32,32)  (3072,1,96,3)|contiguous(channels_…|copy\n", "(   2"},
		{68, "(   2,3,32,32)|(3072,1,96, 3)|contiguous(channels_last)  |copy\n", "3072,1,96,3|…"},
		{60, "(   2,3,32,32)|(3072,1,96, 3)|contiguous(channel…|copy\n", "3072,1,96,3"},
		{50, "(   2,3,32,32)|contiguo…|copy\n", "start:"},
		{48, "start: (2, 3, 32, 32)", "result"},
	} {
		o := runIn(t, []func(*cli.Streams){onTerminal(c.columns)}, "trace", "--shape", "2,3,32,32", "--from", "nhwc",
			"[0]", "unsqueeze(0)", "contiguous(channels_last)", "to(channels_last)")
		table, _, _ := strings.Cut(plainText(o.out), "to(channels_last) copies")
		_, table, _ = strings.Cut(table, "elements\n")
		for text := range strings.SplitSeq(c.shows, "|") {
			if !strings.Contains(table, text) {
				t.Errorf("at %d columns %q is missing:\n%s", c.columns, text, table)
			}
		}
		for text := range strings.SplitSeq(c.lets, "|") {
			if strings.Contains(table, text) {
				t.Errorf("at %d columns %q is still there:\n%s", c.columns, text, table)
			}
		}
	}
}

// The heading names the units of the columns shown.
func TestTraceTitle(t *testing.T) {
	for _, c := range []struct {
		columns     int
		args, title string
	}{
		{120, "--shape 2,3,32,32 permute(0,2,3,1) contiguous [1]", "float32, strides and offset in elements"},
		{80, "--shape 2,3,32,32 permute(0,2,3,1) contiguous", "float32, strides in elements"},
		{80, "--shape 2,3,32,32 permute(0,2,3,1) contiguous [1]", "float32, strides and offset in elements"},
		{80, "--shape 2,3,4,5,6,7 permute(0,2,3,4,5,1) contiguous [1]", "float32, strides and offset in elements"},
		{80, "--shape 2,3,4,5,6 --numpy T copy()", "float32, strides in elements and bytes"},
		{80, "--shape 2,3,4,5,6 --numpy T copy() [1]", "float32, strides in elements and bytes, offset in elements"},
		{30, "--shape 2,3,32,32 permute(0,2,3,1) contiguous", "float32, strides in elements"},
	} {
		o := runIn(t, []func(*cli.Streams){onTerminal(c.columns)}, append([]string{"trace"}, strings.Fields(c.args)...)...)
		text := plainText(o.out)
		if !strings.Contains(text, "\n"+c.title+"\n") {
			t.Errorf("%s at %d columns has not the heading %q:\n%s", c.args, c.columns, c.title, text)
		}
		if table, _, _ := strings.Cut(text, "Why"); strings.Contains(table, " offset ") && !strings.Contains(c.title, "offset") {
			t.Errorf("%s at %d columns: %s", c.args, c.columns, table)
		}
		if c.columns == 80 && strings.Contains(text, "start:") {
			t.Errorf("%s at 80 columns is no table:\n%s", c.args, text)
		}
	}
}

// A product of stride and size, a sum of strides, or an offset that overflows an int is refused, and nothing is printed. The sum of the
// copies' bytes may overflow.
func TestTraceUncountable(t *testing.T) {
	half, most := strconv.Itoa(math.MaxInt/2+1), strconv.Itoa(math.MaxInt)
	negative, overflows := regexp.MustCompile(`-\d`), regexp.MustCompile(`overflows|can count`)
	for _, args := range []string{
		"--shape 2,2 --strides 1," + half + " [...,2:]", "--shape 2,2 --strides 1," + half + " view(4)",
		"--shape 1,1 --strides " + most + "," + most + " diagonal(0)", "--shape 2 --strides 2 [::" + most + "]",
		"--shape 3 --strides 2 unfold(0,1," + half + ")",
		"--shape 2,2 --numpy broadcast_to((" + half + ",2,2))",
	} {
		o := runIn(t, nil, append([]string{"trace", "--dtype", "uint8"}, strings.Fields(args)...)...)
		if o.out != "" || o.code != 4 || negative.MatchString(o.err) || !overflows.MatchString(o.err) {
			t.Errorf("%s: exit code %d: %s%s", args, o.code, o.out, o.err)
		}
	}
	n := strconv.Itoa(math.MaxInt / 8)
	o := runIn(t, nil, "trace", "--shape", "1", "expand("+n+")", "clone(contiguous_format)", "clone(contiguous_format)", "clone(contiguous_format)")
	want := "3 copies of more than 8 EiB in total; "
	if strconv.IntSize == 32 {
		want = "3 copies of 3 GiB in total; "
	}
	if !strings.Contains(o.out, want) {
		t.Errorf("%s%s", o.out, o.err)
	}
}

// TestTraceWidth: no line with a blank to break at is wider than the terminal, however narrow, and --all has every step and its equations in
// full.
func TestTraceWidth(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHere(t, "x.npy", fixtures["x.npy"]())
	for _, screen := range []string{
		"--shape 1,3,2,2 transpose(0,2)",
		"--shape 2,3,32,32 --from nhwc [0] unsqueeze(0) contiguous(channels_last) to(channels_last)",
		"--shape 1,64,5,4 contiguous(memory_format=torch.channels_last)",
		"--shape 4,3 --numpy [::-1] --values",
		"x.npy x.permute(0,2,3,1).contiguous()[0,1:3].view(2,-1) --values",
		"--shape 32,16,224,224,3 permute(0,4,1,2,3) contiguous [1]",
		"--shape 32,224,224,3 --numpy transpose(0,3,1,2) copy() [1]",
		"--shape 12 view(3,4) T view(12)",
		"--cute (6,2):(8,2) composition((4,3):(3,1)) size",
		"--cute (9,(4,8)):(59,(13,1)) zipped_divide(<3:3,(2,4):(1,8)>) coalesce",
		"--cute (4,6):(1,8) coalesce composition(6:1)",
		"--help",
	} {
		args := append([]string{"trace", "--all"}, strings.Fields(screen)...)
		steps := strings.Fields(runIn(t, []func(*cli.Streams){onTerminal(1000)}, args...).out)
		for _, columns := range []int{60, 80, 120, 200} {
			o := runIn(t, []func(*cli.Streams){onTerminal(columns)}, args...)
			for line := range strings.SplitSeq(plainText(o.out), "\n") {
				if strings.HasPrefix(line, "Flags:") {
					break // from here on cobra writes the flags
				}
				if w := displaywidth.String(line); w > max(columns, 80) || w > columns && screen != "--help" && len(strings.Fields(line)) > 1 {
					t.Errorf("tlayout trace %s at %d columns: %d columns wide: %s", screen, columns, w, line)
				}
			}
			_, why, _ := strings.Cut(o.out, "Why")
			_, whole, _ := strings.Cut(strings.Join(steps, " "), "Why")
			whole, _, _ = strings.Cut(whole, "Values")
			if got := strings.Join(strings.Fields(why), " "); !strings.HasPrefix(got, strings.TrimSpace(whole)) {
				t.Errorf("tlayout trace %s at %d columns explains less:\n%s\nwant\n%s", screen, columns, got, whole)
			}
		}
	}
}
