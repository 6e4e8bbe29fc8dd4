package inspectcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	model "github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// manyViews is a checkpoint of n views of one storage.
func manyViews(n int) *source.Set {
	k := &source.Set{Path: name.Parse("m.pt"), Container: &model.Container{Format: model.Torch, Storages: []model.Storage{{ID: "0", Bytes: 4 * int64(n+9)}}}}
	for i := range n {
		k.Tensors = append(k.Tensors, model.Tensor{Name: fmt.Sprint("t", i), Type: fixture.Must(dtype.Parse("<f4")),
			View: tensor.Strided{Shape: []int{10}, Strides: []int{1}, Offset: i}})
	}
	return k
}

// allOf is inspect --all of a checkpoint.
func allOf(k *source.Set, f cli.Format, w io.Writer) {
	a := &cli.App{Streams: &cli.Streams{Err: io.Discard, Env: func(string) (string, bool) { return "", false }}, Stdout: w, Format: f, All: true, Color: cli.ColorNever}
	cli.Must(a.Write(fixture.Must(newCheckpoint(k, &options{match: cli.Patterns{Patterns: source.Patterns{"*"}}}, source.Options{}))))
}

// TestViewsAreLinear: of twice as many views of one storage twice as much is allocated, in every format: no list of the others is made for
// each of them.
func TestViewsAreLinear(t *testing.T) {
	for _, f := range []cli.Format{cli.Table, cli.JSON, cli.CSV, cli.Markdown} {
		used := func(n int) uint64 {
			k := manyViews(n)
			return hostile.AllocatedBy(func() { allOf(k, f, io.Discard) })
		}
		if one, two := used(1000), used(2000); two > 3*one { // slices grow in steps
			t.Errorf("%s: %d bytes are allocated for 1000 views, %d for 2000", f, one, two)
		}
	}
}

// TestShares: a line names the other view of a storage, or counts the others.
func TestShares(t *testing.T) {
	for n, want := range map[int]string{1: "", 2: "t1", 3: "2 others"} {
		var out bytes.Buffer
		allOf(manyViews(n), cli.Table, &out)
		for line := range strings.Lines(out.String()) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "t0 ") && n > 1 && !strings.HasSuffix(line, " "+want) {
				t.Errorf("%d views: %s", n, line)
			}
		}
	}
}

// TestOneTensor: a checkpoint of one tensor is the document of a checkpoint, which its tensor alone is not.
func TestOneTensor(t *testing.T) {
	writeScreens(t)
	for source, want := range map[string]string{"one.safetensors": "tlayout/checkpoint/v1", "one.safetensors:w": "tlayout/inspect/v1", "views.pt": "tlayout/checkpoint/v1"} {
		var out bytes.Buffer
		a := &cli.App{Streams: &cli.Streams{Err: io.Discard, Env: func(string) (string, bool) { return "", false }}, Stdout: &out, Format: cli.JSON}
		cmd := NewCmd(a)
		cmd.SetArgs([]string{source})
		cli.Must(cmd.Execute())
		var found struct{ Schema string }
		if err := json.Unmarshal(out.Bytes(), &found); err != nil || found.Schema != want {
			t.Errorf("%s: %s, %v", source, found.Schema, err)
		}
	}
}

// TestDevices: a line for each device but the CPU says which tensors are on it, three at most; JSON has the device of every tensor.
func TestDevices(t *testing.T) {
	k := manyViews(7)
	k.Storages = nil
	for i, device := range []string{"cuda:0", "cpu", "cuda:0", "meta", "mps", "xla:0", "xpu"} {
		k.Tensors[i].Storage, k.Storages = i, append(k.Storages, model.Storage{ID: fmt.Sprint(i), Bytes: 100, Device: device})
	}
	var page, text bytes.Buffer
	allOf(k, cli.Table, &page)
	allOf(k, cli.JSON, &text)
	for _, want := range []string{"device: t0, t2 on cuda:0; without it, torch.load needs map_location='cpu'\n", "device: t3 on meta\n", "device: t4 on mps;", "device: 2 more devices\n"} {
		if !strings.Contains(strings.ReplaceAll(page.String(), "\n  ", " "), want) {
			t.Errorf("no %q in\n%s", want, &page)
		}
	}
	if strings.Contains(page.String(), "cpu;") || strings.Count(text.String(), `"device": "c`) != 3 {
		t.Errorf("%s%s", &page, &text)
	}
}

// TestInPickle: data that are in a pickle begin at no byte of the file, as JSON and CSV say.
func TestInPickle(t *testing.T) {
	k := manyViews(2)
	k.Storages = append(k.Storages, model.Storage{ID: "numpy/0", Bytes: 40, Inline: true, Data: string(make([]byte, 40))})
	k.Tensors[0].Storage = 1
	var object struct {
		Tensors []struct {
			At       *int64 `json:"data_offset"`
			InPickle *bool  `json:"in_pickle"`
		}
	}
	var text, rows bytes.Buffer
	allOf(k, cli.JSON, &text)
	cli.Must(json.Unmarshal(text.Bytes(), &object))
	if in, out := object.Tensors[0], object.Tensors[1]; *in.At != 0 || in.InPickle == nil || !*in.InPickle || *out.At != 4 || out.InPickle != nil {
		t.Errorf("%s", &text)
	}
	allOf(k, cli.CSV, &rows)
	if !strings.Contains(rows.String(), ",40,,numpy/0,") || !strings.Contains(rows.String(), ",40,4,0,") {
		t.Errorf("%s", &rows)
	}
}
