package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// npz FILE MEMBER=SOURCE…: write an archive of files, stored as np.savez does it; deflated from the word "deflated" on,
// encrypted, or so it says, from the word "encrypted" on. Escapes such as \x1b in MEMBER are bytes.
func npzCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: npz FILE [MEMBER=SOURCE | deflated | encrypted]…")
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	method, flags := zip.Store, uint16(0)
	for _, arg := range args[1:] {
		member, from, ok := strings.Cut(arg, "=")
		switch {
		case ok:
			content := []byte(ts.ReadFile(from))
			h := zip.FileHeader{Name: unescape(ts, member), Method: method, Flags: flags,
				CRC32: crc32.ChecksumIEEE(content), UncompressedSize64: uint64(len(content))}
			if method == zip.Deflate {
				content = deflate(content)
			}
			h.CompressedSize64 = uint64(len(content))
			fixture.Must(fixture.Must(w.CreateRaw(&h)).Write(content))
		case arg == "deflated":
			method = zip.Deflate
		case arg == "encrypted":
			flags = 1
		default:
			ts.Fatalf("%q is no member", arg)
		}
	}
	cli.Must(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o644))
}

// deflate packs without making it shorter, so that sizes are those of no version of a compressor.
func deflate(content []byte) []byte {
	var out bytes.Buffer
	w := fixture.Must(flate.NewWriter(&out, flate.NoCompression))
	fixture.Must(w.Write(content))
	cli.Must(w.Close())
	return out.Bytes()
}

// patch FILE AT TEXT: put text, in which \xff and the like are bytes, into the file at a byte.
func patchCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: patch FILE AT TEXT")
	}
	content := []byte(ts.ReadFile(args[0]))
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	copy(content[at:], unescape(ts, args[2]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o644))
}
