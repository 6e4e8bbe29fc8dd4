package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/ask"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/engine"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// readingsOf returns what a lone argument that is not a command may be, the most likely first; none if it is a source, a misspelt command, or
// cannot be understood.
func readingsOf(root *cobra.Command, arg string) []ask.Reading {
	if isProgram(arg) {
		return []ask.Reading{{As: "a file of a model", Args: []string{"graph", arg}, Sure: true}}
	}
	if _, err := os.Stat(arg); err == nil {
		return nil
	}
	if mustBeSource(arg) && !ask.IsPython(arg) {
		return nil
	}
	all := ask.Readings(arg)
	isName := len(all) > 0 && all[0].Args[0] == "formats" && !ask.IsText(arg)
	if isName && nearCommands(root, arg) != nil {
		return nil
	}
	return all
}

// Readings returns what a lone text may be, the most likely first, files included; none for one that cannot be understood.
func Readings(root *cobra.Command, arg string) []ask.Reading {
	all := readingsOf(root, arg)
	if all == nil && isSource(arg) {
		all = append(all, ask.Reading{As: "a tensor", Args: []string{"inspect", arg}})
	}
	return append([]ask.Reading{}, all...)
}

// noteReading says what a lone argument was read as, and what else it may be; nothing if it has one meaning and nothing was assumed.
func (a *App) noteReading(all []ask.Reading) {
	if all[0].Sure {
		return
	}
	for i, r := range all {
		line := "read as " + r.As
		if i > 0 {
			line = "or as " + r.As
		}
		if r.Assumed != "" {
			line += ", with " + r.Assumed
		}
		a.readAs = append(a.readAs, line+": "+r.Line())
	}
}

// notUnderstood is the error for a text that is neither a source nor anything that can be answered.
func notUnderstood(arg string) error {
	return fault.New(fault.Usage, "cannot understand %s", text.Quoted(text.Cut(strings.TrimSpace(arg), 60))).
		WithHint("pass a file, a shape, a layout, an error message or a line of Python: %s; tlayout --help lists the commands", strings.Join(understood, "; "))
}

// understood are texts of other kinds that can be answered.
var understood = []string{"tlayout x.npy", "tlayout 'nchw to nhwc'", "tlayout 'x.permute(0,2,3,1).view(2,-1)'"}

// mustBeSource reports whether an argument describes a tensor, or has no blanks and looks like a file.
func mustBeSource(arg string) bool {
	n := name.Parse(arg)
	return source.IsTyped(n) || !ask.IsText(arg) && mayBeFile(n, arg)
}

// mayBeFile reports whether an argument looks like a file or a path, and not like a call, model.forward(x), or several lines.
func mayBeFile(n name.Name, arg string) bool {
	if strings.Contains(arg, "\n") {
		return false
	}
	return n.LooksLikeFile() || n.IsPath() && !ask.MayBeCode(arg)
}

// programEndings are the endings of files that may hold a program; others are not opened to find out.
var programEndings = []string{".pt2", ".onnx", ".json", ".json.gz", ".log", ".txt", ".hlo", ".trace"}

// MayBeProgram reports whether an argument has the ending of a file that may hold a program.
func MayBeProgram(arg string) bool { return name.Parse(arg).EndsIn(programEndings...) }

// isProgram reports whether an argument names a file that an engine wrote about a model, which graph reads.
func isProgram(arg string) bool {
	n := name.Parse(arg)
	if !MayBeProgram(arg) || !n.IsFile() {
		return false
	}
	b, err := input.Open(n, input.Options{})
	if err != nil {
		return false
	}
	defer b.Close()
	var wrote graph.Engine
	err = b.Guard(func() (err error) {
		wrote, err = engine.Recognize(b, n)
		return err
	})
	return err == nil && wrote != ""
}
