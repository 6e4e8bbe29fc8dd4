package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/ints"
)

// fixtures are the files of the README and of help; testdata of the module has them as NumPy wrote them.
var fixtures = map[string]func() []byte{
	"x.npy":     func() []byte { return fixture.Must(fixture.Npy("<f4", []int{2, 3, 4, 5}, false)) },
	"photo.npy": func() []byte { return fixture.Must(fixture.Npy("|u1", []int{2, 6, 8, 3}, false)) },
	"model.pt":  func() []byte { return fixture.Must(os.ReadFile(filepath.Join(testdataDir, "model.pt"))) },

	"dump.bin": func() []byte { return fixture.Must(os.ReadFile(filepath.Join(testdataDir, "dump.bin"))) },

	"m.safetensors": func() []byte { return fixture.Must(os.ReadFile(filepath.Join(testdataDir, "m.safetensors"))) },

	"net.pt2":       func() []byte { return fixture.Must(os.ReadFile(filepath.Join(testdataDir, "net.pt2"))) },
	"net.onnx":      func() []byte { return fixture.Must(os.ReadFile(filepath.Join(testdataDir, "net.onnx"))) },
	"trace.json.gz": func() []byte { return fixture.Must(os.ReadFile(filepath.Join(testdataDir, "trace.json.gz"))) },
	"hlo.txt":       func() []byte { return fixture.Must(os.ReadFile(filepath.Join(testdataDir, "hlo.txt"))) },
	"onednn.log":    func() []byte { return fixture.Must(os.ReadFile(filepath.Join(testdataDir, "onednn.log"))) },
}

// bowls FILE: write one uint8 image NCHW, (1,8,16,16), whose 8 channels are the same bowl over H and W, each at a level of its own.
func bowlsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: bowls FILE")
	}
	file := fixture.Must(fixture.Npy("|u1", []int{1, 8, 16, 16}, false))
	data := file[len(file)-8*16*16:]
	for i := range data {
		c, h, w := i/256, i/16%16, i%16
		data[i] = byte((c*37)%101 + ((h-8)*(h-8)+(w-5)*(w-5))/2)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), file, 0o644))
}

// testdataDir has files that other programs wrote.
var testdataDir = fixture.Must(filepath.Abs("../../testdata"))

// fixture NAME…: write the named fixtures; all of them without a name.
func fixtureCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		args = []string{"x.npy", "photo.npy"}
	}
	for _, name := range args {
		ts.Check(os.WriteFile(ts.MkAbs(name), fixtures[name](), 0o644))
	}
}

// checkpoints NAME…: write these files of testdata/checkpoints; all of them without a name.
func checkpointsCommand(ts *testscript.TestScript, neg bool, args []string) {
	dir := filepath.Join(testdataDir, "checkpoints")
	if len(args) == 0 {
		entries, err := os.ReadDir(dir)
		ts.Check(err)
		for _, e := range entries {
			args = append(args, e.Name())
		}
	}
	for _, name := range args {
		data, err := os.ReadFile(filepath.Join(dir, name))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), data, 0o644))
	}
}

// slices: copy the folders of testdata/slices.
func slicesCommand(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS(filepath.Join(testdataDir, "slices"))))
}

// npy FILE DTYPE SHAPE [fortran]: write a .npy file whose element i, counted in row-major order, holds i. SHAPE is
// 2,3,4, or () for a scalar.
func npyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 || len(args) == 4 && args[3] != "fortran" {
		ts.Fatalf("usage: npy FILE DTYPE SHAPE [fortran]")
	}
	var shape cli.Ints
	ts.Check(shape.Set(args[2]))
	file, err := fixture.Npy(args[1], shape.Values, len(args) == 4)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), file, 0o644))
}

