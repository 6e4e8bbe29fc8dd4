package inspectcmd

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// shown is what tlayout inspect prints on a terminal of so many columns, 0 for a pipe: warnings and errors first.
func shown(columns int, all bool, args ...string) string {
	var out, err bytes.Buffer
	s := &cli.Streams{Out: &out, Err: &err, Width: columns, ErrWidth: columns, Unicode: true,
		Env: func(string) (string, bool) { return "", false }}
	cli.Run(append([]string{"inspect"}, args...), s, func(a *cli.App) *cobra.Command {
		cli.EnumOf(&a.Format, cli.Table)
		cli.EnumOf(&a.Color, cli.ColorNever)
		a.All = all
		root := &cobra.Command{Use: "tlayout", SilenceErrors: true, SilenceUsage: true}
		root.AddCommand(NewCmd(a))
		return root
	})
	return err.String() + out.String()
}

// tooLarge returns why a text is too large for a first screen: more than 20 lines, or one of more than 80 columns; empty if it fits.
func tooLarge(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > 20 {
		return fmt.Sprintf("%d lines", len(lines))
	}
	for _, line := range lines {
		if displaywidth.String(line) > 80 || strings.TrimRight(line, " ") != line {
			return "the line " + line
		}
	}
	return ""
}

// screens are tensors of each kind, by the name of their golden file; an underscore is a blank inside of an argument.
var screens = []struct{ name, args string }{
	{"plain", "x.npy"},
	{"photo", "photo.npy"},
	{"photo-nhwc", "photo.npy --from nhwc"},
	{"photo-by-name", "p.nhwc.npy"},
	{"channels-last", "--shape 1,64,5,4 --strides 1280,1,256,64"},
	{"fortran", "f.npy"},
	{"blocked", "blocked.npy --from nChw16c"},
	{"blocked-padded", "blocked.npy --from nChw16c --channels 20"},
	{"rows-padded", "--shape 2,3,4,5 --strides 96,32,8,1"},
	{"slice", "--shape 2,3,4,3 --strides 72,1,18,6 --offset 3"},
	{"broadcast", "--shape 3,4 --strides 0,1"},
	{"overlapping", "--shape 4,3 --strides 1,1"},
	{"negative", "--shape 2,3,4 --strides=12,4,-1 --offset 3"},
	{"dense", "--shape 4,5,6 --strides 6,24,1"},
	{"empty", "empty.npy"},
	{"scalar", "scalar.npy"},
	{"line", "line.npy"},
	{"boxes", "boxes.npy"},
	{"struct", "struct.npy"},
	{"struct-500", "fields.npy"},
	{"rank-8", "r8.npy"},
	{"rank-64", "r64.npy"},
	{"strings", "strings.npy"},
	{"void", "v2.npy"},
	{"big-endian", "big.npy"},
	{"attention", "--shape 2,1024,16,64 --from bshd"},
	{"weights", "--shape 64,3,7,7 --from oihw --dtype float16"},
	{"volume", "--shape 2,3,4,5,6 --strides 360,1,90,18,3"},
	{"size-1", "--shape 8,1,28,28 --strides 784,1,28,1"},
	{"lost-stride", "--shape 1,3,4,4 --strides 3,1,12,3"},
	{"swizzle", "--from Sw<3,3,3>_o_(8,64):(64,1) --dtype float16"},
	{"nested", "--from ((2,4),(3,5)):((1,6),(2,24))"},
	{"descriptor", "--shape 2,32,5,4 --strides 640,320,64,16"},
	{"descriptor-blocks", "--shape 2,20,5,4 --strides 640,320,64,16 --inner-blocks 16c"},
	{"header-3", "v3.npy"},
	{"header-long", "long.npy"},
	{"member", "a.npz:conv1"},
	{"member-deflated", "a.npz:b"},
	{"archive", "a.npz"},
	{"checkpoint-one", "one.safetensors"},
	{"checkpoint-view", "views.pt:batch.row"},
	{"checkpoint-guess", "views.pt:fc.weight"},
	{"several", "x.npy photo.npy gone.npy a.npz f.npy big.npy"},
}

