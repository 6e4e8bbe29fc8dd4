package convert

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/cmd/tlayout/internal/fixture"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// The second reader's bytes must be ours, all of them and no more.
func TestCompareStream(t *testing.T) {
	ours, err := source.Open(fixture.NpyFile(t, "x.npy", "|u1", []int{3000}, false), source.Options{})
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
	got, err := parsePitches([]string{"W=64B", "h=3"}, 4)
	if want := []convert.Pitch{{Dim: "W", Align: 16}, {Dim: "H", Align: 3}}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("parsePitches = %v, %v", got, err)
	}
	for _, text := range []string{"W", "=4", "W=", "W=0", "W=-1", "W=6B", "W=4KB", "W=1.5", "W=1073741825"} {
		if _, err := parsePitches([]string{text}, 4); fault.ClassOf(err) != fault.Usage {
			t.Errorf("parsePitches(%q): %v", text, err)
		}
	}
	if _, err := parsePitches([]string{"W=4B"}, 0); err == nil {
		t.Error("a pitch in bytes of items without bytes succeeds")
	}
}

// TestVerifyNegative: a result that differs in one bit is an answer of "no", exit code 1.
func TestVerifyNegative(t *testing.T) {
	in := fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}, false)
	out := filepath.Join(t.TempDir(), "y.npy")
	a := &cli.App{Streams: &cli.Streams{Err: new(bytes.Buffer)}}
	o := &options{memory: cli.Bytes{N: 64 << 20}, padValue: "0", out: out, verify: true}
	o.source = in
	cli.Must(o.to.Set("nhwc"))
	tensor, err := source.Open(in, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	job, err := newJob(a, o, kernel.Best(), tensor)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.write(); err != nil {
		t.Fatalf("a right result: %v", err)
	}
	content := fixture.Must(os.ReadFile(out))
	content[len(content)-1] ^= 1
	cli.Must(os.WriteFile(out, content, 0o644))
	draft := fixture.Must(os.Open(out))
	defer draft.Close()
	_, err = job.verify(draft)
	if fault.ClassOf(err) != fault.Negative {
		t.Errorf("a wrong result: %v", err)
	}
	if code := a.Report(err); code != 1 {
		t.Errorf("exit code %d, expected 1", code)
	}
}
