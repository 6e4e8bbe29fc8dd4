package notation

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
)

// alias is a name that means more than it spells. It takes precedence over the grammar and must match completely.
type alias struct {
	name    string // literal, or a regular expression with a number
	pattern *lazy.Expression
	format  string // canonical name, $1 the pattern's number
	note    string // a remark for users of other frameworks
}

func aliasOf(pattern, format, note string) alias {
	return alias{pattern, lazy.Regexp(`^(?i:` + pattern + `)$`), format, note}
}

// match returns the positions of the pattern and its numbers in s; nil if it does not match. Compiling all patterns takes longer than
// reading a file.
func (a alias) match(s string) []int {
	switch numbered := strings.Contains(a.name, "("); {
	case !numbered && strings.EqualFold(s, a.name):
		return []int{0, len(s)}
	case !numbered || !strings.ContainsAny(s, numerals):
		return nil
	}
	return a.pattern.Get().FindStringSubmatchIndex(s)
}

const numerals = "0123456789"

func isNumber(s string) bool { return s != "" && strings.Trim(s, numerals) == "" }

const (
	tvmDigits = "MegEngine's name: the number splits C. TVM ignores it and reads plain NCHW"
	activated = "MegEngine's name for activations; weights of this name are "
)

// aliases has the special names of MegEngine (dnn/src/common/basic_types.cpp, gopt's global_layout_transform), TensorRT
// (include/NvInferRuntime.h), cuDNN, MNN and PyTorch. The first match wins.
var aliases = []alias{
	aliasOf(`NCHW44`, "NCHW4c", activated+"OIHW4i4o"),
	aliasOf(`NCHW44_DOT`, "NCHW4c", activated+"OIHW4o4i"),
	aliasOf(`NCHW88`, "NCHW8c", activated+"OIHW8i8o"),
	aliasOf(`NCHW([0-9]+)`, "NCHW${1}c", tvmDigits),
	aliasOf(`CHWN4`, "CHWN4c", "MegEngine's name: the 4 splits C, not N"),
	aliasOf(`NHWCD4`, "NHCW4c", "MegEngine's name: D is not depth, and H is outside the channel blocks"),
	aliasOf(`NC/?([0-9]+)HW([0-9]+)`, "NCHW${1}c", "MNN's own tensors with this name are C4NHW4"),
	aliasOf(`C4NHW4`, "CNHW4c", ""),
	aliasOf(`kCHW(2|4|16|32)`, "NCHW${1}c", ""),
	aliasOf(`kCDHW32`, "NCDHW32c", ""),
	aliasOf(`k?HWC(8|16)`, "NHWC${1}c", "TensorRT's name: C is padded to a multiple of $1"),
	aliasOf(`NHWC(8|16)`, "NHWC${1}c", "TensorRT's name: C is padded to a multiple of $1"),
	aliasOf(`kDHWC8`, "NDHWC8c", "TensorRT's name: C is padded to a multiple of 8"),
	aliasOf(`kHWC`, "NHWC", ""),
	aliasOf(`kDHWC`, "NDHWC", ""),
	aliasOf(`channels_last`, "NHWC", ""),
	aliasOf(`channels_last_3d`, "NDHWC", ""),
}

// countedFromEnd reports whether a name is one of TensorRT's, whose dims are counted from the end: any may precede C.
func countedFromEnd(s string) bool {
	switch letters := strings.TrimRight(strings.ToUpper(s), numerals); letters {
	case "KCHW", "KCDHW", "HWC":
		return len(letters) < len(s)
	case "KHWC", "KDHWC":
		return true
	}
	return false
}

// Aliases returns the patterns of the names that mean more than they spell.
func Aliases() []*regexp.Regexp {
	patterns := make([]*regexp.Regexp, len(aliases))
	for i, a := range aliases {
		patterns[i] = a.pattern.Get()
	}
	return patterns
}

// Refused maps names of several layouts, and of things that are not layouts, to what to write instead.
var Refused = []struct{ Name, Why, Hint string }{
	{"NCHW_VECT_C", "the vector width depends on cuDNN's data type", "write NCHW4c for INT8x4 and UINT8x4, NCHW32c for INT8x32"},
	{"NHWCD4I", "an image's row pitch is not part of the name", "write NHWCD4; tlayout convert has --to-pitch for the pitch"},
	{"NC1HWC0", "C0 is symbolic", "write the block, NCHW16c for C0 = 16"},
	{"kDLA_LINEAR", "its row padding depends on the element size", "write NCHW64w for int8, NCHW32w for float16"},
	{"kDLA_HWC4", "its row padding depends on the element size", "write NHW16wC4c for int8, NHW8wC4c for float16; for one channel NHW64wC, NHW32wC"},
	{"NCHW4_NHWC", "it names a conversion", "write one of its two layouts, NCHW4 or NHWC"},
}

// gopt is the spelling of MegEngine's graph optimizer, letter before number: NCHWc4, KCRSc4k4.
var gopt = lazy.Regexp(`^([A-Z]{2,12})((?:[a-z][0-9]{1,4})+)$`)

var goptBlock = lazy.Regexp(`([a-z])([0-9]+)`)

// resolveAlias returns the canonical name and the note of an alias; other names unchanged.
func resolveAlias(s string) (canonical, note string, err error) {
	for _, r := range Refused {
		if strings.EqualFold(s, r.Name) {
			return "", "", &fault.Error{Class: fault.Unsupported, Text: fmt.Sprintf("layout %s: %s", r.Name, r.Why), Hint: r.Hint}
		}
	}
	for _, a := range aliases {
		m := a.match(s)
		switch len(m) {
		case 0:
			continue
		case 2:
			return a.format, a.note, nil
		}
		if len(m) == 6 && s[m[2]:m[3]] != s[m[4]:m[5]] {
			return "", "", badLayout(s, "its two numbers differ")
		}
		expand := func(template string) string { return string(a.pattern.Get().ExpandString(nil, template, s, m)) }
		return expand(a.format), expand(a.note), nil
	}
	if !strings.ContainsAny(s, numerals) {
		return s, "", nil
	}
	if m := gopt.Get().FindStringSubmatch(s); m != nil {
		return m[1] + goptBlock.Get().ReplaceAllString(m[2], "$2$1"), "", nil
	}
	return s, "", nil
}
