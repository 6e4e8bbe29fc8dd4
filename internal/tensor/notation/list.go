package notation

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/text"
)

// ParseInts reads a list of integers, such as sizes or strides, in any common form:
//
//	2,3  (2, 3)  [2, 3]  {2, 3}  (2,)  ()   Python, NumPy, JAX, C++; the empty list is the shape of a scalar
//	torch.Size([2, 3])  TensorShape([2, 3])  PyTorch and TensorFlow
//	2 3  [2 3]                               NumPy's arrays
//	2x3  2 x 3  2×3                          people
//
// Errors are fault.Usage and name the word that is not an integer.
func ParseInts(s string) ([]int, error) {
	list := SplitList(s)
	xs := make([]int, len(list))
	for i, word := range list {
		var err error
		xs[i], err = strconv.Atoi(word)
		if err != nil {
			return nil, badInt(s, word, err)
		}
	}
	return xs, nil
}

// ParseSizes reads the sizes of a tensor: a list as in ParseInts, or names and sizes, N=1,C=3. dims are the names, or nil.
func ParseSizes(s string) (dims []string, sizes []int, err error) {
	list := SplitList(s)
	if !slices.ContainsFunc(list, func(word string) bool { return strings.Contains(word, "=") }) {
		sizes, err = ParseInts(s)
		return nil, sizes, err
	}
	sizes = make([]int, len(list))
	for i, word := range list {
		name, size, ok := strings.Cut(word, "=")
		sizes[i], err = strconv.Atoi(strings.TrimSpace(size))
		if !ok || err != nil {
			return nil, nil, fault.New(fault.Usage, "%s is not NAME=SIZE", text.Quoted(text.Cut(word, 40))).WithHint("write N=1,C=3,H=224,W=224")
		}
		dims = append(dims, name)
	}
	dims, err = NamedDims(dims)
	return dims, sizes, err
}

// sizeClasses are the words that frameworks print around a shape. (torch/csrc/Size.cpp: THPSize_repr, PyTorch 1.13;
// tensorflow/python/framework/tensor_shape.py: TensorShape.__repr__, TensorFlow 2.15)
var sizeClasses = lazy.Regexp(`^(?:(?:torch\.)?Size|(?:tf\.|tensorflow\.)?TensorShape)\s*\(([^()]*|\([^()]*\))\)$`)

// times matches integers, or * for any, separated by a multiplication sign.
var times = lazy.Regexp(`^[-+]?(?:\d+|\*)(?:\s*[xX×]\s*[-+]?(?:\d+|\*))+$`)

// hexadecimal matches a number that would be read as 0×10.
var hexadecimal = lazy.Regexp(`^0[xX]\d+$`)

// SplitList returns the words of a list in any form of ParseInts; text that cannot be split is one word. It removes the list's
// brackets, not those inside it.
func SplitList(s string) []string {
	inner, bracketed := withoutBrackets(strings.TrimSpace(s))
	if inner == "" {
		return nil
	}
	if strings.Contains(inner, ",") {
		list := trimmed(strings.Split(inner, ","))
		if last := len(list) - 1; bracketed && last > 0 && list[last] == "" { // Python's (2,)
			list = list[:last]
		}
		return list
	}
	if strings.ContainsAny(inner, "xX×") && times.Get().MatchString(inner) && !hexadecimal.Get().MatchString(inner) {
		return trimmed(strings.FieldsFunc(inner, func(r rune) bool { return strings.ContainsRune("xX×", r) }))
	}
	return strings.Fields(inner)
}

// withoutBrackets removes the class and the outer brackets of a list; bracketed reports whether it had any.
func withoutBrackets(s string) (inner string, bracketed bool) {
	if strings.HasSuffix(s, ")") && s[0] != '(' {
		if m := sizeClasses.Get().FindStringSubmatch(s); m != nil {
			s = strings.TrimSpace(m[1])
			bracketed = true
		}
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		if len(s) >= 2 && s[0] == pair[0] && s[len(s)-1] == pair[1] {
			return strings.TrimSpace(s[1 : len(s)-1]), true
		}
	}
	return s, bracketed
}

// trimmed removes the blanks around each word, in place.
func trimmed(list []string) []string {
	for i, word := range list {
		list[i] = strings.TrimSpace(word)
	}
	return list
}

// badInt returns the error for a word that is not an integer.
func badInt(list, word string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return fault.New(fault.Usage, "%s overflows a 64-bit address", text.Quote(text.Cut(word, 40)))
	}
	e := fault.New(fault.Usage, "%s: not a list of integers", text.Quoted(text.Cut(list, 60)))
	if word != strings.TrimSpace(list) {
		e.Text += ": " + text.Quoted(text.Cut(word, 40))
	}
	_, behind, _ := strings.Cut(list, ")")
	if strings.Contains(behind, "(") {
		return e.WithHint("sizes and strides together: --from %s", text.Shell(list))
	}
	if word == "None" || word == "?" {
		return e.WithHint("sizes must be known: write a number instead of %s", word)
	}
	if strings.ContainsAny(word, "xX") && hexadecimal.Get().MatchString(word) {
		return e.WithHint("sizes 0 and %s are 0,%s", word[2:], word[2:])
	}
	if unbalanced(list) {
		return e.WithHint("quote brackets and blanks for the shell: '(2, 3, 4)', or write 2,3,4")
	}
	return e.WithHint("write 2,3,4, 2x3x4, '(2, 3, 4)' or 'torch.Size([2, 3, 4])'")
}

// unbalanced reports whether a list has an unmatched bracket, as after a shell has split words.
func unbalanced(s string) bool {
	count := func(cs string) (n int) {
		for _, c := range cs {
			n += strings.Count(s, string(c))
		}
		return n
	}
	return count("([{") != count(")]}")
}
