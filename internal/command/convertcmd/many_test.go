package convertcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// The short way of small files gives what the long way gives: the same bytes, names and outcomes, for all kinds of headers, names
// and flags, errors included.
func TestSmallIsLikeLarge(t *testing.T) {
	dir := t.TempDir()
	type file struct {
		name, dtype string
		shape       []int
		fortran     bool
	}
	var units []batch.Item
	for i, f := range []file{
		{"x.npy", "<f4", []int{2, 3, 4, 5}, false}, {"same.npy", "<f4", []int{2, 3, 4, 5}, false}, {"z.nchw.npy", "<f4", []int{2, 3, 4, 5}, false},
		{"y.nhwc.npy", "<f4", []int{2, 3, 4, 5}, false}, {"nhwc.npy", "<f4", []int{2, 3, 4, 5}, false}, {"v.fortran.npy", "<f4", []int{2, 3, 4, 5}, true},
		{"v1.5.npy", "<f8", []int{1, 5, 2, 2}, false}, {"big.npy", ">i2", []int{2, 3, 4, 5}, true}, {"flat.npy", "<f4", []int{7}, false},
		{"empty.npy", "|u1", []int{0, 3, 4, 5}, false}, {"photo.npy", "|u1", []int{2, 6, 8, 3}, false}, {"s.npy", "<c16", []int{3, 20, 1, 1}, false},
		{"img00001.npy", "|b1", []int{1, 4, 5, 6}, false}, {"chw.npy", "<f4", []int{3, 4, 5}, false},
	} {
		content := fixture.Must(fixture.Npy(f.dtype, f.shape, f.fortran))
		cli.Must(os.WriteFile(filepath.Join(dir, f.name), content, 0o666))
		when := time.Unix(1e9+int64(i), 0) // as sources are: written at different times
		cli.Must(os.Chtimes(filepath.Join(dir, f.name), when, when))
		units = append(units, batch.Item{Name: name.Parse(filepath.Join(dir, f.name)), Rel: "sub/" + f.name, Size: int64(len(content))})
	}
	cli.Must(os.WriteFile(filepath.Join(dir, "bad.npy"), []byte("\x93NUMPY\x01\x00\xff\xff{"), 0o666))
	long := append(fixture.Must(fixture.Npy("<f4", []int{2, 3, 4, 6}, false)), 'x')
	cli.Must(os.WriteFile(filepath.Join(dir, "long.npy"), long, 0o666))
	units = append(units, batch.Item{Name: name.Parse(filepath.Join(dir, "bad.npy")), Rel: "bad.npy", Size: 11},
		batch.Item{Name: name.Parse(filepath.Join(dir, "long.npy")), Rel: "long.npy", Size: int64(len(long))},
		batch.Item{Name: name.Parse(filepath.Join(dir, "gone.npy")), Rel: "gone.npy", Size: 100})
	short := 0
	for _, flags := range []string{"--to nhwc", "--to nchw16c", "--to chwn --from nchw", "--to c", "--to fortran", "--to nchw --to-pitch W=32B --pad-value 3",
		"--to (2,3,4,5):(60,1,15,3)", "--to nhwc --allow-trailing", "--to nhwc --dtype uint8", "--to hwc --from chw"} {
		var outcomes [2][]batch.Result
		var files [2]map[string]string
		var errs [2][]string
		for i := range 2 { // small, large
			out := filepath.Join(t.TempDir(), "out")
			c, err := NewConverter(append(strings.Fields(flags), "-d", out), cli.System())
			if err != nil {
				t.Fatal(err)
			}
			files[i] = map[string]string{}
			for range 2 { // the second time, all exists
				for _, u := range units {
					if i == 1 {
						u.Size = 0 // unknown: the long way
					} else if o, ok := c.small(u); ok && o.State == batch.Made {
						short++
						cli.Must(os.Remove(o.Destination.Raw()))
					}
					o := c.Unit(u)
					errs[i] = append(errs[i], strings.ReplaceAll(errorText(o.Err), out, ""))
					if !o.Destination.IsZero() {
						below := strings.TrimPrefix(o.Destination.Raw(), out)
						o.Destination = name.Parse(below)
						if content, err := os.ReadFile(out + below); err == nil {
							files[i][below] = string(content)
						}
					}
					outcomes[i] = append(outcomes[i], o)
				}
			}
			c.Close()
		}
		for k, a := range outcomes[0] {
			b := outcomes[1][k]
			if a.State != b.State || a.Destination != b.Destination || a.State == batch.Made && a.Bytes != b.Bytes || errs[0][k] != errs[1][k] {
				t.Errorf("%s %s:\nsmall %s %s %d %v\nlarge %s %s %d %v", flags, units[k%len(units)].Name, a.State, a.Destination, a.Bytes, a.Err, b.State, b.Destination, b.Bytes, b.Err)
			}
		}
		for name, content := range files[1] {
			if files[0][name] != content {
				t.Errorf("%s: %s differs", flags, name)
			}
		}
	}
	if short < 50 {
		t.Errorf("%d conversions took the short way", short)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return fault.ClassOf(err).String() + " " + err.Error()
}

// A list is refused before anything of it is converted: where two sources of it, of whatever shard, have one result, where a result exists
// and no flag says what becomes of it, and, whatever the flags, where it is a source or a list by another name. Other names do not count.
func TestCheckList(t *testing.T) {
	model := fixture.Must(os.ReadFile("../../../testdata/model.pt"))
	t.Chdir(t.TempDir())
	content := fixture.Must(fixture.Npy("<f4", []int{2, 3, 4, 5}, false))
	for _, name := range []string{"x.npy", "y.nchw.npy", "x.nchw.npy"} {
		cli.Must(os.WriteFile(name, content, 0o666))
	}
	cli.Must(os.WriteFile("list", []byte("x.npy\n"), 0o666))
	cli.Must(os.WriteFile("m.pt", model, 0o666))
	list := func(names ...string) *batch.List {
		l := &batch.List{}
		for _, name := range names {
			l.Add(batch.Item{Name: parse(name), Rel: name})
		}
		return l
	}
	both := list("x.npy", "y.nchw.npy")
	for _, c := range []struct {
		what      string
		all, mine *batch.List
		there     string // a result that exists, and what it is a link to, if it is one
		flags     string
		want      fault.Class
	}{
		{"nothing exists", both, both, "", "", 0},
		{"names that are alike", both, both, "x1.nhwc.npy xx.nhwc.npy x.nchw.npy x y", "", 0},
		{"a result exists", both, both, "x.nhwc.npy", "", fault.Resource},
		{"that of a name with a layout", both, both, "y.nhwc.npy", "", fault.Resource},
		{"of another shard", both, list("x.npy"), "y.nhwc.npy", "", 0},
		{"and is replaced", both, both, "x.nhwc.npy", "--force", 0},
		{"or kept", both, both, "x.nhwc.npy", "--update", 0},
		{"it is a source", both, both, "x.nhwc.npy=y.nchw.npy", "--force", fault.Usage},
		{"one that may be newer", both, both, "y.nhwc.npy=x.npy", "--update", fault.Usage},
		{"one of another shard", both, list("x.npy"), "x.nhwc.npy=y.nchw.npy", "--force", fault.Usage},
		{"it is the list", both, both, "x.nhwc.npy=list", "--force", fault.Usage},
		{"what is not a result is a source", both, both, "x.chwn.npy=x.npy", "--force", 0},
		{"two have one result", list("x.npy", "x.nchw.npy"), list("x.npy", "x.nchw.npy"), "", "--force", fault.Usage},
		{"two patterns of one checkpoint", list("m.pt:conv1.*", "m.pt:conv*"), list("m.pt:conv1.*", "m.pt:conv*"), "", "", fault.Usage},
		{"in different shards", list("x.npy", "x.nchw.npy"), list("x.npy"), "", "", fault.Usage},
	} {
		cli.Must(os.RemoveAll("out"))
		cli.Must(os.Mkdir("out", 0o777))
		for _, name := range strings.Fields(c.there) {
			if link, target, ok := strings.Cut(name, "="); ok {
				cli.Must(os.Link(target, filepath.Join("out", link)))
			} else {
				cli.Must(os.WriteFile(filepath.Join("out", name), nil, 0o666))
			}
		}
		converter := fixture.Must(NewConverter(strings.Fields("--to nhwc -d out "+c.flags), cli.System()))
		err := converter.check(c.all, c.mine, []name.Name{parse("@list")})
		converter.Close()
		if err == nil && c.want != 0 || err != nil && fault.ClassOf(err) != c.want {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
