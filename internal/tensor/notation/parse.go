package notation

import (
	"regexp"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Own tells of a layout name that keeps a file's own axes instead of naming dims.
type Own int

// The values of Own.
const (
	NotOwn       Own = iota
	OwnC             // c: row-major
	OwnFortran       // fortran: column-major
	maxNameBytes = 512
)

// Layout is what a layout name says: a Format, an order of a file's own axes, or a layout with its sizes.
type Layout struct {
	Format Format
	Own    Own
	Exact  *tensor.Layout // of shape:strides@offset; nil for all other names
	Note   string         // a name that other frameworks read otherwise, explained; empty for most
}

// numberedDim is the explicit form of a single dim without a letter of its own.
var numberedDim = regexp.MustCompile(`^[dD][0-9]+$`)

// Parse reads any spelling of a layout: a canonical name in any case (nchw, NCHW4c), a framework's tag (nChw16c,
// aBcd16b, kCHW32, channels_last, {3,2,1,0:T(8,128)}), the explicit form (N C//4 H W C%4), c and fortran, or a layout
// with its sizes as ParseLayout reads it, (2,3):(5,1)@2.
//
// Post: Parse(f.String()) gives f again for every Format f that it returns.
func Parse(s string) (Layout, error) {
	if len(s) > maxNameBytes {
		return Layout{}, badLayout(s, "the name is longer than %d bytes", maxNameBytes)
	}
	switch strings.ToLower(s) {
	case "":
		return Layout{}, fault.New(fault.Usage, "a layout name is empty").WithHint("tlayout help layouts lists the names")
	case "c", "contiguous", "contiguous_format", "torch.contiguous_format", "klinear":
		return Layout{Own: OwnC}, nil
	case "f", "fortran":
		return Layout{Own: OwnFortran}, nil
	}
	if strings.HasPrefix(s, "(") {
		l, err := ParseLayout(s)
		return Layout{Exact: &l}, err
	}
	f, note, err := parseFormat(s)
	if err == nil && (f.Rank() == 0 || f.String() == "C") { // {} is a scalar's, and a lone C is row-major too
		return Layout{Own: OwnC}, nil
	}
	return Layout{Format: f, Note: note}, err
}

// parseFormat reads a name that stands for a Format, and what is worth knowing about it.
func parseFormat(s string) (f Format, note string, err error) {
	switch {
	case strings.HasPrefix(s, "{"):
		f, err = parseXLA(s)
		return f, "", err
	case strings.ContainsAny(s, " %") || strings.Contains(s, "//") || numberedDim.MatchString(s):
		f, err = parseExplicit(s)
		return f, "", err
	case strings.ContainsRune(s, '['):
		plain := strings.NewReplacer("[", "", "]", "").Replace(s)
		return Format{}, "", badLayout(s, "TVM's [ ] packs blocks into one axis of the shape").
			WithHint("memory is the same without the brackets: %s", words.Quote(clip(plain)))
	}
	canonical, note, err := resolveAlias(s)
	if err != nil {
		return Format{}, "", err
	}
	if f, err = parseShort(canonical); err != nil {
		return Format{}, "", suggest(s, err)
	}
	return f, note, nil
}

// Well-known names, in the order in which help lists them.
var wellKnown = []string{"nchw", "nhwc", "chwn", "nchw4", "nchw8", "nchw16", "nchw32", "nchw64", "chwn4", "nhwcd4",
	"nchw44", "nchw88", "ncdhw", "ndhwc", "chw", "hwc", "hw", "wh", "dhw", "whd", "oihw", "hwio", "ohwi",
	"nChw8c", "nChw16c", "NCHW4c", "OIhw4i16o4i", "kCHW32", "kHWC8", "channels_last", "channels_last_3d", "c", "fortran"}

// WellKnown lists layout names for help and completion.
func WellKnown() []string { return wellKnown }

// suggest adds the nearest well-known name as a hint.
func suggest(s string, err error) error {
	e, ok := err.(*fault.Error)
	if !ok || e.Hint != "" {
		return err
	}
	near := words.Nearest(s, wellKnown)
	if near == "" {
		return e.WithHint("write a memory order, outermost axis first: nchw, nhwc, NCHW4c; tlayout help layouts lists the names")
	}
	return e.WithHint("did you mean %s?", near)
}
