package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/engine"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// pasted is what a lone argument without a command may be.
type pasted int

const (
	notPasted     pasted = iota // a source, or a misspelt command
	pastedShape                 // (2,3,4) or torch.Size([2, 3, 4]): for inspect
	pastedThreads               // a layout of threads, #blocked = …, TiledCopy …: for threads
	pastedMessage               // an error message, and other text that why can read
	pastedLayout                // a layout's name: for formats
	pastedProgram               // a file that an engine wrote about a model: for graph
)

// pastedLine returns the command line for a lone argument that may have been pasted; nil if it was not.
func pastedLine(root *cobra.Command, arg string) []string {
	arg = strings.TrimSpace(arg)
	switch pastedAs(root, arg) {
	case pastedShape:
		sizes, _ := notation.ParseInts(arg) // isShape has parsed them
		return []string{"inspect", "--shape", text.Ints(sizes, ",")}
	case pastedThreads:
		return []string{"threads", arg}
	case pastedMessage:
		return []string{"why", arg}
	case pastedLayout:
		return []string{"formats", arg}
	case pastedProgram:
		return []string{"graph", arg}
	default:
		return nil
	}
}

// pastedAs classifies a lone argument that is not a command.
func pastedAs(root *cobra.Command, arg string) pasted {
	if isProgram(arg) {
		return pastedProgram
	}
	if mustBeSource(arg) {
		return notPasted
	}
	if isShape(arg) {
		return pastedShape
	}
	if threads.IsPrinted(arg) {
		return pastedThreads
	}
	if isMessage(arg) {
		return pastedMessage
	}
	if IsText(arg) || nearCommands(root, arg) != nil {
		return notPasted
	}
	if isLayoutName(arg) {
		return pastedLayout
	}
	return notPasted
}

// mustBeSource reports whether an argument names a file that exists, describes a tensor, or has no blanks and looks like a source.
func mustBeSource(arg string) bool {
	if _, err := os.Stat(arg); err == nil {
		return true
	}
	return source.IsTyped(name.Parse(arg)) || !IsText(arg) && isSource(arg)
}

// isShape reports whether an argument is a list of sizes. A lone number needs parentheses.
func isShape(arg string) bool {
	sizes, err := notation.ParseInts(arg)
	if err != nil || strings.HasPrefix(arg, "{") {
		return false
	}
	return len(sizes) > 1 || strings.HasPrefix(arg, "(") || strings.HasPrefix(arg, "torch.Size(")
}

// isMessage reports whether why can read an argument, or should say why not: text with a layout or a colon in it, or without a source.
func isMessage(arg string) bool {
	if _, explained := diagnose.Read(arg); explained {
		return true
	}
	if !IsText(arg) {
		return false
	}
	return diagnose.Found(arg).What != "" || strings.Contains(arg, ": ") || !isSource(arg)
}

// isLayoutName reports whether an argument is the name of a layout, and not a word of English whose letters happen to be an order of dims: run, quit,
// stride.
func isLayoutName(arg string) bool {
	if _, err := printed.ParseName(arg); err != nil {
		return false
	}
	ofImage := strings.Trim(arg, imageDims) == ""
	spelled := strings.ToLower(arg) != arg || strings.ContainsAny(arg, "_{0123456789")
	return ofImage || spelled
}

// imageDims are the letters of the dims of images and their weights.
const imageDims = "ncdhwoig"

// IsText reports whether an argument has blanks, as a pasted message has, or begins as what is pasted does.
func IsText(arg string) bool {
	return strings.ContainsAny(strings.TrimSpace(arg), " \t\n") || strings.HasPrefix(arg, "torch.Size(") || strings.HasPrefix(arg, "#")
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
