package threadscmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/threads"
)

// ask runs the command in a format, and returns its standard output.
func ask(format cli.Format, args ...string) (string, error) {
	var out bytes.Buffer
	a := &cli.App{Streams: &cli.Streams{Err: io.Discard, Unicode: true, Env: func(string) (string, bool) { return "", false }},
		Stdout: &out, Format: format, Color: cli.ColorNever}
	cmd := NewCmd(a)
	cmd.SetArgs(args)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err := cmd.Execute()
	return out.String(), err
}

// reportOf returns the JSON document of a question.
func reportOf(t *testing.T, args ...string) (r report) {
	t.Helper()
	out, err := ask(cli.JSON, args...)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// fragment is CuTe's C fragment of SM80 m16n8, by its definition: value 2a+b of thread 4g+q is at (g+8a, 2q+b).
const fragment = "((4,8),(2,2)):((32,1),(16,8))"

// TestOwners: a thread's values are where the fragment's definition has them, and the element at each coordinate names that value.
func TestOwners(t *testing.T) {
	for thread := range 32 {
		r := reportOf(t, fragment, "--tile", "16,8", "--thread", strconv.Itoa(thread))
		if len(r.Cells) != 4 {
			t.Fatalf("thread %d holds %d values", thread, len(r.Cells))
		}
		for value, c := range r.Cells {
			want := ownerReport{Thread: thread, Value: value, Lane: thread, Register: value}
			if i, j := thread/4+value/2*8, thread%4*2+value%2; c.Coord[0] != i || c.Coord[1] != j || c.Owners[0] != want {
				t.Errorf("value %d of thread %d is %+v, want (%d, %d)", value, thread, c, i, j)
			}
			at := reportOf(t, fragment, "--tile", "16,8", "--at", fmt.Sprintf("%d,%d", c.Coord[0], c.Coord[1]))
			if len(at.Cells) != 1 || len(at.Cells[0].Owners) != 1 || at.Cells[0].Owners[0] != want {
				t.Errorf("the element at %v is held by %+v", c.Coord, at.Cells)
			}
		}
	}
}

// TestRegisters: a thread's registers hold each of its different elements once, in 32 bits each or a part of them.
func TestRegisters(t *testing.T) {
	for _, c := range []struct {
		layout, tile, dtype string
		distinct, registers int
	}{
		{fragment, "16,8", "float32", 4, 4}, {fragment, "16,8", "float16", 4, 2}, {fragment, "16,8", "int8", 4, 1}, {fragment, "16,8", "float64", 4, 8},
		{fragment, "16,8", "int4", 4, 1}, {"((4,8),(2,2)):((32,1),(0,8))", "16,8", "float32", 2, 2}, {"((4,8),(2,2)):((32,1),(0,8))", "16,8", "float16", 2, 1},
		{"((4,8),(2,2)):((32,1),(0,0))", "16,8", "complex128", 1, 4}, {"(32,3):(1,0)", "32", "float16", 1, 1},
	} {
		r := reportOf(t, c.layout, "--tile", c.tile, "--dtype", c.dtype)
		if r.Distinct != c.distinct || r.Registers == nil || *r.Registers != c.registers {
			t.Errorf("%s of %s: %d different elements, %v registers, want %d, %d", c.layout, c.dtype, r.Distinct, r.Registers, c.distinct, c.registers)
		}
	}
}

// TestWidths: a thread accesses at most 16 bytes at once; wider elements, and those of no power of two of bits, are refused.
func TestWidths(t *testing.T) {
	for dtype, bytes := range map[string]int{"int4": 1, "uint8": 2, "float16": 4, "float32": 8, "float64": 16, "complex128": 16, "float128": 16,
		"complex256": 0, "V3": 0, "S5": 0, "U4": 16, "U8": 0} {
		out, err := ask(cli.JSON, fragment, "--tile", "16,8", "--dtype", dtype)
		if bytes == 0 {
			if fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), "a thread cannot access "+dtype) {
				t.Errorf("%s: %v", dtype, err)
			}
			continue
		}
		var r report
		if err != nil || json.Unmarshal([]byte(out), &r) != nil || r.Access == nil || r.Access.Bytes != bytes {
			t.Errorf("%s: %+v, %v, want %d bytes", dtype, r.Access, err, bytes)
		}
	}
}

