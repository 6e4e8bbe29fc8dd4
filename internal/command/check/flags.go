package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// patternFlag is a list of integers, of which * matches any: *,3,*,8. open says that -1 does too.
type patternFlag struct {
	text string
	want []*int // nil matches any
	set  bool
	open bool
}

func (f *patternFlag) String() string { return f.text }

func (f *patternFlag) Type() string { return "ints" }

func (f *patternFlag) Set(s string) error {
	list := notation.SplitList(s)
	f.text, f.set, f.want = s, true, make([]*int, len(list))
	for i, word := range list {
		if word == "*" || f.open && word == "-1" {
			continue
		}
		n, err := notation.ParseInts(word)
		if err != nil || len(n) != 1 {
			return fault.New(fault.Usage, "%s: not a list of integers, in which * matches any", words.Quoted(words.Cut(s, 60))).
				WithHint("write '*,3,*,8', '(2, 3, 4)' or 2x3x4")
		}
		f.want[i] = &n[0]
	}
	return nil
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

// numberFlag is a whole number of 0 or more, or not set.
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
		return errors.New("not a non-negative integer")
	}
	f.n, f.set = n, true
	return nil
}

// sizeFlag is a number of bytes of at least 1.
type sizeFlag struct {
	cli.Bytes
	text string
}

func (f *sizeFlag) String() string { return f.text }

func (f *sizeFlag) Set(s string) error {
	if err := f.Bytes.Set(s); err != nil {
		return err
	}
	if f.N < 1 {
		return errors.New("not at least 1 byte")
	}
	f.text = s
	return nil
}

// wantedDType is a type; <f4 and >f4 name the byte order too, float32 does not.
type wantedDType struct {
	cli.DType
	ordered bool
}

func (f *wantedDType) Set(s string) error {
	f.ordered = strings.HasPrefix(s, "<") || strings.HasPrefix(s, ">")
	return f.DType.Set(s)
}

// fits compares types, and their byte orders where it was named.
func (f *wantedDType) fits(d dtype.Type) bool {
	if f.ordered && d.Order() != f.Value.Order() {
		return false
	}
	return d.String() == f.Value.String()
}

// consumersFlag is a list of frameworks that must accept the tensor.
type consumersFlag struct{ keys []string }

func (f *consumersFlag) String() string { return strings.Join(f.keys, ",") }

func (f *consumersFlag) Type() string { return "names" }

func (f *consumersFlag) Words() []string {
	var keys []string
	for _, c := range inspect.Consumers {
		keys = append(keys, c.Key)
	}
	return keys
}

func (f *consumersFlag) Set(s string) error {
	f.keys = nil
	for _, word := range strings.Split(s, ",") {
		key := strings.ToLower(strings.TrimSpace(word))
		if !slices.Contains(f.Words(), key) {
			bad := fault.New(fault.Usage, "%s: valid values are %s", words.Quoted(word), strings.Join(f.Words(), ", "))
			if near := framework.Meant(key, f.Words()); near != "" {
				return bad.WithHint("did you mean %s?", near)
			}
			return bad
		}
		f.keys = append(f.keys, key)
	}
	return nil
}