// writeScreens makes the files of screens in a directory, and goes there.
func writeScreens(t *testing.T) {
	views := fixture.Must(os.ReadFile("../../../testdata/checkpoints/views.pt"))
	t.Chdir(t.TempDir())
	write := func(name string, content []byte) { cli.Must(os.WriteFile(name, content, 0o600)) }
	file := func(name, typ string, fortran bool, shape ...int) {
		write(name, fixture.Must(fixture.Npy(typ, shape, fortran)))
	}
	file("x.npy", "float32", false, 2, 3, 4, 5)
	file("photo.npy", "uint8", false, 2, 224, 224, 3)
	file("p.nhwc.npy", "float32", false, 2, 8, 8, 3)
	file("f.npy", "float32", true, 2, 3, 4, 5)
	file("blocked.npy", "float32", false, 2, 2, 5, 4, 16)
	file("empty.npy", "float32", false, 0, 3, 4)
	file("scalar.npy", "float64", false)
	file("line.npy", "float32", false, 1000)
	file("boxes.npy", "float32", false, 10, 100, 4)
	file("struct.npy", "<f4,<i8,|u1", false, 5)
	file("fields.npy", strings.Repeat("<f4,", 499)+"<f4", false, 4, 3)
	file("r8.npy", "float32", false, 2, 1, 3, 1, 2, 2, 1, 2)
	file("r64.npy", "int16", false, append(slices.Repeat([]int{1}, 60), 2, 3, 2, 3)...)
	file("strings.npy", "<U3", false, 2)
	file("v2.npy", "V2", false, 2, 3)
	file("big.npy", ">f4", false, 2, 3)
	write("views.pt", views)
	const one = `{"w":{"dtype":"F32","shape":[2,3,4,5],"data_offsets":[0,480]}}  `
	write("one.safetensors", slices.Concat([]byte{byte(len(one)), 0, 0, 0, 0, 0, 0, 0}, []byte(one), make([]byte, 480)))
	header := func(major byte, text string) []byte {
		head := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', major, 0, byte(len(text)), byte(len(text) >> 8)}
		if major > 1 {
			head = append(head, 0, 0)
		}
		return append(append(head, text...), make([]byte, 24)...)
	}
	write("v3.npy", header(3, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"))
	write("long.npy", header(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }"+strings.Repeat(" ", 10000)+"\n"))
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for i, name := range []string{"conv1.npy", "w.nhwc.npy", "b.npy", "readme.txt"} {
		method := zip.Store
		if name == "b.npy" {
			method = zip.Deflate
		}
		w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: name, Method: method}))
		content := []byte("hello")
		if i < 3 {
			content = fixture.Must(fixture.Npy("float32", []int{8, 3, 3, 3}[:4-3*(i/2)], false))
		}
		fixture.Must(w.Write(content))
	}
	cli.Must(z.Close())
	write("a.npz", archive.Bytes())
}

// TestScreens: what inspect shows first of every kind of tensor, on a terminal of 80 columns. It is a screen, with its
// warnings, and has the same words in every other width.
func TestScreens(t *testing.T) {
	goldens := fixture.Must(filepath.Abs("testdata/screens"))
	writeScreens(t)
	for _, c := range screens {
		var args, quoted []string
		for _, arg := range strings.Fields(c.args) {
			args = append(args, strings.ReplaceAll(arg, "_", " "))
			quoted = append(quoted, text.Shell(args[len(args)-1]))
		}
		text := shown(80, false, args...)
		if why := tooLarge(text); why != "" {
			t.Errorf("%s: %s", c.name, why)
		}
		for _, columns := range []int{0, 200} {
			if other := shown(columns, false, args...); !sameWords(other, text) {
				t.Errorf("%s: other words in %d columns:\n%s", c.name, columns, other)
			}
		}
		golden.Compare(t, filepath.Join(goldens, c.name+".txt"), []byte("$ tlayout inspect "+strings.Join(quoted, " ")+"\n"+text))
	}
}

// wayOn is the last line of a page, the way to the rest.
var wayOn = regexp.MustCompile(`\nmore: --all( \([0-9]+ more facts?\))?, --explain(; [A-Z,]+ assumed, set with --dims)?\n$`)

