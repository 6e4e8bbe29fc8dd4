// Package filename reads the axis order in the name of a .npy file or an archive: nhwc in x.nhwc.npy.
package filename

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// families are the sets of dims whose order may end a file's name; two axes are an image, HW. Words like rgb and io are not orders.
var families = []string{"HW", "CHW", "DHW", "NCW", "NCL", "NTC", "BTD", "NCHW", "NHW", "CDHW", "NCDHW", "OIW", "OIHW", "OIDHW", "GOIW", "GOIHW",
	"GOIDHW", "KCRS", "NKPQ", "BCHW", "BSHD", "BSNH", "BSND", "BTHD", "BTNH", "BTND"}

// Families returns the families, each in one of its orders.
func Families() []string { return slices.Clone(families) }

// Order returns the layout that ends the name of a .npy file or of a member of an archive, "x.nhwc.npy", if it is an order of one of
// the Families and fits the shape of the file. A following "c" or "fortran" does not affect the axes.
func Order(name string, fileShape []int) (f notation.Format, ok bool) {
	f, ok = orderOf(split(name).order)
	if !ok {
		return f, false
	}
	_, err := f.LogicalShape(fileShape)
	return f, err == nil
}

// Layout returns the layout that ends the name of a .npy file or of an archive: an order of one of the Families, nhwc of "x.nhwc.npy",
// or an order of the file's own axes, fortran of "x.fortran.npy".
func Layout(name string) (layout string, ok bool) {
	n := split(name)
	if n.own != "" {
		return n.own[1:], true
	}
	_, ok = orderOf(n.order)
	return n.order, ok && n.ending != ""
}

// Stem returns the part before the layout in a file's name, without ".npy": x of x.nhwc.npy and of x.nhwc.fortran.npy.
func Stem(base string, fileShape []int) string {
	n := split(base)
	if _, ok := Order(base, fileShape); ok && n.stem != "" {
		return n.stem
	}
	return n.bare
}

// Plain returns a file's name without its Tail.
func Plain(base string) string { return strings.TrimSuffix(base, Tail(base)) }

// Tail returns the end of a file's name that describes its content: the extension, and before it the layout, if anything precedes that.
// It is ".nhwc.npy" of "x.nhwc.npy", "nhwc.npy" of that whole name, ".npy" of "x.npy", ".pt" of "x.pt".
func Tail(base string) string {
	n := split(base)
	if n.ending == "" {
		if at := strings.LastIndexByte(base, '.'); at > 0 {
			return base[at:]
		}
		return ""
	}
	if _, ok := orderOf(n.order); ok {
		return base[len(n.stem):]
	}
	return base[len(n.bare):]
}

// Bare returns a file's name without ".npy" and ".npz".
func Bare(name string) string {
	name, _ = cutEnding(name, ".npy", ".npz")
	return name
}

// parts splits the name of a .npy file or an archive, x.nhwc.fortran.npy; other names have fewer parts.
type parts struct {
	stem   string // x; empty if the order comes first
	order  string // nhwc: the part after the last dot, whether or not it is an order
	bare   string // both
	own    string // .fortran or .c, an order of the file's own axes; may be empty
	ending string // .npy or .npz; may be empty
}

func split(name string) (n parts) {
	n.bare, n.ending = cutEnding(name, ".npy", ".npz")
	n.bare, n.own = cutEnding(n.bare, ".c", ".fortran")
	at := strings.LastIndexByte(n.bare, '.')
	n.stem = n.bare[:max(0, at)]
	n.order = n.bare[at+1:]
	return n
}

// cutEnding cuts off the first of the endings that the name has, in any case, unless it is the whole name.
func cutEnding(name string, endings ...string) (before, ending string) {
	for _, e := range endings {
		if at := len(name) - len(e); at > 0 && strings.EqualFold(name[at:], e) {
			return name[:at], name[at:]
		}
	}
	return name, ""
}

// orderOf parses a part of a name as a memory order of one of the Families.
func orderOf(part string) (f notation.Format, ok bool) {
	if part == "" || isNumbered(part) {
		return f, false
	}
	l, err := notation.Parse(part)
	if err != nil || !l.HasFormat() || l.Format.Positional() {
		return f, false
	}
	return l.Format, slices.ContainsFunc(families, func(f string) bool { return text.SameSet(strings.Split(f, ""), l.Format.Names()) })
}

// isNumbered reports whether a part of a name has a number of five digits, and is therefore not an order. It is fast: folders have very
// many such names.
func isNumbered(part string) bool {
	digits := 0
	for i := range len(part) {
		if digits++; part[i] < '0' || part[i] > '9' {
			digits = 0
		}
		if digits > 4 {
			return true
		}
	}
	return false
}