// normal FILE SHAPE NOISE: write a .npy file of float32 drawn from a normal distribution, the same ones for each shape, each times 1 + NOISE times
// another such number.
func normalCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: normal FILE SHAPE NOISE")
	}
	var shape cli.Ints
	ts.Check(shape.Set(args[1]))
	noise, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	file, err := fixture.Npy("float32", shape.Values, false)
	ts.Check(err)
	items := file[len(file)-4*ints.Product(shape.Values):]
	numbers, others := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
	for ; len(items) > 0; items = items[4:] {
		x := numbers.NormFloat64() * (1 + noise*others.NormFloat64())
		binary.LittleEndian.PutUint32(items, math.Float32bits(float32(x)))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), file, 0o644))
}

// rawnpy FILE VERSION HEADER N: write a .npy file with exactly this header text, where escapes such as \xff are bytes, and N zero bytes after it.
func rawnpyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: rawnpy FILE VERSION HEADER N")
	}
	text := unescape(ts, args[2]) + "\n"
	n, err := strconv.Atoi(args[3])
	ts.Check(err)
	major, minor, _ := strings.Cut(args[1], ".")
	v1, err := strconv.Atoi(major)
	ts.Check(err)
	v2, err := strconv.Atoi(minor)
	ts.Check(err)
	file := append([]byte("\x93NUMPY"), byte(v1), byte(v2))
	if v1 == 1 {
		file = binary.LittleEndian.AppendUint16(file, uint16(len(text)))
	} else {
		file = binary.LittleEndian.AppendUint32(file, uint32(len(text)))
	}
	file = append(append(file, text...), make([]byte, n)...)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), file, 0o644))
}

// hex FILE OFFSET BYTES: the file, or stdout, holds these bytes, in hexadecimal, at the offset. The offset "data" is
// byte 128, after the header of a small .npy file; "end" means at the end.
func hexCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: hex FILE OFFSET BYTES")
	}
	want, err := hex.DecodeString(args[2])
	ts.Check(err)
	file := []byte(ts.ReadFile(args[0]))
	at := len(file) - len(want)
	if args[1] == "data" {
		at = bytes.Index(file, []byte("\x93NUMPY")) + 128
	} else if args[1] != "end" {
		at, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	if at < 0 || at+len(want) > len(file) {
		ts.Fatalf("%s has %d bytes", args[0], len(file))
	}
	if got := file[at : at+len(want)]; bytes.Equal(got, want) == neg {
		ts.Fatalf("%s has %x at %d, expected %x", args[0], got, at, want)
	}
}

// json FILE PATH=VALUE…: the value at a path such as contiguous.why_not.f.dim is this JSON value. The first argument
// may be FILE:2 for the second of several documents. With "!", the path does not exist; it then has no value.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: json FILE PATH=VALUE…")
	}
	name, number, _ := strings.Cut(args[0], ":")
	document := documentAt(ts, ts.ReadFile(name), number)
	for _, arg := range args[1:] {
		path, value, _ := strings.Cut(arg, "=")
		got, ok := valueAt(document, path)
		if neg {
			if ok {
				ts.Fatalf("%s is there: %v", path, got)
			}
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(value), &want); err != nil {
			ts.Fatalf("%s: %q is no JSON: %v", path, value, err)
		}
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			ts.Fatalf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func documentAt(ts *testscript.TestScript, text, number string) any {
	var document any
	dec := json.NewDecoder(strings.NewReader(text))
	n := 1
	if number != "" {
		n = fixture.Must(strconv.Atoi(number))
	}
	for range n {
		document = nil
		ts.Check(dec.Decode(&document))
	}
	if number == "" && dec.More() {
		ts.Fatalf("there are several documents")
	}
	return document
}

// valueAt returns the value at a path of names and list indices.
func valueAt(document any, path string) (any, bool) {
	for name := range strings.SplitSeq(path, ".") {
		switch d := document.(type) {
		case map[string]any:
			value, ok := d[name]
			if !ok {
				return nil, false
			}
			document = value
		case []any:
			i, err := strconv.Atoi(name)
			if name == "length" {
				document = float64(len(d))
				continue
			}
			if err != nil || i < 0 || i >= len(d) {
				return nil, false
			}
			document = d[i]
		default:
			return nil, false
		}
	}
	return document, true
}
