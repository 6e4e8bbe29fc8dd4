package engine

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/name"
)

const programs = "../../../testdata/"

func file(content []byte) File { return bytes.NewReader(content) }

func sample(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// zipped returns a zip archive of members with a byte each.
func zipped(t *testing.T, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, member := range members {
		f, err := w.Create(member)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every reader is reached, by the bytes of its files: under any name.
func TestRead(t *testing.T) {
	for path, want := range map[string]graph.Engine{
		programs + "net.pt2": graph.Export, programs + "trace.json.gz": graph.Profile, programs + "onednn.log": graph.OneDNN, programs + "hlo.txt": graph.XLA,
		programs + "net.onnx": graph.ONNX, "../tensorrt/testdata/net.json": graph.TensorRT,
	} {
		content := sample(t, path)
		for _, n := range []string{filepath.Base(path), "model.bin", "model.npy", "model", "model.pt2", "model.json"} {
			p, err := Read(file(content), name.Parse(n))
			if err != nil {
				t.Errorf("%s as %s: %v", path, n, err)
				continue
			}
			if p.Engine != want || len(p.Operators) == 0 {
				t.Errorf("%s as %s: %q of %d operators", path, n, p.Engine, len(p.Operators))
			}
		}
	}
	if len(readers) != 6 {
		t.Errorf("%d readers", len(readers))
	}
}

// Files that are none of a program are not recognized, whatever their names but .onnx; white space and a mark of byte order may precede JSON.
func TestRecognize(t *testing.T) {
	for _, c := range []struct {
		what    string
		content []byte
		name    string
		want    graph.Engine
	}{
		{"nothing", nil, "net.pt2", ""},
		{"a byte", []byte("{"), "trace.json", ""},
		{"torch.save", zipped(t, "net/data.pkl", "net/data/0", "net/version"), "net.pt", ""},
		{"torch.save under another name", zipped(t, "net/data.pkl", "net/data/0"), "net.pt2", ""},
		{"torch.export before 2.9", zipped(t, "serialized_exported_program.json"), "net.pt2", graph.Export},
		{"a damaged archive", []byte("PK\x03\x04 and no more"), "net.pt2", graph.Export},
		{"a damaged archive of something", []byte("PK\x03\x04 and no more"), "net.zip", ""},
		{"a document of tlayout", []byte(`{"schema":"tlayout/graph/v1","answer":"…","changes":[]}`), "graph.json", ""},
		{"a layout of tlayout", []byte(`{"schema":"tlayout/layout/v1","layout":"NHWC"}`), "layout.json", ""},
		{"a list of numbers", []byte("[1, 2]"), "trace.json", ""},
		{"a trace", []byte(`{"traceEvents":[]}`), "x", graph.Profile},
		{"a trace with its events last", []byte(`{"schemaVersion":1,"deviceProperties":[]`), "x", graph.Profile},
		{"a trace after spaces", []byte("\ufeff \r\n\t{\"traceEvents\":[]}"), "x", graph.Profile},
		{"layers", []byte(`{"Layers":[]}`), "x", graph.TensorRT},
		{"gzip of anything", gzipped(t, "hello"), "x", graph.Profile},
		{"a log after other lines", []byte("loading\nonednn_verbose,v1,info,oneDNN v3.7\n"), "x", graph.OneDNN},
		{"an old log", []byte("dnnl_verbose,info,oneDNN\n"), "x", graph.OneDNN},
		{"a module after other lines", []byte("// from jax\nHloModule jit_f\n"), "x", graph.XLA},
		{"a sentence on modules", []byte("An HloModule is a program.\n"), "x.txt", ""},
		{"a model by its name", []byte("\x00\x00"), "net.onnx", graph.ONNX},
		{"an array", []byte("\x93NUMPY\x01\x00"), "x.npy", ""},
	} {
		got, err := Recognize(file(c.content), name.Parse(c.name))
		if err != nil || got != c.want {
			t.Errorf("%s: %q, want %q: %v", c.what, got, c.want, err)
		}
	}
}

// A file without a program is refused with the formats that are read; gzip of anything else than a trace by its reader.
func TestReadRefused(t *testing.T) {
	for _, content := range [][]byte{nil, []byte("hello"), []byte("[]")} {
		_, err := Read(file(content), name.Parse("x"))
		hostile.WantFault(t, string(content), err, fault.Unsupported, "not a program that is read")
	}
	_, err := Read(file(zipped(t, "net/data.pkl")), name.Parse("x"))
	hostile.WantFault(t, "torch.save", err, fault.Unsupported, "the archive has no models/model.json")
	_, err = Read(file(sample(t, programs+"net.pt2")[:1000]), name.Parse("x"))
	hostile.WantFault(t, "a truncated archive", err, fault.Malformed, "directory at the end of the archive is missing")
	for _, content := range [][]byte{gzipped(t, "hello"), []byte("\x1f\x8b"), []byte("{\"traceEvents\":[")} {
		_, err := Read(file(content), name.Parse("x"))
		if err == nil {
			t.Errorf("%q is a program", content)
			continue
		}
		hostile.CheckError(t, err, 1000)
	}
}

// broken fails to read.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errors.New("input/output error") }
func (broken) Size() int64                       { return 100 }

// An error of the file is reported, not taken for its end.
func TestReadFails(t *testing.T) {
	_, err := Recognize(broken{}, name.Parse("net.pt2"))
	if err == nil || errors.Is(err, io.EOF) {
		t.Errorf("error %v", err)
	}
}

// Times belong to layers of TensorRT; a document that is none has no times.
func TestAddTimes(t *testing.T) {
	p, err := Read(file(sample(t, "../tensorrt/testdata/net.json")), name.Parse("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := AddTimes(p, file([]byte("hello"))); err == nil {
		t.Error("times of no document")
	}
}

// FuzzRecognize recognizes and reads any bytes under any name: no panic, and what is recognized has a reader.
func FuzzRecognize(f *testing.F) {
	for _, name := range []string{"net.pt2", "net.onnx", "trace.json.gz", "onednn.log", "hlo.txt", "layers.json"} {
		content := sample(f, programs+name)
		f.Add(content[:min(len(content), 4096)], "net.pt2")
	}
	f.Add([]byte(`{"traceEvents":[]}`), "trace.json")
	f.Add([]byte(`{"Layers":[{}]}`), "x.onnx")
	f.Fuzz(func(t *testing.T, content []byte, n string) {
		found, err := Recognize(file(content), name.Parse(n))
		if err != nil {
			t.Fatal(err)
		}
		if _, known := readers[found]; found != "" && !known {
			t.Fatalf("%q has no reader", found)
		}
		p, err := Read(file(content), name.Parse(n))
		if err != nil {
			hostile.CheckError(t, err, 2000, fault.Resource)
			return
		}
		p.Changes()
	})
}
