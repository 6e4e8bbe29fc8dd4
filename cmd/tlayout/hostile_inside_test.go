package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// evil begins names that a terminal would interpret.
const evil = "a\x1b[31m\u202e\x9b\x07"

// foreign are names of files, tensors, members and fields that a terminal, a spreadsheet, a page, a shell, a file system or a CI runner
// might interpret.
var foreign = []string{evil, "\u2066a\u2069", "n\x00ul", "\u0085", "\u061c\u200e", "x\u2028y", "\ufeffbom", "\U000e0041", "\xff\xfe", "cr\rlf\r\nx",
	"<script>alert(1)</script>", "<!--", "&lt;b&gt;", "=cmd|'calc'!A1", "@SUM(1)", "+1+1", "-x", "-", "--all", "tab\t", " ", "a b", "\"q\", 'q'",
	"a|b\n# h", "[x](javascript:alert(1))", "![x][y]", "```\nx", "`rm`", "@team", "see #12 and GH-3", "https://e.org/x", "www.e.org a@e.org",
	"::error file=a,line=1::x", " \t::stop-commands::x", "x\n::add-mask::y", "##[error]x", "a ##vso[task.setvariable variable=a]b", "%0A::x", "${{ a }}",
	"../x", "/etc/passwd", "CON", "$(id)", "a;b", "%s%n", "", "日本語"}

// holding writes a file of every kind with a tensor of each name, and returns the files' names.
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

	field := func(b []byte, number byte, content []byte) []byte { // of a message of protobuf: bytes
		return append(binary.AppendUvarint(append(b, number<<3|2), uint64(len(content))), content...)
	}
	var graph []byte
	for _, n := range names {
		graph = field(graph, 5, field(field(field([]byte{2 << 3, 1}, 1, []byte{1, 2, 2, 2}), 8, []byte(n)), 9, make([]byte, 32)))
	}
	write("o.onnx", field(field([]byte{1 << 3, 8}, 14, field(field(nil, 1, []byte(evil)), 2, []byte(evil))), 7, graph))

	config := map[string]any{}
	for _, n := range names {
		one := func(k int) map[string]int { return map[string]int{"as_int": k} }
		config[strings.ToValidUTF8(n, "?")] = map[string]any{"path_name": "weight_0", "tensor_meta": map[string]any{"dtype": 7, "layout": 7, "storage_offset": one(0),
			"sizes": []any{one(1), one(2), one(2), one(2)}, "strides": []any{one(8), one(4), one(2), one(1)}, "device": map[string]string{"type": evil}}}
	}
	var program bytes.Buffer
	p := zip.NewWriter(&program)
	for name, content := range map[string][]byte{"a/data/weights/weight_0": make([]byte, 32),
		"a/data/weights/m_weights_config.json": fixture.Must(json.Marshal(map[string]any{"config": config}))} {
		member := fixture.Must(p.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}))
		fixture.Must(member.Write(content))
	}
	cli.Must(p.Close())
	write("p.pt2", program.Bytes())

	var npz bytes.Buffer
	z := zip.NewWriter(&npz)
	for _, n := range names {
		member := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: n + ".npy"}))
		fixture.Must(member.Write(fixture.Must(fixture.Npy("<f4", []int{1, 2, 2, 2}, false))))
	}
	cli.Must(z.Close())
	write("n.npz", npz.Bytes())
	write("t.pt", checkpointOf(names))

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

// checkpointOf returns a PyTorch checkpoint whose tensors, with these names, share a storage of 8 elements.
func checkpointOf(names []string) []byte {
	pickle := []byte("\x80\x02}(")
	text := func(s string) {
		s = strings.ToValidUTF8(s, "?")
		pickle = append(binary.LittleEndian.AppendUint32(append(pickle, 'X'), uint32(len(s))), s...)
	}
	for _, n := range names {
		text(n)
		pickle = append(pickle, "ctorch._utils\n_rebuild_tensor_v2\n(("...)
		text("storage")
		pickle = append(pickle, "ctorch\nFloatStorage\n"...)
		text("0")
		text("cpu")
		pickle = append(pickle, "K\x08tQK\x00(K\x01K\x02K\x02K\x02t(K\x08K\x04K\x02K\x01t\x89ccollections\nOrderedDict\n)RtR"...)
	}
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, content := range map[string][]byte{"a/data.pkl": append(pickle, "u."...), "a/version": []byte("3\n"), "a/data/0": make([]byte, 32)} {
		member := fixture.Must(z.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(content), CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content))}))
		fixture.Must(member.Write(content))
	}
	cli.Must(z.Close())
	return file.Bytes()
}

// holdingMost is holding, each file with the names that its format allows.
func holdingMost(t *testing.T, names []string) (files []string) {
	accepted := map[string][]string{}
	for _, n := range names {
		for _, file := range holding([]string{n}) {
			o := runIn(t, nil, "inspect", file)
			if at := wrong("table", o); at != "" {
				t.Errorf("tlayout inspect %s, which holds %.40q: %s", file, n, at)
			}
			if o.code == 0 {
				accepted[file] = append(accepted[file], n)
			}
		}
	}
	for file, names := range accepted {
		holding(names)
		files = append(files, "all-"+file)
		cli.Must(os.Rename(file, "all-"+file))
		t.Logf("%s holds %d of %d names", file, len(names), len(foreign))
	}
	slices.Sort(files)
	return files
}

