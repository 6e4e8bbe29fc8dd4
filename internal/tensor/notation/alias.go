package notation

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
)

// alias is a name that means more than it spells. It takes precedence over the grammar and must match completely.
type alias struct {
	name    string // literal, or a regular expression with a number
	pattern *lazy.Expression
	literal bool   // the name is no expression
	format  string // canonical name or explicit form, $1 the pattern's number, {16} the values in 16 bytes
	note    string // a remark for users of other frameworks
	dtype   string // the usual element type; empty: any
	shown   bool   // the name of an order that has no short one
	joined  bool   // an array in a file has an axis for each axis of open size, and those of known sizes in it
	lead    string // dims that may precede those of the format, outermost first
}

func aliasOf(pattern, format, note string) alias {
	return alias{name: pattern, pattern: lazy.Regexp(`^(?i:` + pattern + `)$`), format: format, note: note}
}

// withDType returns the alias for elements of this type.
func (a alias) withDType(dtype string) alias {
	a.dtype = dtype
	return a
}

// asName returns the alias as the name of an order that has no short one.
func (a alias) asName() alias {
	a.shown = true
	return a
}

// asArray returns the alias of an order whose arrays have as many axes as it has dims.
func (a alias) asArray() alias {
	a.joined = true
	return a
}

// match returns the positions of the pattern and its numbers in s; nil if it does not match. Compiling all patterns takes longer than
// reading a file.
func (a alias) match(s string) []int {
	if a.literal || !strings.Contains(a.name, "(") {
		if strings.EqualFold(s, a.name) {
			return []int{0, len(s)}
		}
		return nil
	}
	if !strings.ContainsAny(s, numerals) {
		return nil
	}
	return a.pattern.Get().FindStringSubmatchIndex(s)
}

const numerals = "0123456789"

func isNumber(s string) bool { return s != "" && strings.Trim(s, numerals) == "" }

const (
	tvmDigits = "MegEngine's name: the number is the block size of C; TVM ignores the number and reads plain NCHW"
	activated = "MegEngine's name for activations; weights of this name are "

	tiledScales = "M,K are the sizes of the scales; --vec 16 or --vec 32 takes those of the values"
	byteScales  = "float8_e8m0fnu"
	codes       = "uint4"
	float4      = "float4_e2m1fn"
	halves      = "float16"

	codesOnly = "ggml's 4-bit codes alone; its blocks have "
	repacked  = "; the codes of q4_0 are xor 8"
)

