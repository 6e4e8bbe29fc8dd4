package source

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/need"
)

// model returns an ONNX model of uint8 tensors of four elements, in external data at these locations, one behind the other, and one in the model.
func model(locations ...string) []byte {
	field := func(b []byte, number protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), content)
	}
	tensor := func(name string) []byte {
		b := field([]byte{2 << 3, 2}, 8, []byte(name))
		return append(b, 1<<3, 4)
	}
	graph := field(nil, 5, field(tensor("own"), 9, []byte{1, 2, 3, 4}))
	for i, location := range locations {
		pair := func(key, value string) []byte { return field(field(nil, 1, []byte(key)), 2, []byte(value)) }
		t := field(field(tensor(string(rune('a'+i))), 13, pair("location", location)), 13, pair("offset", string(rune('0'+4*i))))
		graph = field(graph, 5, append(t, 14<<3, 1))
	}
	return field([]byte{1 << 3, 8}, 7, graph)
}

// TestBeside: external data are read beside the model and below its folder, through links only to files in the folder of what the model is or links
// to. Tensors whose data are missing are refused, others read.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, d := range []string{"m/below", "cache", "snapshot"} {
		need.Made(t, os.MkdirAll(at(d), 0o777))
	}
	data := []byte("abcdefgh")
	for _, f := range []string{"m/x.data", "m/below/y", "cache/blob2", "secret"} {
		need.Made(t, os.WriteFile(at(f), data, 0o666))
	}
	need.Made(t, os.WriteFile(at("m/short"), data[:7], 0o666))
	need.Made(t, os.WriteFile(at("cache/blob1"), model("x.data"), 0o666))
	for link, target := range map[string]string{"m/link": "../secret", "m/near": "x.data", "m/deep": "below", "m/out": "..",
		"snapshot/m.onnx": "../cache/blob1", "snapshot/x.data": "../cache/blob2"} {
		need.Made(t, os.Symlink(target, at(link)))
	}
	for _, c := range []struct {
		path      string
		locations []string
		read      string // the elements of a tensor a or b
		refused   string
	}{
		{"m/m.onnx", []string{"x.data"}, "abcd", ""},
		{"m/m.onnx", []string{"x.data", "below/y"}, "efgh", ""},
		{"m/m.onnx", []string{"near"}, "abcd", ""},
		{"m/m.onnx", []string{"deep/y"}, "abcd", ""},
		{"m/m.onnx", []string{"link"}, "", `its elements cannot be read: "link" is a link out of the folder`},
		{"m/m.onnx", []string{"out/secret"}, "", `its elements cannot be read: "out/secret" is a link out of the folder`},
		{"m/m.onnx", []string{"none"}, "", `cannot open`},
		{"m/m.onnx", []string{"below"}, "", `it is a directory`},
		{"snapshot/m.onnx", nil, "abcd", ""},
	} {
		if c.locations != nil {
			need.Made(t, os.WriteFile(at(c.path), model(c.locations...), 0o666))
		}
		s := openSet(t, at(c.path))
		if s.Format != checkpoint.ONNX {
			t.Fatal(s.Format)
		}
		last := max(len(c.locations), 1)
		_, err := s.Named(string(rune('a'+last-1)), Options{})
		if c.refused != "" {
			hostile.WantFault(t, c.locations[0], err, fault.Unsupported, c.refused)
			if len(s.Findings) != 1 || len(s.Tensors) != 1 {
				t.Errorf("%v: %+v", c.locations, s.Findings)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.locations, err)
			continue
		}
		p := make([]byte, 4)
		if err := s.ReadStorage(p, s.Tensors[last].Storage, 0); err != nil || string(p) != c.read {
			t.Errorf("%v: %q, %v", c.locations, p, err)
		}
	}
	need.Made(t, os.WriteFile(at("m/m.onnx"), model("x.data", "short"), 0o666))
	_, _, err := Open(named(at("m/m.onnx")), Options{})
	hostile.WantFault(t, "a file that is too short", err, fault.Malformed, `storage "b" has 4 bytes at byte 4 of "short", which has 7`)
}
