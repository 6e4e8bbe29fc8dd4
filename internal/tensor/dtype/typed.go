package dtype

import (
	"errors"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/text"
)

// ambiguous maps words to their two types: one in PyTorch, C or bits, and another in NumPy. They are refused.
var ambiguous = map[string][2]struct{ name, of string }{
	"float":  {{"float32", "PyTorch, C"}, {"float64", "NumPy"}},
	"int":    {{"int32", "PyTorch, C"}, {"int64", "NumPy"}},
	"cfloat": {{"complex64", "PyTorch"}, {"complex128", "NumPy"}},
	"byte":   {{"uint8", "PyTorch"}, {"int8", "NumPy"}},
	"f8":     {{"float8_e4m3fn", "8 bits"}, {"float64", "8 bytes, as in NumPy"}},
	"f16":    {{"float16", "16 bits"}, {"float128", "16 bytes, as in NumPy"}},
	"i8":     {{"int8", "8 bits"}, {"int64", "8 bytes, as in NumPy"}},
	"u8":     {{"uint8", "8 bits"}, {"uint64", "8 bytes, as in NumPy"}},
	"c32":    {{"complex32", "32 bits"}, {"complex256", "32 bytes, as in NumPy"}},
}

// nearMisses maps words that are not types of .npy elements to what to write instead.
var nearMisses = []struct {
	pattern *lazy.Expression
	hint    string
}{
	{lazy.Regexp(`^k?(?:fp8|float8)$`), "write float8_e4m3fn (TensorRT's kFP8) or float8_e5m2"},
	{lazy.Regexp(`^(?:tf32|tfloat32(?:_t)?|tensorfloat32)$`), "TF32 is a mode of arithmetic: its values are stored as float32"},
	{lazy.Regexp(`^(?:torch\.|tf\.)?q(?:int8|int32)$|^(?:torch\.|tf\.)?quint8$`),
		"a quantized tensor is stored as integers, x.int_repr(): write int8, uint8 or int32"},
	{lazy.Regexp(`^(?:k?fp4|float4)$`), "write float4_e2m1fn (OCP's, NVIDIA's)"},
	{lazy.Regexp(`^(?:[a-z_]+(?:\.|::))*(?:k?fp6|float6.*|float_e[23]m[23]_t|f6_.*)$`),
		"write float6_e2m3fn or float6_e3m2fn, of which each value has a byte, as in ml_dtypes; packed ones are not read"},
	{lazy.Regexp(`^(?:cudnn_data_)?fp8_e5m3$`), "no array library has this type: write uint8 for its bytes"},
	{lazy.Regexp(`^nf4$`), "its values are a table's: write uint4 for codes of 4 bits"},
	{lazy.Regexp(`^(?:[a-z_]+(?:\.|::))*(?:k?u?int[1-7](?:b_t|x[1-9])?|[su][1-7]|i[1367])$`),
		"elements have 1, 2, 4 or 8 bits, or whole bytes: int4, uint2, float4_e2m1fn"},
}

// wrapped matches a type as NumPy, JAX and TensorFlow print it.
var wrapped = []*lazy.Expression{
	lazy.Regexp(`^(?:np\.|numpy\.)?dtype\(["']?([^"'()]+)["']?\)$`),
	lazy.Regexp(`^<class ["']((?:numpy|jax\.numpy|ml_dtypes)\.\w+)["']>$`),
	lazy.Regexp(`^<dtype: ["'](\w+)["']>$`),
}