var label = regexp.MustCompile(`T(\d+) V(\d+)`)

// TestOutput: a file has all elements of a tile, unless --limit says how many; standard output has at most 256.
func TestOutput(t *testing.T) {
	const large = "SM90_64x256x16_F32F16F16_SS:C" // 128 threads with 128 values each
	for _, c := range []struct {
		flags    []string
		complete bool
	}{{nil, true}, {[]string{"--limit", "0"}, true}, {[]string{"--limit", "300"}, false}} {
		for _, ending := range []string{".txt", ".svg", ".html"} {
			path := filepath.Join(t.TempDir(), "tile"+ending)
			if _, err := ask(cli.Table, append([]string{large, "-o", path}, c.flags...)...); err != nil {
				t.Fatal(err)
			}
			drawn := map[string]bool{}
			for _, m := range label.FindAllString(string(fixture.Must(os.ReadFile(path))), -1) {
				drawn[m] = true
			}
			if n := len(drawn); (n == 128*128) != c.complete || n == 0 {
				t.Errorf("%s %v: %d values drawn", ending, c.flags, n)
			}
		}
	}
	out, err := ask(cli.Table, large)
	if n := len(label.FindAllString(out, -1)); err != nil || n > 256 || !strings.Contains(out, "of 16384 elements drawn") {
		t.Errorf("%d of the elements on standard output, %v", n, err)
	}
}

// TestMemory: each element of tensor memory is where --at and --lane say, by data path layout F: row i is in lane i + 16·(i/16).
func TestMemory(t *testing.T) {
	r := reportOf(t, "tmem.F.n8")
	if len(r.Cells) != 64*8 || r.CTAs != 1 || r.Threads != 64 {
		t.Fatalf("%d elements, %d CTAs, %d lanes", len(r.Cells), r.CTAs, r.Threads)
	}
	for _, c := range r.Cells {
		i, j := c.Coord[0], c.Coord[1]
		want := threads.Cell{Lane: i + i/16*16, Column: j}
		if len(c.Owners) != 1 || c.Owners[0].Memory == nil || *c.Owners[0].Memory != want {
			t.Fatalf("%v is in %+v, want %+v", c.Coord, c.Owners, want)
		}
	}
	path := filepath.Join(t.TempDir(), "tile.svg")
	if _, err := ask(cli.Table, "tmem.F.n8", "-o", path); err != nil {
		t.Fatal(err)
	}
	if drawn := string(fixture.Must(os.ReadFile(path))); !strings.Contains(drawn, "L111 C7") || !strings.Contains(drawn, ">lane mod 8<") {
		t.Error("the picture lacks lane 111, or names no lanes")
	}
	r = reportOf(t, "tmem.F.n8", "--lane", "20,33", "--column", "5,6") // nothing is in lane 20
	if len(r.Cells) != 2 || r.Cells[0].Coord[0] != 17 || r.Cells[0].Coord[1] != 5 || r.Cells[1].Coord[1] != 6 {
		t.Errorf("lane 33 holds %+v", r.Cells)
	}
	const packed = "gl.TensorMemoryLayout((64, 64), 1, [[1, 0]], True)"
	for want, args := range map[string][]string{
		"(70, 40) is in lane 70, column 4, bits 0 to 15, of CTA 1": {packed, "--tile", "128,64", "--dtype", "float16", "--at", "70,40"},
		"(3, 1) is in 4 lanes":                       {"tcgen05.cp.32x128b.warpx4", "--at", "3,1"},
		"lane 33, column 5 holds (17, 5)":            {"tmem.F.n8", "--lane", "33", "--column", "5"},
		"lane 20: 0 elements":                        {"tmem.F.n8", "--lane", "20"},
		"64 lanes and 8 columns of tensor memory":    {"tmem.F.n8", "--limit", "4"},
		"8 columns of tensor memory, of 2 CTAs each": {"tmem.B.n16", "--limit", "4"},
		"data path layout B of tcgen05.mma":          {packed, "--tile", "128,64", "--dtype", "float16"},
		"\nsource: PTX ISA":                          {"tmem.D.n16"},
	} {
		if out, err := ask(cli.Table, args...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%q: %v\n%s\nwant %s", args, err, out, want)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"tmem.F.n8", "--thread", "5"}, "--thread: \"tmem.F.n8\" is in tensor memory"},
		{[]string{"tmem.F.n8", "--memory", "fortran"}, "--memory: \"tmem.F.n8\" is in tensor memory"},
		{[]string{"ldmatrix.x4", "--lane", "5"}, "--lane: \"ldmatrix.x4\" is not in tensor memory"},
		{[]string{"tmem.F.n8", "--lane", "128"}, "--lane 128: tensor memory has lanes 0 to 127"},
		{[]string{"tmem.F.n8", "--lane", ""}, "--lane names no lane"}, {[]string{"tmem.F.n8", "--lane", "-1"}, "--lane -1: tensor memory"},
		{[]string{"tmem.F.n8", "--lane", "5", "--column", ""}, "--column names no column"},
		{[]string{"tmem.F.n8", "--lane", "5", "--column", "512"}, "--column 512: tensor memory has columns 0 to 511"},
		{[]string{packed, "--tile", "128,64"}, "missing the element type"}, {[]string{"tmem.F.n8", "--dtype", "float16"}, "elements of"},
	} {
		if _, err := ask(cli.Table, c.args...); fault.ClassOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.args, err, c.want)
		}
	}
}

