package source

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSafetensorsOfAnyLength: a safetensors file is one whatever the length of its header: those of 640 to 1408 bytes and more begin as pickles of
// protocol 2 to 5.
func TestSafetensorsOfAnyLength(t *testing.T) {
	const header = `{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	for _, length := range []int{64, 640, 896, 1152, 1408, 0x10280} {
		file := binary.LittleEndian.AppendUint64(nil, uint64(length))
		file = append(file, header+strings.Repeat(" ", length-len(header))+"12345678"...)
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := OpenOnly(named(path+":w"), Options{})
		if err != nil {
			t.Errorf("%d bytes: %v", length, err)
			continue
		}
		x.Close() //nolint:errcheck // was read
	}
}

// TestFilesInRow: several archives of torch.save in one file are read one by one, whatever its name.
func TestFilesInRow(t *testing.T) {
	content, err := os.ReadFile(checkpoints + "plain.pt")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.pt")
	if err := os.WriteFile(path, bytes.Repeat(content, 2), 0o600); err != nil {
		t.Fatal(err)
	}
	one := openSet(t, checkpoints+"plain.pt")
	if s := openSet(t, path); len(s.Tensors) != 2*len(one.Tensors) || s.Tensors[0].Name != "0."+one.Tensors[0].Name {
		t.Errorf("%d tensors, %q", len(s.Tensors), s.Tensors[0].Name)
	}
}
