package diagnose

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// list matches what a framework prints around integers: (2, 3), [2, 3], torch.Size([2, 3]).
const list = `((?:torch\.)?Size\(\[[\d, ]*\]\)|\([-\d, ]*\)|\[[-\d, ]*\])`

// maxItemsize is the size of the largest element, in bytes: a message does not say it, and commands that its sizes are given must work.
const maxItemsize = 16

// sizes reads a list; ok is false if it is malformed, or has a negative size, or more bytes than an address can count.
func sizes(text string) ([]int, bool) {
	xs, err := notation.ParseInts(text)
	if err != nil {
		return nil, false
	}
	_, err = tensor.Numel(append([]int{maxItemsize}, xs...))
	return xs, err == nil
}

// strided reads sizes and strides; ok is false if they are not those of a tensor of PyTorch, which has no negative strides.
func strided(shape, strides string) (tensor.Strided, bool) {
	sizes, ok := sizes(shape)
	found, err := notation.ParseInts(strides)
	if !ok || err != nil || len(sizes) != len(found) {
		return tensor.Strided{}, false
	}
	for d, n := range sizes {
		if _, err := tensor.Numel([]int{maxItemsize, n, found[d]}); err != nil {
			return tensor.Strided{}, false
		}
	}
	s, err := tensor.NewStrided(sizes, found, 0)
	return s, err == nil
}

// pasted returns the tensor whose shape and strides are beside the message.
func pasted(text string) (tensor.Strided, bool) {
	for _, m := range mentions(text) {
		if m.shape != nil && m.strides != nil {
			return tensor.Strided{Shape: m.shape, Strides: m.strides}, true
		}
	}
	return tensor.Strided{}, false
}

// command returns a tlayout command about a tensor that is only described: the subcommand, the tensor, and more arguments.
func command(name string, s tensor.Strided, rest ...string) string {
	line := []string{"tlayout", name, "--shape", text.Shell(spelled(s.Shape)), "--strides", text.Shell(spelled(s.Strides))}
	for _, word := range rest {
		line = append(line, text.Shell(word))
	}
	return strings.Join(line, " ")
}

// spelled returns a list as a flag has it: 2,3; () for none.
func spelled(xs []int) string {
	if len(xs) == 0 {
		return "()"
	}
	return text.Ints(xs, ",")
}

// format returns the memory format of a tensor in a word. If several fit, it is the one that PyTorch suggests.
func format(s tensor.Strided) string {
	if f := s.SuggestMemoryFormat(); s.IsContiguous(f) {
		return string(f)
	}
	return s.FormatName()
}

// copies returns what a copy of the tensor writes; the message does not have its type.
func copies(s tensor.Strided) string {
	return fmt.Sprintf("a copy of %s", text.Count(s.Numel(), "element"))
}