// ParseTyped parses a type name from a user: one of Parse or of the frameworks in vocabularies, in any case if unambiguous, or as
// Python prints it. A word for different types in a framework and in NumPy is a Usage error: f16, float. With a byte order it is
// NumPy's: <f8. Other errors are those of Parse.
func ParseTyped(s string) (Type, error) {
	word, ofNumPy := unwrapped(strings.TrimSpace(s))
	if ofNumPy {
		return Parse(word)
	}
	if name, ok := inVocabulary(word); ok {
		return Parse(name)
	}
	if both, ok := ambiguous[word]; ok {
		a, b := both[0], both[1]
		return Type{}, fault.New(fault.Usage, "dtype %s: %s (%s) or %s (%s)?", word, a.name, a.of, b.name, b.of).WithHint("write %s or %s", a.name, b.name)
	}
	d, err := Parse(word)
	if err == nil {
		return d, nil
	}
	lower := strings.ToLower(word)
	isWord := len(word) > 1 && isLetter(word[1]) // not a code, whose case matters: I8
	if isWord && lower != word {
		if d, err := ParseTyped(lower); err == nil {
			return d, nil
		}
	}
	return Type{}, withHint(word, err)
}

// unwrapped returns the word in a type as Python prints it, other texts unchanged; ofNumPy reports whether the word is NumPy's own.
func unwrapped(s string) (word string, ofNumPy bool) {
	for i, w := range wrapped {
		if m := w.Get().FindStringSubmatch(s); m != nil {
			return m[1], i == 0
		}
	}
	return s, false
}

// withHint returns Parse's error for a word, with what to write instead if the word is a known mistake or near a framework's name.
func withHint(word string, err error) error {
	for _, miss := range nearMisses {
		if miss.pattern.Get().MatchString(strings.ToLower(word)) {
			return fault.New(fault.Unsupported, "unknown dtype %s", text.Quoted(text.Cut(word, 60))).WithHint("%s", miss.hint)
		}
	}
	var e *fault.Error
	if near := nearInVocabulary(word); near != "" && errors.As(err, &e) {
		e.Hint = "did you mean " + near + "?"
	}
	return err
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// letterBits matches a type as a letter and its bits, which NumPy reads as bytes, with the format of a narrow float: f8E5M2.
var letterBits = lazy.Regexp(`^(si|ui|[suif])([0-9]{1,2})(e\w+)?$`)

var (
	letterKinds   = map[string]string{"si": "int", "s": "int", "i": "int", "ui": "uint", "u": "uint", "f": "float"}
	compilerWords = map[string]string{"i1": "bool", "float": "float32", "double": "float64", "b8": "bool", "c32": "complex32", "f4e2m1fnx2": "float4_e2m1fn_x2"}
)

// ParsePrinted returns the type of elements that compilers name by a letter and bits: s8, ui8, i8, f16, u4. i1 is MLIR's bool, float and
// double are ONNX', b8, c32 and f4e2m1fnx2 PyTorch's (torch/utils/_dtype_abbrs.py, 2.15). Other words, and errors, are those of ParseTyped.
func ParsePrinted(word string) (Type, error) {
	word = strings.ToLower(word)
	if name, ok := compilerWords[word]; ok {
		return Parse(name)
	}
	if m := letterBits.Get().FindStringSubmatch(word); m != nil {
		return Parse(strings.Trim(letterKinds[m[1]]+m[2]+"_"+m[3], "_"))
	}
	return ParseTyped(word)
}

// inVocabulary returns NumPy's or ml_dtypes' name of a framework's type.
func inVocabulary(s string) (name string, ok bool) {
	for _, v := range vocabularies() {
		for _, prefix := range v.prefixes {
			if word, begins := strings.CutPrefix(s, prefix); begins {
				if name, ok := v.meaning(word); ok {
					return name, true
				}
			}
		}
	}
	return "", false
}

// meaning returns the type of a word; words of v.same are the type's name.
func (v *vocabulary) meaning(word string) (name string, ok bool) {
	name, ok = v.words[word]
	if !ok && slices.Contains(v.same, word) {
		name = word
		ok = true
	}
	return name, ok
}

// Spelling returns a word that ParseTyped reads as this type: its name or, for the other byte order, NumPy's. ok is false if there is none.
func (d Type) Spelling() (word string, ok bool) {
	for _, word := range []string{d.String(), d.Typestr()} {
		if read, err := ParseTyped(word); err == nil && read.Equal(d) {
			return word, true
		}
	}
	return "", false
}
