package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// evil is the beginning of a name that a terminal would act on.
const evil = "a\x1b[31m\u202e\x9b\x07"

// foreign are names of tensors, members and fields that a terminal, a spreadsheet or a page might act on.
var foreign = []string{evil, "\u2066a\u2069", "n\x00ul", "\u0085", "\u061c\u200e", "x\u2028y", "\ufeffbom", "\U000e0041",
	"<script>alert(1)</script>",
	"=cmd|'calc'!A1", "a|b\n# h", "[x](javascript:alert(1))", "tab\t"}

// holding writes a file of every kind that holds a tensor of each name, and returns what they are called.
func holding(names []string) (files []string) {
	write := func(name string, text []byte) {
		cli.Must(os.WriteFile(name, text, 0o644))
		files = append(files, name)
	}
	header, at := map[string]any{"__metadata__": map[string]string{evil: evil}}, 0
	for _, n := range names {
		header[n] = map[string]any{"dtype": "F32", "shape": []int{1, 2, 2, 2}, "data_offsets": []int{at, at + 32}}
		at += 32
	}
	text := fixture.Must(json.Marshal(header))
	write("s.safetensors", slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, make([]byte, at)))

	var gguf []byte
	word := func(s string) {
		gguf = append(binary.LittleEndian.AppendUint64(gguf, uint64(len(s))), s...)
	}
	gguf = binary.LittleEndian.AppendUint32([]byte("GGUF"), 3)
	gguf = binary.LittleEndian.AppendUint64(gguf, uint64(len(names)))
	gguf = binary.LittleEndian.AppendUint64(gguf, uint64(len(names)))
	for _, n := range names {
		word(n)
		gguf = binary.LittleEndian.AppendUint32(gguf, 8) // a string
		word(n)
	}
	for i, n := range names {
		word(n)
		gguf = binary.LittleEndian.AppendUint32(gguf, 4)
		for _, size := range []uint64{2, 2, 2, 1} {
			gguf = binary.LittleEndian.AppendUint64(gguf, size)
		}
		gguf = binary.LittleEndian.AppendUint32(gguf, 0) // F32
		gguf = binary.LittleEndian.AppendUint64(gguf, uint64(32*i))
	}
	write("g.gguf", append(gguf, make([]byte, -len(gguf)&31+32*len(names))...))

	var npz bytes.Buffer
	z := zip.NewWriter(&npz)
	for _, n := range names {
		member := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: n + ".npy"}))
		fixture.Must(member.Write(fixture.Must(fixture.Npy("<f4", []int{1, 2, 2, 2}, false))))
	}
	cli.Must(z.Close())
	write("n.npz", npz.Bytes())

	var fields strings.Builder
	for _, n := range names {
		quoted := strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\x00", `\x00`).Replace(strings.ToValidUTF8(n, "?"))
		fmt.Fprintf(&fields, "('%s', '<f4'), ", quoted)
	}
	dict := fmt.Sprintf("{'descr': [%s], 'fortran_order': False, 'shape': (2,), }\n", fields.String())
	npy := append(binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x03\x00"), uint32(len(dict))), dict...)
	write("fields.npy", append(npy, make([]byte, 8*len(names))...))
	return files
}

// listing are commands that name what is inside F.
var listing = []string{"inspect F --all --limit 0", "inspect F --offsets", "check F --weights-only", "check F --packed", "diff F F",
	"diff F s.safetensors", "diff F n.npz --all", "plan F --to nhwc --all", "convert F --to nhwc --all --dry-run", "convert F -d out",
	"draw F", "trace F T", "offset F 0"}

// acts returns the first part of a text that is not UTF-8, or that is neither printed nor the end of a line.
func acts(text string) string {
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return text[max(0, i-20):min(len(text), i+20)]
		}
	}
	return ""
}

// TestHostileInside: no name inside a valid file reaches standard output or error raw, in any format, nor the shell's completions.
func TestHostileInside(t *testing.T) {
	t.Chdir(t.TempDir())
	if acts("a\x9b") == "" || acts("\u202e") == "" || acts("\x1b[m") == "" || acts("é\n漢") != "" {
		t.Fatal("acts does not see what it must")
	}
	done, shown, offered := 0, map[string]bool{}, 0
	run := func(args ...string) outcome {
		o := runIn(t, nil, args...)
		if at := acts(o.out + o.err); at != "" {
			t.Errorf("tlayout %q prints %q", args, at)
		}
		if o.code == 0 {
			done++
		}
		return o
	}
	files := holding(foreign)
	for _, file := range files {
		for _, format := range []string{"table", "json", "csv", "markdown"} {
			for _, command := range listing {
				o := run(append(strings.Fields(strings.ReplaceAll(command, "F", file)), "-f", format)...)
				shown[format] = shown[format] || strings.Contains(o.out, "cmd|") || strings.Contains(o.out, `cmd\|`)
			}
			for i, command := range []string{"inspect", "draw", "plan --to nhwc", "check --packed"} {
				run(append(strings.Fields(command), file+":"+foreign[i], "-f", format)...)
			}
		}
		for _, command := range []string{"inspect", "convert", "diff", "draw"} {
			for _, begun := range []string{file, file + ":", file + ":" + evil[:1], file + ":\u2066"} {
				offered += strings.Count(run(cobra.ShellCompRequestCmd, command, begun).out, "<script>")
			}
		}
	}
	if done < 100 || len(shown) != 4 || !shown["csv"] || !shown["table"] || offered < 8 {
		t.Errorf("%d runs answered, names are shown in %v, %d completions", done, shown, offered)
	}
	t.Logf("%d runs answered, %d completions", done, offered)
}
