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

// npz FILE MEMBER=SOURCE…: write an archive of files, stored as by np.savez; those after the word "deflated" are deflated, those after
// "encrypted" are marked as encrypted. Escapes such as \x1b in MEMBER are bytes.
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

// deflate packs without compressing, so that sizes do not depend on the version of a compressor.
func deflate(content []byte) []byte {
	var out bytes.Buffer
	w := fixture.Must(flate.NewWriter(&out, flate.NoCompression))
	fixture.Must(w.Write(content))
	cli.Must(w.Close())
	return out.Bytes()
}

// patch FILE AT TEXT: overwrite the file from byte AT on with text, where escapes such as \xff are bytes.
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
