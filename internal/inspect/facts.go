package inspect

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

func (r *Report) PaddedText() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{orZero(r.Gaps), "between elements"}, {r.Leading, "before the first"}, {r.Trailing, "after the last"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	switch {
	case r.Gaps == nil:
		return "unknown: too many elements to count"
	case len(parts) == 0:
		return "no"
	case *r.Padded:
		return "yes: " + strings.Join(parts, ", ")
	}
	return "not inside: " + strings.Join(parts, ", ")
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func (r *Report) BroadcastText() string {
	if len(r.BroadcastDims) == 0 {
		return "no"
	}
	var names []string
	for _, i := range r.BroadcastDims {
		names = append(names, r.Dims[i])
	}
	return "along " + strings.Join(names, ", ") + ": its index does not move the address"
}

func (r *Report) OverlapText() string {
	switch {
	case r.Overlapping == "unknown":
		return fmt.Sprintf("unknown: more than %d elements to compare", r.OverlapLimit)
	case r.Overlapping == "yes" && r.Unique != nil:
		return fmt.Sprintf("yes: %d elements share %d addresses", r.Numel, *r.Unique)
	case r.Overlapping == "yes":
		return fmt.Sprintf("yes: %d elements in an extent of %d", r.Numel, r.Extent)
	}
	return "no"
}

// Spread is how many addresses there are from the lowest to the highest, beside the elements.
func (r *Report) Spread() string {
	if r.Numel == 0 {
		return "it is empty, and packed is said of elements"
	}
	return fmt.Sprintf("%s over an extent of %d", words.Count(r.Numel, "element"), r.Extent)
}

// Senses is the most telling word about how the tensor lies.
func (r *Report) Character() string {
	c := r.Contiguous
	if r.Numel == 0 {
		return "empty"
	}
	if sense := Senses(c.C, c.F, c.CL, c.CL3D); sense != "" {
		return sense
	}
	switch {
	case len(r.BroadcastDims) > 0:
		return "broadcast"
	case r.Overlapping == "yes":
		return "overlapping"
	case r.Packed:
		return "packed"
	}
	return "padded"
}

// Senses says in which senses a tensor is contiguous; empty for none.
func Senses(c, f, last, last3D bool) string {
	switch {
	case c && f:
		return "C- and F-contiguous"
	case c && last3D:
		return "C- and channels_last_3d contiguous"
	case c && last:
		return "C- and channels_last contiguous"
	case c:
		return "C-contiguous"
	case last:
		return "channels_last contiguous"
	case last3D:
		return "channels_last_3d contiguous"
	case f:
		return "F-contiguous"
	}
	return ""
}

func (r *Report) LastFormat() string {
	if len(r.Shape) == 5 {
		return "channels_last_3d"
	}
	return "channels_last"
}

// SuggestionText explains a hint that differs from what contiguity says.
func (r *Report) SuggestionText() string {
	c, hint := r.Contiguous, r.PyTorch.Suggested
	last := c.CL || c.CL3D
	switch {
	case hint == "contiguous" && last && !c.C:
		return "the hint looks at size-1 strides too, is_contiguous does not"
	case hint == "contiguous" && last && c.C:
		return "both orders fit; the strides of size-1 dims decide"
	case hint != "contiguous" && last && c.C:
		return "both orders fit; the strides of size-1 dims decide"
	case hint != "contiguous" && !last:
		return "the order is that of channels_last, but there are gaps"
	}
	return ""
}