// aliases has the special names of MegEngine (dnn/src/common/basic_types.cpp, gopt's global_layout_transform), TensorRT
// (include/NvInferRuntime.h), cuDNN, MNN and PyTorch. The first match wins.
var aliases = append([]alias{
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

	// scale factors: the libraries' names are in the framework package's libraries.go, with their sources
	aliasOf(`sf128x4`, "M//128 K//4 M%32 M//32%4 K%4", tiledScales).withDType(byteScales).asName(),
	aliasOf(`sf8x4`, "M//8 K//4 M%8 K%4", tiledScales).withDType(byteScales).asName(),
	aliasOf(`sf_128x4|(?:SfLayout\.)?layout_128x4|SWIZZLED_128x4|(?:CUDNN_TENSOR_REORDERING_)?F8_128x4|SWIZZLE_32_4_4|`+
		`(?:CUBLASLT_MATMUL_MATRIX_SCALE_)?VEC(?:16_UE4M3|32_UE8M0)|Sm1xxBlockScaledConfig`,
		"M//128 K//4 M%32 M//32%4 K%4", tiledScales).withDType(byteScales),
	aliasOf(`to_blocked`, "M//128 K//4 M%32 M//32%4 K%4", tiledScales).withDType(byteScales),
	aliasOf(`sf_8x4|(?:SfLayout\.)?layout_8x4|SWIZZLED_8x4`, "M//8 K//4 M%8 K%4", tiledScales).withDType(byteScales),
	aliasOf(`(?:SWIZZLE_32_8|BLK32_UE8M0_32_8)`, "M//32 K//8 K%4 M%16 K//4%2 M//16%2", tiledScales).withDType(byteScales),
	aliasOf(`sf_mn_major`, "K M//4 M%4", "each column of scales is padded to 16 bytes, 4 scales of float32"),
	aliasOf(`get_mn_major_tma_aligned_tensor`, "K M//4 M%4", ""),
	aliasOf(`QuantizationSFLayout::SWIZZLED`, "M//128 K//4 M%32 M//32%4 K%4", tiledScales).withDType(byteScales),
	aliasOf(`get_mn_major_tma_aligned_packed_ue8m0_tensor`, "K//4 M//4 M%4 K%4", "scales of one byte, 4 in an int32").withDType(byteScales),

	// weights of four bits: the libraries' names are in the framework package's packed.go, with their sources
	aliasOf(`marlin`, "K//16 N//64 N%8 K//2%4 N//16%4 K%2 N//8%2 K//8%2", "").withDType(codes).asName(),
	aliasOf(`marlin-scales`, "G N//64 N%8 N//8%8", "").withDType("float16").asName().asArray(),
	aliasOf(`marlin-channel-scales`, "G N//32 N//2%4 N//8%4 N%2", "").withDType("float16").asName().asArray(),
	aliasOf(`marlin-zeros`, "G N//64 N%8 N//8%2 N//16%4", "").withDType(codes).asName(),
	aliasOf(`gptq`, "K//8 N K%8", "").withDType(codes),
	aliasOf(`gptq-zeros`, "G N", "AutoGPTQ stores zero points minus 1").withDType(codes),
	aliasOf(`awq`, "K N//8 N%2 N//2%4", "").withDType(codes).asName(),
	aliasOf(`awq-zeros`, "G N//8 N%2 N//2%4", "").withDType(codes).asName(),
	aliasOf(`compressed-tensors`, "N K", "").withDType(codes),

	// CANN's formats for Ascend, and the interleaves of raster files
	aliasOf(`FRACTAL_NZ_C0_(2|4|8|16|32)`, "N//$1 M//16 M%16 N%$1", ""),
	aliasOf(`FRACTAL_NZ`, "N//16 M//16 M%16 N%16", "C0 is 16 for types of 2 bytes; of int8 it is 32: FRACTAL_NZ_C0_32").withDType("float16"),
	aliasOf(`NC1HWC0_C04`, "NCHW4c", ""),
	aliasOf(`BSQ`, "CHW", ""),
	aliasOf(`BIL`, "HCW", ""),
	aliasOf(`BIP`, "HWC", ""),

	// TMA's interleaved layouts, of elements of 2 bytes (cuTensorMapEncodeTiled of cuda.h)
	aliasOf(`CU_TENSOR_MAP_INTERLEAVE_16B`, "NCHW8c", "").withDType("float16"),
	aliasOf(`CU_TENSOR_MAP_INTERLEAVE_32B`, "NCHW16c", "").withDType("float16"),

	// codes of ggml's blocks (dequantize_row_* of src/ggml-quants.c, ggml 0.21.0), without the bytes between them
	aliasOf(`(?:q4_0|iq4_nl)`, "N K//32 K%16 K//16%2", codesOnly+"2 bytes of scale before every 16 of codes").withDType(codes),
	aliasOf(`mxfp4`, "N K//32 K%16 K//16%2", codesOnly+"1 byte of scale before every 16 of codes").withDType("float4_e2m1fn"),
	aliasOf(`q4_K`, "N K//64 K%32 K//32%2", codesOnly+"16 bytes of scales and mins before every 128 of codes").withDType(codes),
	aliasOf(`nvfp4`, "N K//16 K%8 K//8%2", codesOnly+"4 bytes of scales before every 32 of codes").withDType("float4_e2m1fn"),
}, slices.Concat(shuffledAliases(), lmCacheAliases())...)

// shuffledNames are weights and their scales in the order of a kernel's threads, and ggml's repacked blocks: each has one spelling. The names are in the
// framework package's shuffled.go, with their sources.
var shuffledNames = []struct {
	name, format, note, dtype, lead string
	shown                           bool
}{
	{"shuffle_weight", "M//16 K//{16} M%16 K%{16}", "16 rows of 16 bytes; AITER's N is M, its K a multiple of 32", halves, "E", false},
	{"shuffle_weight(layout=(32,16))", "M//32 K//{16} M%32 K%{16}", "32 rows of 16 bytes; AITER's N is M, its K a multiple of 32", halves, "E", false},
	{"shuffle_scale", "M//256 M//32%8 K//8 K%4 M%16 K//4%2 M//16%2", tiledScales, byteScales, "", true},
	{"BlockMajorK", "K//{128} M K%{128}", "128 bytes of K; sizes are those of the weight, M,K", halves, "E", false},
	{"shuffle_matrix_a(128)", "M//32 M%4 M//4%8 K", "", halves, "E", true},
	{"shuffle_matrix_a(64)", "M//16 M%2 M//2%8 K", "", halves, "E", true},
	{"shuffle_matrix_sf_a(128)", "M//128 K//4 M%4 M//4%8 M//32%4 K%4", tiledScales, byteScales, "", true},
	{"BlackwellMX4ValueShuffled", "K//256 K//128%2 N//256 N%256 K%128", "", float4, "E", false},
	{"TILE", "H//32 W//32 H//16%2 W//16%2 H%16 W%16", "tiles of 32x32 of faces of 16x16", halves, "N C", false},
	{"crouton", "NHWC8h2w32c2w", "2 bytes each: 2048 bytes are 8 x 4 pixels of 32 channels; of 1 byte nhwc-8h8w32c", halves, "", false},
	{"q4_0_4_4", "N//4 K//32 K//4%4 N%4 K%4 K//16%2", codesOnly + "8 bytes of scales before every 64 of codes" + repacked, codes, "", true},
	{"q4_0_4_8", "N//4 K//32 K//8%2 N%4 K%8 K//16%2", codesOnly + "8 bytes of scales before every 64 of codes" + repacked, codes, "", true},
	{"q4_0_8_8", "N//8 K//32 K//8%2 N%8 K%8 K//16%2", codesOnly + "16 bytes of scales before every 128 of codes" + repacked, codes, "", true},
}

