package engine

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/onnx"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/exported"
	"github.com/tlayout/tlayout/internal/graph/hlo"
	"github.com/tlayout/tlayout/internal/graph/onednn"
	"github.com/tlayout/tlayout/internal/graph/onnxgraph"
	"github.com/tlayout/tlayout/internal/graph/profile"
	"github.com/tlayout/tlayout/internal/graph/tensorrt"
	"github.com/tlayout/tlayout/internal/name"
)

// File is a file whose bytes are read at any offset.
type File interface {
	io.ReaderAt
	Size() int64
}

// maxHead is how many bytes of a file are searched for what says its format; a log may begin with lines of other programs.
const maxHead = 1 << 20

// Recognize returns what wrote a file, by its bytes, and by its name where they do not suffice; empty if it has no program that is read.
func Recognize(b File, n name.Name) (graph.Engine, error) {
	head := make([]byte, min(maxHead, b.Size()))
	size, err := b.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	head = head[:size]
	begin := bytes.TrimLeft(head, "\ufeff \t\r\n")
	if bytes.HasPrefix(head, zipMagic) {
		return recognizeZip(b, n), nil
	}
	if bytes.HasPrefix(head, gzipMagic) {
		return graph.Profile, nil
	}
	if bytes.HasPrefix(begin, []byte("{")) || bytes.HasPrefix(begin, []byte("[")) {
		return recognizeJSON(begin), nil
	}
	if onnx.Recognize(b, b.Size()) || n.EndsIn(".onnx") {
		return graph.ONNX, nil
	}
	return recognizeText(head), nil
}

// gzipMagic begins a gzip file. (RFC 1952, 2.3.1)
var gzipMagic = []byte("\x1f\x8b")

// zipMagic begins a zip archive with members. (APPNOTE.TXT 6.3.10, 4.3.7)
var zipMagic = []byte("PK\x03\x04")

// isZip reports whether a file begins as a zip archive.
func isZip(b File) bool {
	head := make([]byte, len(zipMagic))
	n, _ := b.ReadAt(head, 0) //nolint:errcheck // a file that cannot be read is not recognized
	return bytes.Equal(head[:n], zipMagic)
}

// recognizeZip recognizes the archives of torch.export by their members, and damaged ones by their name.
func recognizeZip(b File, n name.Name) graph.Engine {
	archive, err := zip.Open(b, b.Size(), "a zip archive")
	if err != nil && n.EndsIn(".pt2") {
		return graph.Export
	}
	if err != nil {
		return ""
	}
	if slices.ContainsFunc(archive.Members, func(m zip.Member) bool { return exported.IsModel(m.Name) }) {
		return graph.Export
	}
	return ""
}

// recognizeJSON recognizes a document by its first names.
func recognizeJSON(begin []byte) graph.Engine {
	has := func(name string) bool { return bytes.Contains(begin, []byte(`"`+name+`"`)) }
	if has("traceEvents") || has("deviceProperties") {
		return graph.Profile
	}
	if has("Layers") {
		return graph.TensorRT
	}
	return ""
}

// recognizeText recognizes logs of oneDNN and modules of XLA among other lines.
func recognizeText(head []byte) graph.Engine {
	text := string(head)
	if strings.HasPrefix(text, "HloModule ") || strings.Contains(text, "\nHloModule ") {
		return graph.XLA
	}
	if strings.Contains(text, "onednn_verbose,") || strings.Contains(text, "dnnl_verbose,") {
		return graph.OneDNN
	}
	return ""
}

// readers read the program in the files of each engine.
var readers = map[graph.Engine]func(b File) (*graph.Program, error){
	graph.Export:   func(b File) (*graph.Program, error) { return exported.Read(b, b.Size()) },
	graph.Profile:  func(b File) (*graph.Program, error) { return profile.Read(stream(b)) },
	graph.OneDNN:   func(b File) (*graph.Program, error) { return onednn.Read(stream(b)) },
	graph.XLA:      func(b File) (*graph.Program, error) { return hlo.Read(stream(b)) },
	graph.ONNX:     func(b File) (*graph.Program, error) { return onnxgraph.Read(b, b.Size()) },
	graph.TensorRT: func(b File) (*graph.Program, error) { return tensorrt.Read(stream(b)) },
}

// Read reads the program in a file. It fails with Unsupported if no reader has its format, and with the errors of the format's reader.
func Read(b File, n name.Name) (*graph.Program, error) {
	engine, err := Recognize(b, n)
	if err != nil {
		return nil, err
	}
	if engine == "" && isZip(b) {
		engine = graph.Export // whose reader says what is wrong with the archive
	}
	read, ok := readers[engine]
	if !ok {
		return nil, fault.New(fault.Unsupported, "%s", cmp.Or(string(engine), "not a program that is read")).WithHint(
			"want .pt2 of torch.export, a trace of PyTorch's profiler, a log of oneDNN, HLO text, .onnx, or TensorRT's layer information")
	}
	return read(b)
}

// stream returns a file's bytes in order.
func stream(b File) io.Reader { return io.NewSectionReader(b, 0, b.Size()) }

// AddTimes adds the times in a profile of TensorRT, trtexec --exportProfile, to the layers of a program.
func AddTimes(p *graph.Program, profile File) error {
	seconds, err := tensorrt.ReadTimes(stream(profile))
	if err != nil {
		return err
	}
	return tensorrt.AddTimes(p, seconds)
}
