package source

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
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

// TestFilesInRow: several archives of torch.save in one file are named as such, with the command for a distributed checkpoint, whose files are.
func TestFilesInRow(t *testing.T) {
	var one bytes.Buffer
	w := zip.NewWriter(&one)
	if _, err := w.Create("archive/data.pkl"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, hint := range map[string]string{"x.pt": "save each into its own", "__0_0.distcp": "dcp_to_torch"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, bytes.Repeat(one.Bytes(), 2), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := Open(named(path), Options{})
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Unsupported || !strings.Contains(e.Text, "several files of torch.save in a row") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(e.Hint, hint) {
			t.Errorf("%s: hint %q", name, e.Hint)
		}
	}
}