func shuffledAliases() (all []alias) {
	for _, n := range shuffledNames {
		all = append(all, alias{name: n.name, literal: true, pattern: lazy.Regexp(`^(?i:` + regexp.QuoteMeta(n.name) + `)$`), format: n.format, note: n.note,
			dtype: n.dtype, lead: n.lead, shown: n.shown})
	}
	return all
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
	{"NC1HWC0", "C0 is symbolic", "write the block, NCHW16c for types of 2 bytes, NCHW32c for int8"},
	{"NC1HWC2", "C2 is symbolic", "write the block, the last of the dims that rknn_query prints: NCHW16c, NCHW8c"},
	{"NHCWB16", "B16 is no dim: it is a block of 16 channels", "write NHCW16c"},
	{"F8CR", "the host's memory is NHWC, the device's has blocks of 8 channels", "write NHCW8c for the device's, nhwc for the host's"},
	{"PHWC4", "P counts planes of 4 channels", "write NCHW4c"},
	{"NHWC4", "some pad C to a multiple of 4, others split it", "write NHWC4c if C is padded, as MindSpore does, NCHW4c if it is split, LiteRT's PHWC4"},
	{"shuffle_matrix_a", "the order of rows depends on the epilogue tile", "write shuffle_matrix_a(128), or shuffle_matrix_a(64) for tiles that 128 does not divide"},
	{"HopperMXValue", "it permutes the bits of each 32-bit word too", "write the order of values before, of which 8 are a word: 'N//16 N//2%4 K//64 N%2 K//2%4 K//16%4 K//8%2 N//8%2 K%2'"},
	{"NDC1HWC0", "C0 is symbolic", "write the block, NDCHW16c for types of 2 bytes, NDCHW32c for int8"},
	{"kDLA_LINEAR", "its row padding depends on the element size", "write NCHW64w for int8, NCHW32w for float16"},
	{"kDLA_HWC4", "its row padding depends on the element size", "write NHW16wC4c for int8, NHW8wC4c for float16; for one channel NHW64wC, NHW32wC"},
	{"CU_TENSOR_MAP_INTERLEAVE_NONE", "it takes any strides that are multiples of 16 bytes", "write the strides: --shape 128,64 --strides 64,1"},
	{"CU_TENSOR_MAP_SWIZZLE_32B", "it permutes the bytes of a box in shared memory", "write the box with its swizzle: 'Sw<1,4,3> o 0 o (8,16):(16,1)' of float16"},
	{"CU_TENSOR_MAP_SWIZZLE_64B", "it permutes the bytes of a box in shared memory", "write the box with its swizzle: 'Sw<2,4,3> o 0 o (8,32):(32,1)' of float16"},
	{"CU_TENSOR_MAP_SWIZZLE_128B", "it permutes the bytes of a box in shared memory", "write the box with its swizzle: 'Sw<3,4,3> o 0 o (8,64):(64,1)' of float16"},
	{"NCHW4_NHWC", "it names a conversion", "write one of its two layouts, NCHW4 or NHWC"},
	{"NL_X_NB_BSV_BSS", "a block holds values, then their scales, of other sizes", "name each part's layout, BNC"},
	{"NL_X_TWO_NB_NH_ONE_BS_HS", "ONE is an axis of size 1", "remove that axis and write KBHNC"},
}

// openVINO matches a format of OpenVINO's GPU plugin: letters of dims, an s after one in blocks, and the blocks, outermost first:
// bs_fs_yx_bsv16_fsv16. (src/plugins/intel_gpu/src/runtime/format.cpp)
var openVINO = lazy.Regexp(`^((?:[bfoig]s|[bfoigzyx]+)(?:_(?:[bfoig]s|[bfoigzyx]+))*)((?:_[bfoig]s[av][0-9]+)*)$`)

var openVINOBlock = lazy.Regexp(`_([bfoig])s[av]([0-9]+)`)

