package source

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/document"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Evidence is what told the order of a tensor's axes.
type Evidence int

// The values of Evidence, the weakest first.
const (
	ByNothing Evidence = iota // nothing: the axes have numbers
	ByRank                    // assumed: 4 axes are NCHW, 5 NCDHW, 3 CHW, 2 HW
	ByStrides                 // the strides, which the user gave with the sizes; the dims have no names
	ByName                    // the file's name: x.nhwc.npy
	ByRecord                  // layout.json in the file's archive
	ByUser                    // --from, --layout
)

// String is how JSON spells the evidence.
func (e Evidence) String() string {
	return [...]string{"none", "assumed", "strides", "file name", document.RecordName, "user"}[e]
}

// MarshalText makes it that in JSON.
func (e Evidence) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Assumed reports whether the order of the axes is an assumption.
func (t *Tensor) Assumed() bool { return t.Told == ByRank }

// Known reports whether the memory order is known: strides were given, or the axes were named.
func (t *Tensor) Known() bool { return t.Told >= ByStrides }

// Sized reports whether the logical sizes were given. Otherwise those of a blocked layout include padding, because a .npy file does
// not record it.
func (t *Tensor) Sized() bool {
	return t.StorageView || t.Told == ByRecord || t.FileShape == nil || t.Kind == KindRaw
}

// Named reports whether the axes were named, so that the dims' names are no assumption either.
func (t *Tensor) Named() bool { return t.Told >= ByName }

// families are the dims of tensors whose order may end a file's name; one of two axes is an image, HW. Words like rgb and
// io are no orders.
var families = []string{"HW", "CHW", "DHW", "NCW", "NCL", "NTC", "BTD", "NCHW", "NHW", "CDHW", "NCDHW", "OIW", "OIHW", "OIDHW", "GOIW", "GOIHW",
	"GOIDHW", "KCRS", "NKPQ", "BCHW", "BSHD", "BSNH", "BSND", "BTHD", "BTNH", "BTND"}

// Families lists them, each in one of its orders.
func Families() []string { return slices.Clone(families) }

// OrderInName returns the layout that ends the name of a .npy file or of a member of an archive, "x.nhwc.npy", if it is one
// of dims that go together and fits the shape of the file. "c" and "fortran" after it say nothing of the axes.
func OrderInName(name string, fileShape []int) (f notation.Format, ok bool) {
	_, part := splitOrder(name)
	if f, ok = orderOf(part); !ok {
		return f, false
	}
	_, err := f.LogicalShape(fileShape)
	return f, err == nil
}

// LayoutInName returns the layout that ends the name of a .npy file or of an archive: one of dims that go together, nhwc of
// "x.nhwc.npy", or an order of the file's own axes, fortran of "x.fortran.npy".
func LayoutInName(name string) (layout string, ok bool) {
	stem := trimNpy(name)
	if own := stem[len(withoutOwn(stem)):]; own != "" {
		return own[1:], true
	}
	_, layout = splitOrder(name)
	_, ok = orderOf(layout)
	return layout, ok && stem != name
}

// orderOf reads a part of a name that is a memory order of dims that go together.
func orderOf(part string) (f notation.Format, ok bool) {
	if part == "" {
		return f, false
	}
	l, err := notation.Parse(part)
	if err != nil || l.Own != notation.NotOwn || l.Exact != nil || l.Format.Positional() || !isFamily(l.Format.Names()) {
		return f, false
	}
	return l.Format, true
}

// Stem returns what is before the layout in a file's name, without ".npy": x of x.nhwc.npy, and of x.nhwc.fortran.npy.
func Stem(path string, fileShape []int) string {
	dir, base := filepath.Split(path)
	stem, _ := splitOrder(base)
	if _, ok := OrderInName(base, fileShape); ok && stem != "" {
		return dir + stem
	}
	return dir + withoutOwn(trimNpy(base))
}

// splitOrder splits x.nhwc.fortran.npy into x and nhwc; the part is empty if the name has none.
func splitOrder(name string) (stem, part string) {
	name = withoutOwn(trimNpy(name))
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		return name[:at], name[at+1:]
	}
	return "", name
}

// trimNpy removes the ending of a .npy file or of an archive.
func trimNpy(name string) string {
	for _, suffix := range []string{".npy", archiveSuffix} {
		if at := len(name) - len(suffix); at > 0 && strings.EqualFold(name[at:], suffix) {
			return name[:at]
		}
	}
	return name
}

// withoutOwn removes the last part of a name if it is an order of the file's own axes.
func withoutOwn(name string) string {
	for _, own := range []string{".c", ".fortran"} {
		if at := len(name) - len(own); at > 0 && strings.EqualFold(name[at:], own) {
			return name[:at]
		}
	}
	return name
}

// isFamily reports whether the dims are those of one of the families, in any order.
func isFamily(names []string) bool {
	sorted := func(letters []string) string {
		letters = slices.Clone(letters)
		slices.Sort(letters)
		return strings.Join(letters, "")
	}
	return slices.ContainsFunc(families, func(f string) bool { return sorted(strings.Split(f, "")) == sorted(names) })
}

// Tail is the end of a file's name that says what the file is: its ending, and before it the layout of the axes, if there is something
// before that. It is ".nhwc.npy" of "x.nhwc.npy", "nhwc.npy" of a file of that name, ".npy" of "x.npy", ".pt" of "x.pt".
func Tail(base string) string {
	stem := trimNpy(base)
	if stem == base {
		if at := strings.LastIndexByte(base, '.'); at > 0 {
			return base[at:]
		}
		return ""
	}
	inner := withoutOwn(stem)
	_, part := splitOrder(inner)
	if part != "" && mayBeOrder(part) {
		if _, ok := orderOf(part); ok {
			at := len(inner) - len(part)
			if at > 0 {
				at-- // the dot
			}
			return base[at:]
		}
	}
	return base[len(inner):]
}

// mayBeOrder is quick, and false for most of what orderOf refuses: names of files that are numbered.
func mayBeOrder(part string) bool {
	digits := 0
	for i := range len(part) {
		c := part[i]
		switch {
		case '0' <= c && c <= '9':
			if digits++; digits > 4 {
				return false
			}
		case c == '_' || c >= 0x80, 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			digits = 0
		default:
			return true
		}
	}
	return true
}
