package snippet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

// Dialect is how a framework says the steps of a re-layout.
type Dialect struct {
	permute string // the method that orders axes anew
	copied  string // a value, made contiguous
	formats bool   // it has memory formats
	pad     func(before []string) string
	view    func(v view) []string
}

// PyTorch and NumPy are written in Python. F is torch.nn.functional.
var (
	PyTorch = Dialect{"permute", "%s.contiguous()", true, padPyTorch, viewPyTorch}
	NumPy   = Dialect{"transpose", "np.ascontiguousarray(%s)", false, padNumPy, viewNumPy}
)

// padPyTorch lists the last dim first, and none after the last one that is padded.
func padPyTorch(pads []string) string {
	var flat []string
	for _, p := range slices.Backward(pads) {
		flat = append(flat, "0", p)
	}
	for len(flat) > 0 && flat[len(flat)-1] == "0" {
		flat = flat[:len(flat)-2]
	}
	return "F.pad(x, (" + strings.Join(flat, ", ") + "))"
}

func padNumPy(pads []string) string {
	pairs := make([]string, len(pads))
	for i, p := range pads {
		pairs[i] = "(0, " + p + ")"
	}
	return "np.pad(x, (" + strings.Join(pairs, ", ") + tail(len(pairs)) + "))"
}

func (d Dialect) order(value string, axes []int) string {
	return fmt.Sprintf("%s.%s(%s)", value, d.permute, words.Ints(axes, ", "))
}

func (d Dialect) contiguous(value string) string { return fmt.Sprintf(d.copied, value) }

// tail makes a tuple of one name.
func tail(n int) string {
	if n == 1 {
		return ","
	}
	return ""
}