// openVINODims has its letters of dims and those of canonical names.
var openVINODims = strings.NewReplacer("b", "N", "f", "C", "z", "D", "y", "H", "x", "W", "o", "O", "i", "I", "g", "G")

// ofOpenVINO returns the canonical name of such a format; ok is false for other names, and unless exactly the dims with an s have blocks.
func ofOpenVINO(s string) (canonical string, ok bool) {
	s = strings.ToLower(s)
	if !strings.Contains(s, "x") || !strings.Contains(s, "y") {
		return "", false
	}
	m := openVINO.Get().FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	dims := strings.NewReplacer("s", "", "_", "").Replace(m[1])
	for i, c := range dims {
		name := string(c)
		split := strings.Contains(m[1], name+"s")
		blocked := strings.Contains(m[2], "_"+name+"s")
		if strings.Contains(dims[:i], name) || split != blocked {
			return "", false
		}
	}
	known := containsAll(dims, "bf") || containsAll(dims, "oi") // activations or weights
	return openVINODims.Replace(dims + openVINOBlock.Get().ReplaceAllString(m[2], "$2$1")), known
}

// aclFormat is the prefix of CANN's formats. (aclFormat of acl/acl_base.h)
const aclFormat = "ACL_FORMAT_"

// gopt is the spelling of MegEngine's graph optimizer, letter before number: NCHWc4, KCRSc4k4.
var gopt = lazy.Regexp(`^([A-Z]{2,12})((?:[a-z][0-9]{1,4})+)$`)

var goptBlock = lazy.Regexp(`([a-z])([0-9]+)`)

// resolveAlias returns what an alias stands for; of another name only its canonical form.
func resolveAlias(s string) (alias, error) {
	if n := len(aclFormat); len(s) > n && strings.EqualFold(s[:n], aclFormat) {
		s = s[n:]
	}
	for _, r := range Refused {
		if strings.EqualFold(s, r.Name) {
			return alias{}, &fault.Error{Class: fault.Unsupported, Text: fmt.Sprintf("layout %s: %s", r.Name, r.Why), Hint: r.Hint}
		}
	}
	for _, a := range aliases {
		if m := a.match(s); m != nil {
			return a.expanded(s, m)
		}
	}
	return alias{format: respelled(s)}, nil
}

// expanded returns the alias for a name with the numbers at the positions m, as of match.
func (a alias) expanded(s string, m []int) (alias, error) {
	switch len(m) {
	case 2: // without a number
		return a, nil
	case 6: // with two
		if s[m[2]:m[3]] != s[m[4]:m[5]] {
			return alias{}, badLayout(s, "its two numbers differ")
		}
	}
	expand := func(template string) string { return string(a.pattern.Get().ExpandString(nil, template, s, m)) }
	return alias{format: expand(a.format), note: expand(a.note), dtype: a.dtype}, nil
}

// valuesIn matches the number of values in so many bytes.
var valuesIn = lazy.Regexp(`\{([0-9]+)\}`)

// inBytes reports whether the blocks of the format count bytes.
func (a alias) inBytes() bool { return strings.Contains(a.format, "{") }

// usualBits are those of an element whose type is not known: two bytes, as of most weights.
const usualBits = 16

// ofBits returns the alias for elements of this many bits.
func (a alias) ofBits(bits int) alias {
	if !a.inBytes() {
		return a
	}
	a.format = valuesIn.Get().ReplaceAllStringFunc(a.format, func(bytes string) string {
		n, _ := strconv.Atoi(strings.Trim(bytes, "{}"))
		return strconv.Itoa(8 * n / bits)
	})
	return a
}

// formats returns the meanings of the alias for tensors with more dims.
func (a alias) formats() (others []Format) {
	if a.lead == "" {
		return nil
	}
	base, err := parseExplicit(a.format)
	if err != nil {
		return nil
	}
	dims := strings.Fields(a.lead)
	for k := range dims {
		lead := dims[k:]
		f, err := parseExplicit(strings.Join(lead, " ") + " " + a.format)
		if err != nil {
			continue
		}
		f, ok := f.Over(append(slices.Clone(lead), base.Names()...))
		if ok {
			others = append(others, f)
		}
	}
	return others
}

// respelled returns the canonical form of OpenVINO's and MegEngine's formats; other names unchanged.
func respelled(s string) string {
	if format, ok := ofOpenVINO(s); ok {
		return format
	}
	if !strings.ContainsAny(s, numerals) { // no pattern is compiled
		return s
	}
	if m := gopt.Get().FindStringSubmatch(s); m != nil {
		return m[1] + goptBlock.Get().ReplaceAllString(m[2], "$2$1")
	}
	return s
}
