package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/onnx/onnxtest"
)

// programNaming returns an ONNX model that has a text wherever tlayout graph prints one: names of values, operators, domains, nodes and open
// sizes, and the line of the user's program.
func programNaming(s string) []byte {
	sizes := func(names ...string) onnxtest.Message {
		var shape onnxtest.Message
		for _, n := range names {
			shape = shape.Bytes(1, onnxtest.Message{}.Text(2, n))
		}
		return onnxtest.Message{}.Text(1, s).Bytes(2, onnxtest.Message{}.Bytes(1, onnxtest.Message{}.Number(1, 1).Bytes(2, shape)))
	}
	stack := fmt.Sprintf("File \"/home/me/%s.py\", line 7, in forward\n    y = x.%s.Transpose(%s)", s, s, s)
	moved := onnxtest.Message{}.Text(1, s).Text(2, "y").Text(3, s).Text(4, "Transpose").Bytes(5, onnxtest.Message{}.Text(1, "perm").Packed(8, 0, 2, 3, 1))
	traced := moved.Bytes(9, onnxtest.Message{}.Text(1, "pkg.torch.onnx.stack_trace").Text(2, stack))
	back := onnxtest.Message{}.Text(1, "y").Text(2, "z").Text(3, s+"2").Text(4, "Transpose").Bytes(5, onnxtest.Message{}.Text(1, "perm").Packed(8, 0, 3, 1, 2))
	other := onnxtest.Message{}.Text(1, "z").Text(2, "u").Text(4, s).Text(7, s)
	graph := onnxtest.Message{}.Bytes(1, moved).Bytes(1, traced).Bytes(1, back).Bytes(1, other).Bytes(11, sizes(s, "c", s, "w"))
	return onnxtest.Message{}.Number(1, 10).Bytes(7, graph)
}

// TestHostilePrograms: names inside models are inert text on standard output and error, in any format, and in drawings.
func TestHostilePrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	inert := countTrials(t)
	shown := 0
	for _, name := range foreign {
		cli.Must(os.WriteFile("net.onnx", programNaming(name), 0o644))
		for _, format := range []string{"table", "json", "csv", "markdown"} {
			args := []string{"graph", "net.onnx", "--all", "-o", "net.svg", "--force", "-f", format}
			o := runIn(t, nil, args...)
			var problems []string
			if at := wrong(format, o); at != "" {
				problems = append(problems, at)
			}
			if o.code != 0 {
				problems = append(problems, o.err)
			}
			drawn, err := os.ReadFile("net.svg")
			if err != nil || strings.Contains(string(drawn), "<script>") || unprintable.Match(drawn) {
				problems = append(problems, fmt.Sprintf("drawn: %v", err))
			}
			inert.try(t, fmt.Sprintf("%q, tlayout %q", name, args), fmt.Sprint("exit code ", o.code), problems...)
			if strings.Contains(o.out, "Transpose") {
				shown++
			}
		}
	}
	if shown < 4*len(foreign) {
		t.Errorf("%d of %d runs show the operator", shown, 4*len(foreign))
	}
}
