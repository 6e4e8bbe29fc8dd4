package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
)

// askedWith are command lines in which ? stands for any text.
var askedWith = []string{"inspect -- ?", "check --contiguous c -- ?", "trace -- ? permute(0,1)", "offset -- ? 0,0", "draw -- ?", "plan --to nhwc -- ?",
	"convert --dry-run --to c -- ?", "diff -- ? ?", "formats -- ?", "inspect --shape=?", "inspect --shape=2,3 --strides=?", "inspect --shape=2,3 --dtype=?",
	"inspect --shape=2,3,4,5 --from=?", "check --shape=2,3 --expect-shape=?", "offset --shape=2,3 -- ?", "inspect --raw --shape=? --dtype=u1 /dev/null"}

// ask runs the i-th command line, and requires an exit code of the table, and an error message from exit code 2 on.
func ask(t *testing.T, i int, typed string) outcome {
	t.Helper()
	args := strings.Fields(askedWith[i])
	for k := range args {
		args[k] = strings.ReplaceAll(args[k], "?", typed)
	}
	o := runIn(t, []func(*cli.Streams){func(s *cli.Streams) { s.In = strings.NewReader("") }}, args...)
	if o.code < 0 || o.code > 5 || o.code >= 2 && !strings.HasPrefix(o.err, "tlayout: error: ") && !strings.Contains(o.err, "\ntlayout: error: ") {
		t.Errorf("tlayout %q: exit code %d\n%s", args, o.code, o.err)
	}
	return o
}

// parts are pieces of random texts.
var parts = []string{"(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "@", "x", " ", "-", "_", "0", "1", "2", "3", "16", "99999999999999999999", "n", "c", "h", "w",
	"N", "C", "torch.", "Size", "TensorShape", "Sw<3,4,3>", " o ", "float", "int", "8", "32", "np.", "k", "HALF", ".npy", ".npz", "/", ".", "'", "\x1b[2J", "\x00",
	"é", "*", "%", "//", "T", "smem_ptr[16b](unset)", "dtype('", "channels", "last", "row", "major", "None", "..", "bf16"}

// TestTypedAnything: for any text of a source, a shape, a type or a layout, no command panics, and the exit code is in the table.
// FuzzOpen of internal/file/source looks further.
func TestTypedAnything(t *testing.T) {
	t.Chdir(t.TempDir())
	draw := rand.New(rand.NewPCG(9, 10))
	typed := []string{"", "-", "(2,3):(3,1)", "x.npz:a", "torch.Size([2, 3])", "2x3", "bf16", "0,2,3,1", "Sw<3,4,3> o 0 o (8,64):(64,1)", "a\x00b"}
	for range 40 {
		var b strings.Builder
		for range 1 + draw.IntN(8) {
			b.WriteString(parts[draw.IntN(len(parts))])
		}
		typed = append(typed, b.String())
	}
	codes := map[int]int{}
	for i := range askedWith {
		for _, s := range typed {
			codes[ask(t, i, s).code]++
		}
	}
	if codes[0] < 20 || codes[2] < 300 {
		t.Errorf("exit codes and how often: %v; hardly anything is understood", codes)
	}
}

// A list of sizes without one of its characters is refused or means the same, never another tensor.
func TestSlips(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 8))
	shape := slices.Index(askedWith, "inspect --shape=?")
	want := map[string]string{}
	for _, s := range []string{"torch.Size([2, 3])", "TensorShape([2, 3])", "(2, 3)", "[2, 3]", "2x3"} {
		for range 12 {
			at := draw.IntN(len(s))
			if s[at] >= '0' && s[at] <= '9' || s[at] == ' ' {
				continue
			}
			slip := s[:at] + s[at+1:]
			if o := ask(t, shape, slip); o.code == 0 && !strings.HasPrefix(o.out, "tensor: float32 (2, 3)") && !strings.HasPrefix(o.out, "float32 (2, 3)") {
				want[slip] = o.out[:min(60, len(o.out))]
			}
		}
	}
	delete(want, "23") // 2x3 without x is one size
	for slip, out := range want {
		t.Errorf("%q is read as %q", slip, out)
	}
}