// TestRefused: a question about no thread, no value or no element is an error that names its flag, and so is one outside of the layout.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--thread", ""}, "--thread names no thread"}, {[]string{"--thread", "5", "--value", ""}, "--value names no value"},
		{[]string{"--at", ""}, "--at : the tile (16, 8) has 2 dims"}, {[]string{"--at", "1"}, "--at 1: the tile (16, 8) has 2 dims"},
		{[]string{"--thread", "32"}, "--thread 32: the layout has threads 0 to 31"}, {[]string{"--thread", "-1"}, "--thread -1: the layout has threads 0 to 31"},
		{[]string{"--thread", "0", "--value", "4"}, "--value 4: a thread has values 0 to 3"},
		{[]string{"--thread", "0", "--value", "-1"}, "--value -1: a thread has values 0 to 3"},
		{[]string{"--at", "16,0"}, "--at 16,0 is outside of the tile (16, 8)"}, {[]string{"--at", "0,8"}, "--at 0,8 is outside of the tile (16, 8)"},
		{[]string{"--at", "-1,0"}, "--at -1,0 is outside of the tile (16, 8)"}, {[]string{"--memory", "(16,9):(9,1)"}, "--memory \"(16,9):(9,1)\" has another shape"},
	} {
		if _, err := ask(cli.Table, append([]string{fragment, "--tile", "16,8"}, c.args...)...); fault.ClassOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.args, err, c.want)
		}
	}
}

// TestMissingLayout: without a layout, each flag that asks about one is an error that names it; none lists the atoms.
func TestMissingLayout(t *testing.T) {
	if _, err := ask(cli.JSON); err != nil {
		t.Error(err)
	}
	for _, args := range []string{"--tile 16,8", "--thread 5", "--thread 0 --value 0", "--at 1,2", "--dtype float32", "--memory fortran",
		"--output x.svg", "--limit 5"} {
		flag, _, _ := strings.Cut(args, " ")
		if _, err := ask(cli.JSON, strings.Fields(args)...); fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "missing LAYOUT for "+flag) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
