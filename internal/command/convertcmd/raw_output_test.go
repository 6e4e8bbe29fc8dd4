package convertcmd

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/file/source"
)

// TestRawReadAgain: the flags that the answer has read a raw output as the tensor that the source is, element by element and dim by dim.
func TestRawReadAgain(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		shape   []int
		typ     string
		fortran bool
		args    string
	}{
		{[]int{2, 3, 4, 5}, "float32", false, "--to nhwc"},
		{[]int{2, 3, 4, 5}, "float32", true, "--to nhwc"},
		{[]int{2, 20, 3, 5}, "int16", false, "--to nchw16c"},
		{[]int{2, 3, 4, 5}, "float32", false, "--to (2,3,4,5):(96,32,8,1)"},
		{[]int{2, 3, 4, 5}, ">f8", false, "--to chwn"},
		{[]int{2, 3, 4, 5}, "float32", false, "--to fortran"},
		{[]int{2, 3, 4, 5}, "float32", true, ""},
		{[]int{2, 4, 5, 3}, "uint8", false, "--from nhwc"},
		{[]int{2, 4, 5, 3}, "uint8", true, "--from nhwc"},
		{[]int{2, 4, 5, 3}, "uint8", false, "--dims N,H,W,C"},
		{[]int{2, 4, 5, 3}, "uint8", false, "--dims N,H,W,C --to nchw"},
		{[]int{2, 3, 4, 5}, "float32", false, "--to nhwc --to-pitch W=64B"},
		{[]int{2, 3, 4}, "float32", false, "--from chw --to chw --to-pitch c=64"},
		{[]int{2, 1, 4, 5, 4}, "float32", false, "--from nchw4c --channels 3"},
		{[]int{2, 1, 4, 5, 4}, "float32", false, "--from nchw4c --channels 3 --to nhwc"},
		{[]int{3, 4}, "bfloat16", false, "--dtype bfloat16"},
		{[]int{2, 3, 4, 5}, "float32", false, "--dtype int32"},
		{[]int{}, "float64", false, ""},
		{[]int{7}, "float64", false, ""},
		{[]int{1, 2, 1, 2, 1, 2}, "int8", false, ""},
	} {
		in, out := filepath.Join(dir, "in.npy"), filepath.Join(dir, "out.raw")
		cli.Must(os.WriteFile(in, fixture.Must(fixture.Npy(c.typ, c.shape, c.fortran)), 0o666))
		var answer bytes.Buffer
		a := &cli.App{Streams: &cli.Streams{Out: io.Discard, Err: io.Discard, Env: func(string) (string, bool) { return "", false }}, Stdout: &answer, Format: cli.JSON}
		cmd := NewCmd(a)
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetArgs(append(strings.Fields(c.args), in, "-o", out, "--verify", "--force"))
		if err := cmd.Execute(); err != nil {
			t.Errorf("%v %s: %v", c.shape, c.args, err)
			continue
		}
		var r struct {
			ReadAgain string `json:"read_again"`
		}
		cli.Must(json.Unmarshal(answer.Bytes(), &r))
		x := openBy(a, in, strings.Fields(c.args))
		y := openBy(a, out, regexp.MustCompile(`'[^']*'|\S+`).FindAllString(r.ReadAgain, -1))
		if why := differ(x, y); why != "" {
			t.Errorf("%v %s, read again with %s: %s", c.shape, c.args, r.ReadAgain, why)
		}
		x.Close()
		y.Close()
	}
}

// openBy opens a source with those of the flags that say what it is.
func openBy(a *cli.App, name string, flags []string) *source.Tensor {
	var s cli.Source
	cmd := &cobra.Command{}
	s.AddReading(cmd)
	s.AddRaw(cmd)
	for _, target := range []string{"to", "to-pitch"} {
		cmd.Flags().String(target, "", "")
	}
	for i := range flags {
		flags[i] = strings.Trim(flags[i], "'")
	}
	cli.Must(cmd.ParseFlags(flags))
	return fixture.Must(source.OpenOnly(parse(name), s.Options(a)))
}

// differ says how two tensors differ: dims of the same names are the same ones.
func differ(x, y *source.Tensor) (why string) {
	names := y.Layout.Names()
	if !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(x.Layout.Names()))) || !x.DType.Equal(y.DType) {
		return x.DType.String() + " " + x.Layout.String() + strings.Join(x.Layout.Names(), ",") + ", and " + y.DType.String() + " " + y.Layout.String() + strings.Join(names, ",")
	}
	a, b, size := fixture.Must(x.Data()), fixture.Must(y.Data()), x.DType.ItemSize()
	fixture.EachCoord(x.Layout, func(coord []int, at int) {
		other := make([]int, len(coord))
		for i, n := range coord {
			other[slices.Index(names, x.Layout.Names()[i])] = n
		}
		if to := y.Layout.At(other...); !bytes.Equal(a[at*size:(at+1)*size], b[to*size:(to+1)*size]) {
			why = "elements differ"
		}
	})
	return why
}
