package checkcmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// each is an assertion with a value. Repeating the flag adds another assertion.
type each[T any, F flagOf[T]] struct {
	all   []T
	blank T // parses the values
}

type flagOf[T any] interface {
	*T
	pflag.Value
}

func (e *each[T, F]) String() string {
	texts := make([]string, len(e.all))
	for i := range e.all {
		texts[i] = F(&e.all[i]).String()
	}
	return strings.Join(texts, ", ")
}

func (e *each[T, F]) Type() string { return F(&e.blank).Type() }

func (e *each[T, F]) Set(s string) error {
	value := e.blank
	if err := F(&value).Set(s); err != nil {
		return err
	}
	e.all = append(e.all, value)
	return nil
}

func (e *each[T, F]) given() bool { return len(e.all) > 0 }

// eachWord is an each whose value is one of a few words.
type eachWord struct {
	each[wordFlag, *wordFlag]
}

func (e *eachWord) Words() []string { return e.blank.values }

// patternFlag is a list of integers, in which * matches any: *,3,*,8. If open is set, -1 does too.
type patternFlag struct {
	text string
	want []*int // nil matches any
	open bool
}

func (f *patternFlag) String() string { return f.text }

func (f *patternFlag) Type() string { return "ints" }

func (f *patternFlag) Set(s string) error {
	list := notation.SplitList(s)
	f.text = s
	f.want = make([]*int, len(list))
	for i, word := range list {
		if word == "*" || f.open && word == "-1" {
			continue
		}
		n, err := notation.ParseInts(word)
		if err != nil || len(n) != 1 {
			return fault.New(fault.Usage, "%s: want a list of integers, in which * matches any", text.Quoted(text.Cut(s, 60))).
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

// tuple formats the list like a shape: (*, 3, 6, 8).
func (f *patternFlag) tuple() string {
	words := make([]string, len(f.want))
	for i, want := range f.want {
		words[i] = "*"
		if want != nil {
			words[i] = fmt.Sprint(*want)
		}
	}
	if len(words) == 1 {
		return "(" + words[0] + ",)"
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// sizeFlag is a positive number of bytes.
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
		return errors.New("want at least 1 byte")
	}
	f.text = s
	return nil
}

// wantedDType is a type; <f4 and >f4 include the byte order, float32 does not.
type wantedDType struct {
	cli.DType
	ordered bool
}

func (f *wantedDType) Set(s string) error {
	f.ordered = strings.HasPrefix(s, "<") || strings.HasPrefix(s, ">")
	return f.DType.Set(s)
}

// fits compares types, and byte orders if included.
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
	var keys []string
	for _, word := range strings.Split(s, ",") {
		key := strings.ToLower(strings.TrimSpace(word))
		if !slices.Contains(f.Words(), key) {
			return cli.UnknownWord(key, f.Words(), framework.Meant)
		}
		keys = append(keys, key)
	}
	f.keys = append(f.keys, keys...)
	return nil
}

// The kinds of --contiguous.
const (
	senseC     = "c"
	senseF     = "f"
	senseLast  = string(tensor.ChannelsLastFormat)
	senseLast3 = string(tensor.ChannelsLast3D)
	senseDense = "dense"
)

var senses = []string{senseC, senseF, senseLast, senseLast3, senseDense}

// wordFlag is one of a few words.
type wordFlag struct {
	word   string
	values []string
}

var _ pflag.Value = (*wordFlag)(nil)

func (f *wordFlag) String() string { return f.word }

func (f *wordFlag) Type() string { return strings.Join(f.values, "|") }

func (f *wordFlag) Set(s string) error {
	return (&cli.Enum[string]{Value: &f.word, Values: f.values}).Set(strings.ToLower(s))
}

// wanted holds the assertions of the command line.
//
// To add an assertion: a field here, its flag and group, ofTensors and assertionNames below, its answer in assertions.go, a row of examples in
// check_test.go; in Python, ASSERTIONS of python/tlayout/__init__.py.
type wanted struct {
	layout      each[cli.Layout, *cli.Layout]
	strict      bool
	dtype       each[wantedDType, *wantedDType]
	byteOrder   eachWord
	shape       each[patternFlag, *patternFlag]
	rank        each[cli.Count, *cli.Count]
	fileShape   each[patternFlag, *patternFlag]
	strides     each[patternFlag, *patternFlag]
	offset      each[cli.Count, *cli.Count]
	contiguous  eachWord
	packed      bool
	noPadding   bool
	noOverlap   bool
	noBroadcast bool
	aligned     each[sizeFlag, *sizeFlag]
	maxBytes    each[sizeFlag, *sizeFlag]
	finite      bool
	acceptedBy  consumersFlag
	expr        each[exprFlag, *exprFlag]
	view        bool

	noUnused, noSharing, weightsOnly, complete bool // about a whole checkpoint
}

const assertionNames = "assert --layout, --expect-dtype, --byte-order, --expect-shape, --rank, --file-shape, --expect-strides, --expect-offset, --contiguous, " +
	"--packed, --no-padding, --no-overlap, --no-broadcast, --aligned, --max-bytes, --finite, --accepted-by or --expr with --view; " +
	"for a checkpoint --no-unused, --no-sharing, --weights-only or --complete"

func (w *wanted) addFlags(cmd *cobra.Command) {
	w.shape.blank.open = true
	w.fileShape.blank.open = true
	w.byteOrder.blank.values = []string{"little", "big"}
	w.contiguous.blank.values = senses
	flags := cmd.Flags()
	on := func(f *bool, name, usage string) { flags.BoolVar(f, name, false, usage) }
	flags.Var(&w.layout, "layout", "memory order, outermost first; gaps do not matter")
	on(&w.strict, "strict", "require that no other order matches; strides of size-1 dims count")
	flags.Var(&w.dtype, "expect-dtype", "element type; <f4 and >f4 include the byte order")
	flags.Var(&w.byteOrder, "byte-order", "byte `order` of the elements: little or big")
	flags.Var(&w.shape, "expect-shape", "sizes, as N,C,H,W if the axis order is known; * or -1 matches any")
	flags.Var(&w.rank, "rank", "number of dims")
	flags.Var(&w.fileShape, "file-shape", "shape in the file's header")
	flags.Var(&w.strides, "expect-strides", "strides, in elements")
	flags.Var(&w.offset, "expect-offset", "storage offset of the first element, in elements")
	flags.Var(&w.contiguous, "contiguous", "contiguous in this `sense`: "+strings.Join(senses, ", "))
	on(&w.packed, "packed", "dense: no gaps and no overlap, in any order")
	on(&w.noPadding, "no-padding", "the storage holds elements only")
	on(&w.noOverlap, "no-overlap", "no two elements share an address")
	on(&w.noBroadcast, "no-broadcast", "no dim has stride 0")
	flags.Var(&w.aligned, "aligned", "the first element is aligned to this many bytes in the file; in a checkpoint, that of every tensor")
	flags.Var(&w.maxBytes, "max-bytes", "the storage, with padding, has at most this many bytes")
	on(&w.finite, "finite", "no element is infinite, NaN or NaT; reads all the data")
	flags.Var(&w.acceptedBy, "accepted-by", "all of these accept it without a copy: "+strings.Join(w.acceptedBy.Words(), ", "))
	flags.Var(&w.expr, "expr", "with --view: steps of PyTorch, as trace follows them: 'x.permute(0,2,1).view(-1)'")
	on(&w.view, "view", "no step of --expr copies or is refused")
	on(&w.noUnused, "no-unused", "every byte of the storages is in a tensor")
	on(&w.noSharing, "no-sharing", "no two tensors are views of one storage")
	on(&w.weightsOnly, "weights-only", "torch.load(weights_only=True) of PyTorch 2.15 accepts every name in its pickle")
	on(&w.complete, "complete", "an index and its files agree: no tensor is missing, misplaced, doubled or unlisted, and the total size is right; slices have no gap and no overlap")
	cli.Repeatable(cmd, "layout", "expect-dtype", "byte-order", "expect-shape", "rank", "file-shape", "expect-strides", "expect-offset", "contiguous",
		"aligned", "max-bytes", "accepted-by", "expr")
	cli.Group(cmd, "Assert the memory order", "layout", "contiguous", "strict", "expect-strides", "expect-offset")
	cli.Group(cmd, "Assert elements and shape", "expect-dtype", "byte-order", "expect-shape", "rank", "file-shape", "finite")
	cli.Group(cmd, "Assert the storage", "packed", "no-padding", "no-overlap", "no-broadcast", "aligned", "max-bytes", "accepted-by", "expr", "view")
	cli.Group(cmd, "Assert a checkpoint as a whole", "no-unused", "no-sharing", "weights-only", "complete", "recipe")
	cli.Frequent(flags, "layout", "contiguous", "packed", "expect-dtype", "expect-shape", "accepted-by", "aligned", "finite", "weights-only", "from", "shape", "strides")
}

// any reports whether an assertion was given. --strict alone is not one.
func (w *wanted) any() bool { return w.aligned.given() || w.ofTensors() || w.ofCheckpoint() != "" }

// ofCheckpoint returns the flag of an assertion about a whole checkpoint or its files; "" if there is none.
func (w *wanted) ofCheckpoint() string {
	if w.noUnused {
		return "--no-unused"
	}
	if w.noSharing {
		return "--no-sharing"
	}
	return w.ofFiles()
}

// ofWhole reports whether an assertion is about a checkpoint as a whole, if the source is one.
func (w *wanted) ofWhole() bool { return w.aligned.given() || w.ofCheckpoint() != "" }

// ofFiles returns the flag of an assertion about a checkpoint's files.
func (w *wanted) ofFiles() string {
	if w.weightsOnly {
		return "--weights-only"
	}
	if w.complete {
		return "--complete"
	}
	return ""
}

// ofTensors reports whether an assertion is about each tensor. --aligned is about a whole checkpoint, if there is one.
func (w *wanted) ofTensors() bool {
	return slices.Contains([]bool{
		w.layout.given(), w.strides.given(), w.offset.given(), w.contiguous.given(),
		w.dtype.given(), w.byteOrder.given(), w.shape.given(), w.rank.given(), w.fileShape.given(), w.finite,
		w.packed, w.noPadding, w.noOverlap, w.noBroadcast, w.maxBytes.given(), w.acceptedBy.keys != nil, w.expr.given(),
	}, true)
}
