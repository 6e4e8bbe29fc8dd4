package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
)

// TestLegacyProtocols: a legacy file of PyTorch is recognized whatever protocol torch.save(pickle_protocol=…) was given: a pickle of
// protocol 2 is one of 3, 4 and 5 too.
func TestLegacyProtocols(t *testing.T) {
	file, err := os.ReadFile("../../../testdata/checkpoints/old.pth")
	if err != nil {
		t.Fatal(err)
	}
	const number = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
	framed := "\x80\x04\x95\x0d\x00\x00\x00\x00\x00\x00\x00" + number
	for begins, protocol := range map[string]string{"L119547037146038801333356L\n.": "0 or 1", framed: "4, framed"} {
		path := filepath.Join(t.TempDir(), "x") // whose name says nothing
		if err := os.WriteFile(path, append([]byte(begins), bytes.TrimPrefix(file, []byte("\x80\x02"+number))...), 0o666); err != nil {
			t.Fatal(err)
		}
		k, _, err := Open(named(path), Options{})
		if err != nil || k.Format != checkpoint.TorchLegacy || len(k.Tensors) == 0 {
			t.Errorf("protocol %s: %v", protocol, err)
			continue
		}
		k.Close()
	}
	var want []string
	for protocol := byte(2); protocol <= 6; protocol++ {
		path := filepath.Join(t.TempDir(), "x.bin") // which says less than .pt
		if err := os.WriteFile(path, bytes.ReplaceAll(file, []byte("\x80\x02"), []byte{0x80, protocol}), 0o666); err != nil {
			t.Fatal(err)
		}
		k, _, err := Open(named(path), Options{})
		if protocol == 6 {
			if fault.ClassOf(err) != fault.Unsupported && fault.ClassOf(err) != fault.Malformed || err == nil {
				t.Errorf("protocol 6: %v", err)
			}
			continue
		}
		if err != nil {
			t.Errorf("protocol %d: %v", protocol, err)
			continue
		}
		if k.Format != checkpoint.TorchLegacy || len(k.Tensors) == 0 {
			t.Errorf("protocol %d: %s of %d tensors", protocol, k.Format, len(k.Tensors))
		}
		var got []string
		for _, x := range k.Tensors {
			got = append(got, fmt.Sprint(x.Name, x.Type, x.View, k.Storages[x.Storage]))
		}
		if k.Close(); want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("protocol %d: %q, expected %q", protocol, got, want)
		}
	}
}
