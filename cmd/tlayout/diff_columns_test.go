package main

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// TestDiffColumns: a narrow page lists the offsets of both sides rather than the bytes of one: a compressed array has no bytes in its file.
func TestDiffColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	file := fixture.Must(fixture.Npy("float32", []int{20, 30, 40}, false))
	cli.Must(os.WriteFile("x.npy", file, 0o644))
	file[len(file)-1] ^= 1
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	packed := deflate(file)
	fixture.Must(fixture.Must(w.CreateRaw(&zip.FileHeader{Name: "x.npy", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(file),
		UncompressedSize64: uint64(len(file)), CompressedSize64: uint64(len(packed))})).Write(packed))
	cli.Must(w.Close())
	cli.Must(os.WriteFile("y.npz", out.Bytes(), 0o644))
	for width, bytes := range map[int]bool{200: true, 50: false} {
		o := runIn(t, []func(*cli.Streams){func(s *cli.Streams) { s.Width = width }}, "diff", "x.npy", "y.npz")
		for column, want := range map[string]bool{"offset a": true, "offset b": true, "byte a": bytes} {
			if shown := strings.Contains(o.out, column); shown != want {
				t.Errorf("%d columns, %s: %t\n%s", width, column, shown, o.out)
			}
		}
	}
}
