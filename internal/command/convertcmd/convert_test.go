package convertcmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// The second reader's bytes must be ours, all of them and no more.
func TestCompareStream(t *testing.T) {
	ours, err := source.OpenOnly(name.Parse(fixture.NpyFile(t, "x.npy", "|u1", []int{3000}, false)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	data, err := ours.Data()
	if err != nil {
		t.Fatal(err)
	}
	same := string(data)
	changed := same[:2999] + string([]byte{same[2999] + 1})
	for name, c := range map[string]struct {
		stream string
		ok     bool
	}{"the same": {same, true}, "another last byte": {changed, false}, "one byte less": {same[:2999], false}, "one more": {same + "x", false}, "nothing": {"", false}} {
		if err := compareStream(strings.NewReader(c.stream), ours); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParsePitches(t *testing.T) {
	of := func(name string) dtype.Type { return fixture.Must(dtype.Parse(name)) }
	got, err := parsePitches([]string{"W=64B", "h=3"}, of("float32"))
	if want := []convert.Pitch{{Dim: "W", Align: 16}, {Dim: "H", Align: 3}}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("parsePitches = %v, %v", got, err)
	}
	for _, text := range []string{"W", "=4", "W=", "W=0", "W=-1", "W=6B", "W=4KB", "W=1.5", "W=1073741825"} {
		if _, err := parsePitches([]string{text}, of("float32")); fault.ClassOf(err) != fault.Usage {
			t.Errorf("parsePitches(%q): %v", text, err)
		}
	}
	if got, err := parsePitches([]string{"W=64B"}, of("int4")); err != nil || got[0].Align != 128 {
		t.Errorf("64 bytes of int4 are %v, %v", got, err)
	}
	if _, err := parsePitches([]string{"W=4B"}, of("V0")); err == nil {
		t.Error("a pitch in bytes of items without bytes succeeds")
	}
}

// verified makes a job that converts a file of (2, 3, 4, 5) and verifies.
func verified(t *testing.T, to, out string) *job {
	t.Helper()
	a := &cli.App{Streams: &cli.Streams{Err: new(bytes.Buffer), Env: noEnv}}
	o := &options{memory: cli.Bytes{N: 64 << 20}, padValue: "0", out: name.Parse(out), verify: true, force: true}
	source := fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}, false)
	cli.Must(o.to.Set(to))
	j := fixture.Must(newJob(a, o.settingsFor(name.Parse(source))))
	t.Cleanup(j.close)
	return j
}

// TestVerifyEveryByte: a result that differs in one bit of any byte of the array, padding included, is not verified. Of a
// plain file that is the answer "no", exit code 1.
func TestVerifyEveryByte(t *testing.T) {
	for _, c := range []struct{ to, out string }{{"nhwc", "y.npy"}, {"nchw4", "y.npy"}, {"nchw4", "y.npz"}} {
		j := verified(t, c.to, filepath.Join(t.TempDir(), c.out))
		if err := j.write(); err != nil {
			t.Fatalf("a right result: %v", err)
		}
		content := fixture.Must(os.ReadFile(j.out.path.Raw()))
		begins := bytes.Index(content, []byte("\x93NUMPY")) + 128
		for at := begins; at < begins+int(j.place.data); at++ {
			content[at] ^= 1
			cli.Must(os.WriteFile(j.out.path.Raw(), content, 0o644))
			draft := fixture.Must(os.Open(j.out.path.Raw()))
			err := j.verify(j.out.path, draft, j.tasks)
			draft.Close()
			if err == nil || j.container != npzFile && fault.ClassOf(err) != fault.Negative {
				t.Fatalf("%s in %s: byte %d differs: %v", c.to, c.out, at, err)
			}
			content[at] ^= 1
		}
	}
}

// sabotage makes a job copy the bytes of what it moves.
func sabotage(j *job) {
	for i := range j.place.items {
		if it := &j.place.items[i]; it.task != nil {
			wrong := *it.task
			wrong.from = wrong.target.Layout
			it.task = &wrong
		}
	}
}

// TestVerifyBeforePublishing: what fails --verify never gets the output's name, and the file that has it stays. The plan
// here copies instead of transposing.
func TestVerifyBeforePublishing(t *testing.T) {
	for _, c := range []struct{ to, out string }{{"nhwc", "y.npy"}, {"nhwc", "y.npz"}} {
		out := filepath.Join(t.TempDir(), c.out)
		j := verified(t, c.to, out)
		sabotage(j)
		if err := j.write(); fault.ClassOf(err) != fault.Negative || j.app.Report(err) != 1 {
			t.Errorf("%s: a wrong result: %v", c.out, err)
		}
		if _, err := os.Lstat(out); !os.IsNotExist(err) {
			t.Errorf("%s: the wrong result has the output's name", c.out)
		}
		cli.Must(os.WriteFile(out, []byte("old"), 0o644))
		if err := j.write(); err == nil {
			t.Errorf("%s: a wrong result replaces a file", c.out)
		}
		if text := fixture.Must(os.ReadFile(out)); string(text) != "old" {
			t.Errorf("%s: the old file became %q", c.out, text)
		}
	}
}

func noEnv(string) (string, bool) { return "", false }