// listing are commands that print names in F.
var listing = []string{"inspect F --all --limit 0", "inspect F --offsets", "check F --weights-only", "check F --packed", "diff F F",
	"diff F s.safetensors", "diff F n.npz --all", "plan F --to nhwc --all", "convert F --to nhwc --all --dry-run", "convert F -d out",
	"draw F", "trace F T", "offset F 0"}

// TestHostileInside: names inside valid files are inert text on standard output and error, in any format, and in the shell's completions.
func TestHostileInside(t *testing.T) {
	t.Chdir(t.TempDir())
	inert := countTrials(t)
	done, shown, offered := 0, map[string]bool{}, 0
	run := func(args ...string) outcome {
		o := runIn(t, nil, args...)
		var problems []string
		if at := wrong(args[len(args)-1], o); at != "" {
			problems = append(problems, at)
		}
		inert.try(t, fmt.Sprintf("tlayout %.200q", args), fmt.Sprint("exit code ", o.code), problems...)
		if o.code == 0 {
			done++
		}
		return o
	}
	files := holdingMost(t, foreign)
	holding(foreign[:1])
	for i, file := range files {
		for _, format := range []string{"table", "json", "csv", "markdown"} {
			for _, command := range listing {
				o := run(append(strings.Fields(strings.ReplaceAll(command, "F", file)), "-f", format)...)
				shown[format] = shown[format] || strings.Contains(o.out, "cmd|") || strings.Contains(o.out, `cmd\|`)
			}
		}
		for j, name := range foreign {
			if j%len(files) == i {
				command := []string{"inspect", "draw", "convert --to nhwc --dry-run", "check --packed"}[j%4]
				run(append(strings.Fields(command), file+":"+name, "-f", []string{"table", "json", "csv", "markdown"}[j/4%4])...)
			}
		}
		for _, command := range []string{"inspect", "convert", "diff", "draw"} {
			for _, begun := range []string{file, file + ":", file + ":" + evil[:1], file + ":\u2066"} {
				offered += strings.Count(run(cobra.ShellCompRequestCmd, command, begun).out, "<script>")
			}
		}
	}
	for _, file := range holding([]string{strings.Repeat("long", 2560)}) {
		for _, format := range []string{"table", "json", "csv", "markdown"} {
			run("inspect", file, "--all", "-f", format)
		}
	}
	if done < 100 || len(shown) != 4 || !shown["csv"] || !shown["table"] || offered < 8 || len(files) < 5 {
		t.Errorf("%d runs answered, names are shown in %v, %d completions, %d files", done, shown, offered, len(files))
	}
	t.Logf("%d runs answered, %d completions", done, offered)
}

// naming are commands that print the name of the source F.
var naming = []string{"check F --packed --rank 7", "check F --weights-only", "diff F F", "diff F y.npy", "convert F --to nhwc --dry-run", "trace F T", "offset F 0,0,0,0",
	"draw F", "inspect F:w", "F", "graph F"}

// TestHostileFileNames: names of files are inert text on standard output and error, in any format.
func TestHostileFileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	inert := countTrials(t)
	content := fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false))
	cli.Must(os.WriteFile("y.npy", fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 6}, false)), 0o644))
	cli.Must(os.Mkdir("all", 0o755))
	formats, answered := []string{"table", "json", "csv", "markdown"}, 0
	run := func(format string, args ...string) {
		args = append([]string{"-f", format}, args...)
		o := runIn(t, nil, args...)
		var problems []string
		if at := wrong(format, o); at != "" {
			problems = append(problems, at)
		}
		inert.try(t, fmt.Sprintf("tlayout %.200q", args), fmt.Sprint("exit code ", o.code), problems...)
		if o.code <= 1 {
			answered++
		}
	}
	for i, name := range foreign {
		name += ".npy"
		err := os.WriteFile(filepath.Join("all", strings.ReplaceAll(name, "/", "_")), content, 0o644)
		if os.WriteFile(name, content, 0o644) != nil && err == nil {
			name = filepath.Join("all", strings.ReplaceAll(name, "/", "_"))
		}
		for _, format := range formats {
			run(format, "inspect", "--", name)
		}
		for j, command := range naming {
			if (i+j)%2 > 0 {
				continue
			}
			args := strings.Fields(command)
			for k, arg := range args {
				args[k] = strings.Replace(arg, "F", name, 1)
			}
			run(formats[(i+j/2)%4], args...)
		}
	}
	for _, format := range formats {
		for _, command := range []string{"inspect all", "check all --packed", "check all --rank 7", "diff all all", "convert all --to nhwc -d out --force"} {
			run(format, strings.Fields(command)...)
		}
		run(format, append([]string{"bench", evil + ".npy"}, strings.Fields(quick)...)...) // once: it measures
	}
	if answered < 300 {
		t.Errorf("only %d runs answered", answered)
	}
}
