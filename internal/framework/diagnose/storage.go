package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// command returns a tlayout command about a tensor that is only described: the subcommand, the tensor, and more arguments.
func command(name string, s tensor.Strided, rest ...string) string {
	line := []string{"tlayout", name, "--shape", text.Shell(mention.Spelled(s.Shape)), "--strides", text.Shell(mention.Spelled(s.Strides))}
	for _, word := range rest {
		line = append(line, text.Shell(word))
	}
	return strings.Join(line, " ")
}

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
	shape, _ := mention.Sizes(c.said["shape"])
	strides, _ := mention.Sizes(c.said["strides"])
	offset := parsed(c.said["offset"])
	size := parsed(c.said["itemsize"])
	s, ok := mention.Strided(shape, strides)
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