func sameWords(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// TestScreenOfAnything: of random tensors of rank 0 to 8, with any strides and types, the page is at most 20 lines of 80
// columns, begins with the headline, ends with the way to the rest, and is not folded off a terminal.
func TestScreenOfAnything(t *testing.T) {
	d := rand.New(rand.NewPCG(8, 15))
	most := 0
	for range 600 {
		x := someTensor(d)
		r := report{inspect.New(x)}
		screen := page(r, 80)
		if why := tooLarge(screen); why != "" {
			t.Fatalf("%s %s: %s\n%s", x.DType, x.Layout, why, screen)
		}
		most = max(most, strings.Count(screen, "\n"))
		if !strings.HasPrefix(screen, text.Fold(r.Headline(), 80, 2)+"\n") || !wayOn.MatchString(screen) {
			t.Fatalf("%s %s:\n%s", x.DType, x.Layout, screen)
		}
		if wide := page(r, 0); !sameWords(wide, screen) {
			t.Fatalf("%s %s has other words off a terminal:\n%s\n%s", x.DType, x.Layout, screen, wide)
		}
	}
	if most < 18 {
		t.Errorf("the longest of them has %d lines: they are too plain", most)
	}
}

// TestFit: facts of random tensors take no more lines than there are. Where these are too few, the last texts are cut before the
// first, and the last facts left out before the first; all but light ones are counted.
func TestFit(t *testing.T) {
	d := rand.New(rand.NewPCG(9, 15))
	cuts, hides := 0, 0
	for range 60 {
		all := inspect.New(someTensor(d)).Highlights()
		for limit := range 12 {
			facts, hidden := fit(all, limit)
			if n := total(facts); n > limit {
				t.Fatalf("%d lines, of %d", n, limit)
			}
			want, got := labels(all, inspect.Vital), labels(facts, inspect.Vital)
			if !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("%d lines: of %q, %q are left", limit, want, got)
			}
			notes := len(weighing(all, inspect.Useful)) - len(weighing(facts, inspect.Useful))
			if left := notes + len(want) - len(got); hidden != left {
				t.Fatalf("%d lines: %d facts are left out, said to be %d", limit, left, hidden)
			}
			cut := slices.IndexFunc(facts, func(f inspect.Fact) bool { return strings.HasSuffix(f.Text, "…") })
			if cut >= 0 && total(facts[cut:]) > len(facts)-cut {
				t.Fatalf("%d lines: a text is cut, and a later one is not: %v", limit, facts)
			}
			cuts, hides = cuts+min(1, cut+1), hides+hidden
		}
	}
	if cuts < 20 || hides < 20 {
		t.Errorf("%d texts cut and %d facts left out are too few", cuts, hides)
	}
}

// weighing are the facts of a weight, labels their labels, each once.
func weighing(facts []inspect.Fact, w inspect.Priority) []inspect.Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f inspect.Fact) bool { return f.Priority != w })
}

func labels(facts []inspect.Fact, w inspect.Priority) (labels []string) {
	for _, f := range weighing(facts, w) {
		labels = append(labels, f.Label)
	}
	return slices.Compact(labels)
}

// page is the page of a report on a terminal of so many columns.
func page(r report, columns int) string {
	var out bytes.Buffer
	a := &cli.App{Streams: &cli.Streams{Err: new(bytes.Buffer), Width: columns, Unicode: true, Env: func(string) (string, bool) { return "", false }},
		Stdout: &out, Format: cli.Table, Color: cli.ColorNever}
	cli.Must(a.Write(r))
	return out.String()
}

// someTensor has dims of any order and size, with gaps, overlaps, negative strides, blocks, and any type.
func someTensor(d *rand.Rand) *source.Tensor {
	types := strings.Fields("float32 float16 int8 uint64 bool complex64 float128 bfloat16 float8_e4m3fn S3 U3 M8[s] V2 i4,f8 >f4")
	typ := fixture.Must(dtype.Parse(types[d.IntN(len(types))]))
	if blocked := strings.Fields("nchw4 nChw16c OIhw4i16o4i NHWC8c NCDHW4c"); d.IntN(8) == 0 {
		l := fixture.Must(notation.Parse(blocked[d.IntN(len(blocked))]))
		shape := make([]int, l.Format.Rank())
		for i := range shape {
			shape[i] = 1 + d.IntN(70)
		}
		x, err := source.Describe(source.Typed{Shape: shape, Layout: &l, DType: typ})
		if err != nil {
			return someTensor(d)
		}
		return x
	}
	rank, run := d.IntN(9), 1
	y := source.Typed{Shape: make([]int, rank), Strides: make([]int, rank), DType: typ, Offset: d.IntN(2) * d.IntN(100)}
	limit := []int{2, 4, 30}[d.IntN(3)]
	for _, i := range d.Perm(rank) {
		y.Shape[i] = 1 + d.IntN(limit)
		if d.IntN(40) == 0 {
			y.Shape[i] = 0
		}
		run += d.IntN(2) * d.IntN(3)
		y.Strides[i] = []int{run, run, run, run, run, run, 0, 1 + d.IntN(9), -run, d.IntN(1 << 20)}[d.IntN(10)]
		run *= max(1, y.Shape[i])
	}
	if d.IntN(4) == 0 {
		packed, err := tensor.Packed(y.Shape)
		if err != nil {
			return someTensor(d)
		}
		y.Strides = packed.Strides
	}
	x, err := source.Describe(y)
	if err != nil { // too large for 32 bits
		return someTensor(d)
	}
	return x
}