// The senses of --contiguous.
const (
	senseC     = "c"
	senseF     = "f"
	senseLast  = string(tensor.ChannelsLastFormat)
	senseLast3 = string(tensor.ChannelsLast3D)
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

func (f *wordFlag) Words() []string { return f.values }

func (f *wordFlag) Set(s string) error {
	return (&cli.Enum[string]{Value: &f.word, Values: f.values}).Set(strings.ToLower(s))
}

// wanted are the assertions of the command line.
type wanted struct {
	layout      cli.Layout
	strict      bool
	dtype       wantedDType
	byteOrder   wordFlag
	shape       patternFlag
	rank        numberFlag
	fileShape   patternFlag
	strides     patternFlag
	offset      numberFlag
	contiguous  wordFlag
	packed      bool
	noPadding   bool
	noOverlap   bool
	noBroadcast bool
	aligned     sizeFlag
	maxBytes    sizeFlag
	finite      bool
	acceptedBy  consumersFlag

	noUnused, noSharing, weightsOnly, complete bool // of a checkpoint as a whole
}

const assertionNames = "assert --layout, --expect-dtype, --byte-order, --expect-shape, --rank, --file-shape, --expect-strides, --expect-offset, --contiguous, " +
	"--packed, --no-padding, --no-overlap, --no-broadcast, --aligned, --max-bytes, --finite or --accepted-by; " +
	"of a checkpoint --no-unused, --no-sharing, --weights-only or --complete"

func (w *wanted) addFlags(cmd *cobra.Command) {
	w.shape.open, w.fileShape.open = true, true
	w.byteOrder.values, w.contiguous.values = []string{"little", "big"}, senses
	flags := cmd.Flags()
	flags.Var(&w.layout, "layout", "memory order, outermost first; gaps do not matter")
	flags.BoolVar(&w.strict, "strict", false, "no other order matches, and the strides of size-1 dims count")
	flags.Var(&w.dtype, "expect-dtype", "element type; <f4 and >f4 name the byte order too")
	flags.Var(&w.byteOrder, "byte-order", "byte `order` of the elements: little or big")
	flags.Var(&w.shape, "expect-shape", "sizes, N,C,H,W if the order of the axes is known; * or -1 matches any")
	flags.Var(&w.rank, "rank", "number of dims")
	flags.Var(&w.fileShape, "file-shape", "the shape in the file's header")
	flags.Var(&w.strides, "expect-strides", "strides, in elements")
	flags.Var(&w.offset, "expect-offset", "storage offset of the first element, in elements")
	flags.Var(&w.contiguous, "contiguous", "contiguous in this `sense`: "+strings.Join(senses, ", "))
	flags.BoolVar(&w.packed, "packed", false, "dense: as many addresses as elements, none shared")
	flags.BoolVar(&w.noPadding, "no-padding", false, "storage holds elements only")
	flags.BoolVar(&w.noOverlap, "no-overlap", false, "no two elements share an address")
	flags.BoolVar(&w.noBroadcast, "no-broadcast", false, "no dim has stride 0")
	flags.Var(&w.aligned, "aligned", "the first element, of a checkpoint that of every tensor, is at a multiple of this many bytes in the file")
	flags.Var(&w.maxBytes, "max-bytes", "storage, padding included, is at most this many bytes")
	flags.BoolVar(&w.finite, "finite", false, "no element is infinite, NaN or NaT; reads all the data")
	flags.Var(&w.acceptedBy, "accepted-by", "all of these accept it without a copy: "+strings.Join(w.acceptedBy.Words(), ", "))
	flags.BoolVar(&w.noUnused, "no-unused", false, "every byte of its storages is in a tensor")
	flags.BoolVar(&w.noSharing, "no-sharing", false, "no two tensors are views of one storage")
	flags.BoolVar(&w.weightsOnly, "weights-only", false, "torch.load(weights_only=True) accepts all that its pickle names")
	flags.BoolVar(&w.complete, "complete", false, "an index and its files agree: no tensor is missing, misplaced, doubled or unlisted, and the total size is right")
	cli.Group(cmd, "Assert the memory order", "layout", "contiguous", "strict", "expect-strides", "expect-offset")
	cli.Group(cmd, "Assert elements and shape", "expect-dtype", "byte-order", "expect-shape", "rank", "file-shape", "finite")
	cli.Group(cmd, "Assert the storage", "packed", "no-padding", "no-overlap", "no-broadcast", "aligned", "max-bytes", "accepted-by")
	cli.Group(cmd, "Assert a checkpoint as a whole", "no-unused", "no-sharing", "weights-only", "complete")
}

// any reports whether an assertion is given. --strict alone is not one.
func (w *wanted) any() bool { return w.aligned.N > 0 || w.ofTensors() || w.ofCheckpoint() != "" }

// ofCheckpoint names an assertion about the tensors of a checkpoint as a whole, or one about its files; "" for none.
func (w *wanted) ofCheckpoint() string {
	switch {
	case w.noUnused:
		return "--no-unused"
	case w.noSharing:
		return "--no-sharing"
	}
	return w.ofFiles()
}

// ofFiles names an assertion about a checkpoint's files.
func (w *wanted) ofFiles() string {
	switch {
	case w.weightsOnly:
		return "--weights-only"
	case w.complete:
		return "--complete"
	}
	return ""
}

// ofTensors reports whether an assertion is about each tensor. --aligned is about a checkpoint as a whole, and else about tensors.
func (w *wanted) ofTensors() bool {
	return w.layout.Layout != nil || w.dtype.Value != nil || w.byteOrder.word != "" || w.shape.set || w.rank.set || w.fileShape.set ||
		w.strides.set || w.offset.set || w.contiguous.word != "" || w.packed || w.noPadding || w.noOverlap || w.noBroadcast ||
		w.maxBytes.N > 0 || w.finite || w.acceptedBy.keys != nil
}
