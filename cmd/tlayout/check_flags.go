package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// patternFlag is a list of integers in which some may be anything: *,3,-1,8 where open says that -1 means *.
type patternFlag struct {
	text string
	want []*int // nil: anything
	set  bool
	open bool
}

func (f *patternFlag) String() string { return f.text }

func (f *patternFlag) Type() string { return "ints" }

func (f *patternFlag) Set(s string) error {
	list := intsFlag{}
	if err := list.Set(strings.ReplaceAll(s, "*", "0")); err != nil || misplacedStar(s) {
		return errors.New("not a list of integers such as 1,64,5,4, in which * stands for any")
	}
	f.text, f.set, f.want = s, true, make([]*int, len(list.values))
	for i, word := range strings.Split(s, ",")[:len(f.want)] {
		if n := list.values[i]; !strings.Contains(word, "*") && !(f.open && n == -1) {
			f.want[i] = &n
		}
	}
	return nil
}

// misplacedStar reports whether a * of a list is not a word by itself.
func misplacedStar(list string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(word string) bool {
		return strings.Contains(word, "*") && strings.Trim(word, "()[] \t") != "*"
	})
}

func (f *patternFlag) fits(found []int) bool {
	if len(found) != len(f.want) {
		return false
	}
	for i, want := range f.want {
		if want != nil && *want != found[i] {
			return false
		}
	}
	return true
}

// tuple prints the list as a shape is printed: (*, 3, 6, 8).
func (f *patternFlag) tuple() string {
	words := make([]string, len(f.want))
	for i, want := range f.want {
		if words[i] = "*"; want != nil {
			words[i] = fmt.Sprint(*want)
		}
	}
	if len(words) == 1 {
		return "(" + words[0] + ",)"
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// numberFlag is a whole number of at least 0 that may not be given at all.
type numberFlag struct {
	n   int
	set bool
}

func (f *numberFlag) String() string {
	if !f.set {
		return ""
	}
	return strconv.Itoa(f.n)
}

func (f *numberFlag) Type() string { return "int" }

func (f *numberFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return errors.New("not a whole number of at least 0")
	}
	f.n, f.set = n, true
	return nil
}

// sizeFlag is a number of bytes of at least 1.
type sizeFlag struct {
	bytesFlag
	text string
}

func (f *sizeFlag) String() string { return f.text }

func (f *sizeFlag) Set(s string) error {
	if err := f.bytesFlag.Set(s); err != nil {
		return err
	}
	if f.n < 1 {
		return errors.New("less than a byte")
	}
	f.text = s
	return nil
}

// wantedDType is a type; <f4 and >f4 name the byte order too, float32 does not.
type wantedDType struct {
	dtypeFlag
	ordered bool
}

func (f *wantedDType) Set(s string) error {
	f.ordered = strings.HasPrefix(s, "<") || strings.HasPrefix(s, ">")
	return f.dtypeFlag.Set(s)
}

// fits compares types, and their byte orders where it was named.
func (f *wantedDType) fits(d tensor.DType) bool {
	if f.ordered && d.Order() != f.dtype.Order() {
		return false
	}
	return d.String() == f.dtype.String()
}

// consumersFlag is a list of those who shall take the tensor.
type consumersFlag struct{ keys []string }

func (f *consumersFlag) String() string { return strings.Join(f.keys, ",") }

func (f *consumersFlag) Type() string { return "names" }

func (f *consumersFlag) words() []string {
	var keys []string
	for _, c := range consumers {
		keys = append(keys, c.key)
	}
	return keys
}

func (f *consumersFlag) Set(s string) error {
	f.keys = nil
	for _, word := range strings.Split(s, ",") {
		key := strings.ToLower(strings.TrimSpace(word))
		if !slices.Contains(f.words(), key) {
			bad := fault.New(fault.Usage, `"%s": known are %s`, fault.Quote(word), strings.Join(f.words(), ", "))
			if near := fault.Nearest(key, f.words()); near != "" {
				return bad.WithHint("did you mean %s?", near)
			}
			return bad
		}
		f.keys = append(f.keys, key)
	}
	return nil
}

// senses are the meanings of contiguous that --contiguous takes.
const (
	senseC     = "c"
	senseF     = "f"
	senseLast  = "channels_last"
	senseLast3 = "channels_last_3d"
	senseDense = "dense"
)

var senses = []string{senseC, senseF, senseLast, senseLast3, senseDense}

// wordFlag is one of a few words, or none.
type wordFlag struct {
	word   string
	values []string
}

func (f *wordFlag) String() string { return f.word }

func (f *wordFlag) Type() string { return strings.Join(f.values, "|") }

func (f *wordFlag) words() []string { return f.values }

func (f *wordFlag) Set(s string) error {
	return (&enum[string]{&f.word, f.values}).Set(strings.ToLower(s))
}
