package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// maxItemsize is the size of the largest element, in bytes: a message does not say it, and commands that its sizes are given must work.
const maxItemsize = 16

// sizes reads a list; ok is false if it is malformed, or has a negative size, or more bytes than an address can count.
func sizes(list string) ([]int, bool) {
	xs, err := notation.ParseInts(list)
	if err != nil {
		return nil, false
	}
	_, err = tensor.Numel(append([]int{maxItemsize}, xs...))
	return xs, err == nil
}

// strided reads sizes and strides; ok is false if they are not those of a tensor of PyTorch, which has no negative strides.
func strided(shape, strides []int) (tensor.Strided, bool) {
	if len(shape) != len(strides) {
		return tensor.Strided{}, false
	}
	for d, n := range shape {
		_, err := tensor.Numel([]int{maxItemsize, n, strides[d]})
		if err != nil {
			return tensor.Strided{}, false
		}
	}
	s, err := tensor.NewStrided(shape, strides, 0)
	return s, err == nil
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
func spelled(xs []int) string { return cmp.Or(text.Ints(xs, ","), "()") }

// format returns the memory format of a tensor in a word. If several fit, it is the one that PyTorch suggests.
func format(s tensor.Strided) string {
	if f := s.SuggestMemoryFormat(); s.IsContiguous(f) {
		return string(f)
	}
	return s.FormatName()
}

// copies returns what a copy of the tensor writes; the message does not have its type.
func copies(s tensor.Strided) string { return "a copy of " + text.Count(s.Numel(), "element") }

// storageBounds computes the byte at which a tensor's last element ends.
func storageBounds(c *complaint) (Answer, bool) {
	a := Answer{What: fmt.Sprintf("the tensor ends at byte %s, but its storage at byte %s", c.said["need"], c.said["have"]), Same: tensor.No, Cost: failing, Fixes: []string{},
		Facts: []string{"as_strided and set_ never copy: the storage must hold the last element; a truncated checkpoint does not"}}
	shape, _ := sizes(c.said["shape"])
	strides, _ := sizes(c.said["strides"])
	offset := parsed(c.said["offset"])
	size := parsed(c.said["itemsize"])
	s, ok := strided(shape, strides)
	if !ok || s.Empty() || min(offset, size) < 0 {
		return a, true
	}
	s, err := tensor.NewStrided(s.Shape, s.Strides, offset)
	if err != nil {
		return a, true
	}
	bytes, fits := tensor.Mul(s.StorageElems(), size)
	if !fits {
		return a, true
	}
	var sum []string
	for d, n := range s.Shape {
		sum = append(sum, fmt.Sprintf("%d·%d", n-1, s.Strides[d]))
	}
	a.Facts = slices.Insert(a.Facts, 1, fmt.Sprintf("(%d + %s + 1)·%d = %d bytes, the storage has %s: %d bytes short", offset, strings.Join(sum, " + "), size, bytes, c.said["have"],
		bytes-parsed(c.said["have"])))
	a.Commands = []string{command("inspect", tensor.Strided{Shape: s.Shape, Strides: s.Strides})}
	return a, true
}
