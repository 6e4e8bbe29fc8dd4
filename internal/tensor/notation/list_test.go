package notation_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// spellings are the forms in which a list of integers is typed, of at least one number.
var spellings = map[string]func([]int) string{
	"commas":              func(xs []int) string { return text.Ints(xs, ",") },
	"blanks":              func(xs []int) string { return text.Ints(xs, " ") },
	"x":                   func(xs []int) string { return text.Ints(xs, "x") },
	"X":                   func(xs []int) string { return text.Ints(xs, " X ") },
	"times":               func(xs []int) string { return text.Ints(xs, "×") },
	"tuple":               tensor.Tuple,
	"list":                func(xs []int) string { return "[" + text.Ints(xs, ", ") + "]" },
	"C++":                 func(xs []int) string { return "{" + text.Ints(xs, ",") + "}" },
	"NumPy array":         func(xs []int) string { return "[ " + text.Ints(xs, "  ") + "]" },
	"C++ with a comma":    func(xs []int) string { return "{ " + text.Ints(xs, " , ") + ", }" },
	"torch.Size":          func(xs []int) string { return "torch.Size([" + text.Ints(xs, ", ") + "])" },
	"Size of a tuple":     func(xs []int) string { return "torch.Size(" + tensor.Tuple(xs) + ")" },
	"TensorShape":         func(xs []int) string { return "TensorShape([" + text.Ints(xs, ", ") + "])" },
	"tf.TensorShape":      func(xs []int) string { return "tf.TensorShape(" + tensor.Tuple(xs) + ")" },
	"blanks all around":   func(xs []int) string { return "  ( " + text.Ints(xs, " ,\t") + " )\n" },
	"brackets without ,":  func(xs []int) string { return "(" + text.Ints(xs, "x") + ")" },
	"Go, as a slice":      func(xs []int) string { return fmt.Sprint(xs) },
	"x, in square braces": func(xs []int) string { return "[" + text.Ints(xs, " x ") + "]" },
}

// Every list is read again from every spelling of it. 0x10 is left out: it is refused, because it is a number in hexadecimal.
func TestParseIntsSpellings(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		xs := make([]int, 1+draw.IntN(6))
		for i := range xs {
			xs[i] = draw.IntN(1<<draw.IntN(min(40, strconv.IntSize-1))) - draw.IntN(3)
		}
		for name, spell := range spellings {
			if len(xs) == 2 && xs[0] == 0 && strings.ContainsAny(spell(xs), "xX") && xs[1] >= 0 {
				continue
			}
			if got, err := notation.ParseInts(spell(xs)); err != nil || !slices.Equal(got, xs) {
				t.Fatalf("%s: %q is %v, %v; want %v", name, spell(xs), got, err, xs)
			}
		}
	}
	for _, empty := range []string{"", "()", "[]", "{}", " ( ) ", "torch.Size([])", "torch.Size(())", "TensorShape([])"} {
		if got, err := notation.ParseInts(empty); err != nil || len(got) != 0 {
			t.Errorf("%q is %v, %v; want no numbers", empty, got, err)
		}
	}
}

// TestParseSizes: sizes have names in any order and case, or none; what is half of either is refused.
func TestParseSizes(t *testing.T) {
	for s, want := range map[string]string{
		"N=1,H=224,W=224,C=3": "N,H,W,C 1,224,224,3", "(b=2, t=0)": "B,T 2,0", "N=1 C=3": "N,C 1,3", "2,3": " 2,3", "torch.Size([2, 3])": " 2,3", "K=-1": "K -1",
	} {
		dims, sizes, err := notation.ParseSizes(s)
		if got := strings.Join(dims, ",") + " " + text.Ints(sizes, ","); err != nil || got != want {
			t.Errorf("%q: %q, %v, expected %q", s, got, err, want)
		}
	}
	for _, s := range []string{"N=1,3", "N=,C=3", "=1", "N=1,N=2", "NC=3", "N=1.5", "n=1,N=2", "É=2", "N==2"} {
		if dims, sizes, err := notation.ParseSizes(s); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%q: %v, %v, %v", s, dims, sizes, err)
		}
	}
	for s, want := range map[string]string{"B,T,H,D": "B,T,H,D", "bthd": "B,T,H,D", "batch,seq": "batch,seq", "(n, heads, k_1)": "N,heads,k_1", "(B, T, H, D)": "B,T,H,D", "n h w c": "N,H,W,C", "B": "B"} {
		if dims, err := notation.ParseDims(s); err != nil || strings.Join(dims, ",") != want {
			t.Errorf("%q: %q, %v", s, dims, err)
		}
	}
	for _, s := range []string{"B,B", "batch", "Batch,Seq", "d0,d1", "k-1,b", "1k,b", "B," + strings.Repeat("k", 33), "seq,seq", "B,1", "abba", "A,B"} {
		if dims, err := notation.ParseDims(s); fault.ClassOf(err) != fault.Usage || s == "B,B" && err.Error() != "dim B is repeated" {
			t.Errorf("%q: %v, %v", s, dims, err)
		}
	}
}

// Malformed lists of integers are refused with a useful hint; a list never loses a number silently.
func TestParseIntsRefused(t *testing.T) {
	for s, hint := range map[string]string{
		"a": "write 2,3,4", "1,,2": "write", "1;2": "write", "1.5": "write", ",": "write", "(,)": "write", "5,": "write", "((1))": "write", "[[1,2]]": "write",
		"1,2 3": "write", "2x3,4": "write", "2x": "write", "x3": "write", "2xx3": "write", "N,C,H,W": "write", "2*3": "write", "*,3": "write", "1_000": "write",
		"Size": "write", "torch.Size([2, 3]": "quote", "(1,2": "quote", "[2,": "quote", "(1,2]": "write", "torch.Size": "write", "Shape([2, 3])": "write",
		"0x10": "sizes 0 and 10 are 0,10", "TensorShape([None, 3])": "instead of None", "99999999999999999999": "", "2,99999999999999999999": "",
		"torch.Size([2], [3])": "write", "\x1b[2J": "write", "٣,٤": "write",
	} {
		got, err := notation.ParseInts(s)
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Usage || !strings.Contains(e.Hint, hint) || text.Quote(e.Text) != e.Text {
			t.Errorf("%q: %v, %v; want a usage error with the hint %q", s, got, err, hint)
		}
	}
}

// FuzzParseInts: no text panics; what is read as a list is the same list when it is written as a tuple; and its numbers are
// those of the text, in order.
func FuzzParseInts(f *testing.F) {
	for _, spell := range spellings {
		f.Add(spell([]int{2, 3, 4}))
	}
	f.Add("torch.Size(([2]))")
	f.Add("2x-3")
	f.Fuzz(func(t *testing.T, s string) {
		xs, err := notation.ParseInts(s)
		if err != nil {
			if fault.ClassOf(err) != fault.Usage || text.Quote(err.Error()) != err.Error() {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		again, err := notation.ParseInts(tensor.Tuple(xs))
		if err != nil || !slices.Equal(again, xs) {
			t.Errorf("%q is %v, its tuple %v, %v", s, xs, again, err)
		}
		numbers := strings.FieldsFunc(s, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
		if len(numbers) != len(xs) {
			t.Errorf("%q has the numbers %v, read as %v", s, numbers, xs)
		}
	})
}
