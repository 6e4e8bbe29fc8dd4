package notation

import (
	"strings"
)

// LowerName is how the report names an order: nhwc, nchw16c.
func LowerName(f Format) string {
	if name, ok := f.Short(); ok {
		return strings.ToLower(name)
	}
	return strings.ToLower(f.String())
}
