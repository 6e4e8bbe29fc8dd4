package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

const preserve tensor.MemoryFormat = "preserve"

var formats = map[string]tensor.MemoryFormat{
	"contiguous_format": tensor.ContiguousFormat, "preserve_format": preserve,
	"channels_last": tensor.ChannelsLastFormat, "channels_last_3d": tensor.ChannelsLast3D,
}

// format returns the memory format of a call, or its default.
func (s State) format(a arguments, byDefault tensor.MemoryFormat) (tensor.MemoryFormat, error) {
	if !a.has("memory_format") {
		return byDefault, nil
	}
	name := a.word("memory_format", "")
	if f, ok := formats[name]; ok {
		return f, nil
	}
	names := []string{"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"}
	err := fault.New(fault.Usage, "%s: unknown memory format %s", a.call.Name, text.Quoted(name))
	if similar := s.suggest(name); similar != "" {
		return "", err.WithHint("PyTorch calls %s %s", name, similar)
	}
	if near := text.Nearest(name, names); near != "" {
		return "", err.WithHint("did you mean %s?", near)
	}
	return "", err.WithHint("memory formats: %s; other arguments of %s do not change the layout", text.And(names), a.call.Name)
}

// suggest returns PyTorch's name for a format that the user spelled as an order of axes.
func (s State) suggest(name string) string {
	switch strings.ToLower(name) {
	case "ndhwc", "nhwc", "dhwc", "hwc":
		if s.Rank() == 5 {
			return "channels_last_3d"
		}
		return "channels_last"
	case "nchw", "ncdhw", "chw":
		return "contiguous_format"
	}
	return ""
}

// rankFor refuses a format that exists only for another rank.
func (s State) rankFor(f tensor.MemoryFormat) error {
	if f.Rank() < 0 || f.Rank() == s.Rank() {
		return nil
	}
	r := refuse("required rank %d tensor to use %s format", f.Rank(), f).
		because("%s requires %d dims, the tensor has %d", f, f.Rank(), s.Rank())
	if f == tensor.ChannelsLastFormat && s.Rank() == 5 {
		return r.withHint("use channels_last_3d for 5 dims")
	}
	if f == tensor.ChannelsLast3D && s.Rank() == 4 {
		return r.withHint("use channels_last for 4 dims; or unsqueeze(0) first adds a batch dim")
	}
	if s.Rank()+1 == f.Rank() {
		return r.withHint("unsqueeze(0) first adds a batch dim")
	}
	return r.withHint("permute(…).contiguous() makes any memory order, for any rank")
}

func (s State) contiguous(a arguments) (Step, error) {
	f, err := s.format(a, tensor.ContiguousFormat)
	if err != nil {
		return Step{}, err
	}
	required := f
	if f == preserve {
		required = tensor.ContiguousFormat
	}
	if s.IsContiguous(required) {
		return s.itself(alreadyIn(f))
	}
	if f == preserve {
		return Step{}, refuse("preserve memory format is unsupported by the contiguous operator").
			because("the tensor is not contiguous, and preserve_format is not a format").
			withHint("use contiguous() or clone()")
	}
	if err := s.rankFor(f); err != nil {
		return Step{}, err
	}
	return s.formatted(f, s.notContiguous(s.packedIn(f), string(f)))
}

func alreadyIn(f tensor.MemoryFormat) string {
	if f.Rank() > 0 {
		return fmt.Sprintf("already %s contiguous, which ignores the strides of size-1 dims: returns the tensor itself", f)
	}
	return "already contiguous: returns the tensor itself"
}

func (s State) packedIn(f tensor.MemoryFormat) tensor.Verdict {
	switch f {
	case tensor.ChannelsLastFormat:
		return s.ChannelsLast()
	case tensor.ChannelsLast3D:
		return s.ChannelsLast3D()
	}
	return s.CContiguous()
}

// notContiguous names the dim that violates contiguity.
func (s State) notContiguous(v tensor.Verdict, f string) string {
	return fmt.Sprintf("not %s: %s has stride %d, expected %d", f, s.called(v.Dim), v.Found, v.Expected)
}

// formatted returns a copy in the format.
func (s State) formatted(f tensor.MemoryFormat, reason string) (Step, error) {
	strides, _ := tensor.FormatStrides(s.Shape, f)
	to := tensor.Strided{Shape: s.Shape, Strides: strides}
	order := ints.Range(s.Rank())
	if f.Rank() > 0 {
		order = append(slices.Delete(order, 1, 2), 1)
	}
	return s.duplicate(strides, reason, packedLines(to, s.shownNames(), order)...)
}

func (s State) clone(a arguments) (Step, error) {
	f, err := s.format(a, preserve)
	if err != nil {
		return Step{}, err
	}
	if f == preserve {
		return s.duplicate(s.CloneStrides(), "", s.whyPreserved())
	}
	if err := s.rankFor(f); err != nil {
		return Step{}, err
	}
	return s.formatted(f, "")
}

func (s State) whyPreserved() string {
	if s.NonOverlappingAndDense() {
		return "dense: the copy keeps the strides"
	}
	return fmt.Sprintf("not dense: the copy keeps the memory order, without gaps and broadcasts: strides %s",
		tensor.Tuple(s.CloneStrides()))
}

// alias returns another tensor of the storage.
func (s State) alias(arguments) (Step, error) {
	return s.view(s.Strided, s.Names, "shares the storage: shape, strides and offset stay")
}

// same returns the tensor itself, on a CPU.
func (s State) same(a arguments) (Step, error) {
	return s.itself(a.call.Name + " changes neither shape nor strides: returns the tensor itself")
}

// toDevice is a copy to another device. (_to_copy in PyTorch's aten/src/ATen/native/TensorConversions.cpp)
func (s State) toDevice(arguments) (Step, error) {
	return s.duplicate(s.CloneStrides(), "to another device", s.whyPreserved())
}

// isDevice reports whether a word is a device, "cpu" or "cuda:0", or the name of one, self.device.
func isDevice(word string) bool {
	kind, _, _ := strings.Cut(word, ":")
	return slices.Contains([]string{"cpu", "cuda", "mps", "xpu", "meta", "hpu", "npu", "xla"}, kind) || isOwnDevice(word)
}

// isOwnDevice reports whether a word is the CPU, or a name for a device, which is assumed to be the tensor's.
func isOwnDevice(word string) bool {
	return word == "cpu" || strings.HasSuffix(word, "device") || word == "rank"
}

// to converts to a dtype, a device or a memory format. Its arguments are in any order, and another tensor stands for its dtype.
// (to_will_alias in PyTorch's aten/src/ATen/native/TensorConversions.cpp)
func (s State) to(a arguments) (Step, error) {
	device := ""
	given := map[string]Arg{}
	var types []Arg
	for _, name := range []string{"first", "second", "third", "dtype", "device", "memory_format"} {
		g := a.given[name]
		switch {
		case !a.has(name):
		case g.Of != nil:
			types = append(types, Arg{Kind: Word, Word: g.Of.DType.String()})
		case isTorchType(g.Word):
			types = append(types, g)
		case g.Kind == Tensor, g.Kind == Int, g.Kind == List, g.Word == "True", g.Word == "False":
		case isDevice(g.Word):
			device = g.Word
		case s.isUnknownType(g):
			return Step{}, fault.New(fault.Usage, "the value of %s is not known", text.Quote(g.Word)).
				WithHint("give it in a step before: %s=torch.float16", text.Quote(g.Word))
		default:
			given["memory_format"] = g
		}
	}
	if len(types) > 1 {
		return Step{}, fault.New(fault.Usage, "to: dtype is given twice").WithHint("to takes one dtype, or one tensor that has it")
	}
	if len(types) == 1 {
		given["dtype"] = types[0]
	}
	copies := a.word("copy", "False") == "True"
	a.given = given
	step, err := s.toTyped(a)
	if err != nil || step.Kind != Self {
		return step, err
	}
	if copies {
		return s.duplicate(s.CloneStrides(), "copy=True", s.whyPreserved())
	}
	if device == "" {
		return step, nil
	}
	if isOwnDevice(device) {
		why := "the tensor is on a CPU already: returns the tensor itself"
		if device != "cpu" {
			why = device + " is assumed to be the tensor's own: returns the tensor itself"
		}
		return s.itself(why)
	}
	return s.toDevice(a)
}

// isUnknownType reports whether an argument is a name without a value, and not a misspelt memory format.
func (s State) isUnknownType(g Arg) bool {
	if g.Kind != Word || formats[g.Word] != "" || s.suggest(g.Word) != "" {
		return false
	}
	return text.Nearest(g.Word, slices.Sorted(maps.Keys(formats))) == ""
}

// toTyped is to of a dtype and a memory format.
func (s State) toTyped(a arguments) (Step, error) {
	if len(a.given) == 0 {
		return s.itself("nothing changes: returns the tensor itself")
	}
	to, err := s.newType(a)
	if err != nil {
		return Step{}, err
	}
	onlyFormat := !a.has("dtype") || to.Equal(s.DType) && a.has("memory_format")
	if onlyFormat {
		return s.toFormat(a)
	}
	return s.convert(a)
}

// toFormat is to of the tensor's own type.
func (s State) toFormat(a arguments) (Step, error) {
	f, err := s.format(a, "")
	if err != nil {
		return Step{}, err
	}
	hint := s.SuggestMemoryFormat()
	if f == preserve {
		return s.itself("preserve_format requires nothing: returns the tensor itself")
	}
	if hint == f {
		return s.itself(fmt.Sprintf("suggest_memory_format is %s already: returns the tensor itself", f))
	}
	if err := s.rankFor(f); err != nil {
		return Step{}, err
	}
	why := fmt.Sprintf("to compares with suggest_memory_format, which is %s", hint)
	if s.IsContiguous(f) {
		why += fmt.Sprintf("; unlike is_contiguous(%s), it looks at the strides of size-1 dims", f)
	}
	return s.formatted(f, why)
}

// toNumPy returns an array of the storage, whose steps follow NumPy's rules.
func (s State) toNumPy(arguments) (Step, error) {
	if name := s.DType.String(); name == "bfloat16" {
		return Step{}, refuse("Got unsupported ScalarType BFloat16").withHint("float() first")
	}
	s.Rules = NumPy
	return s.view(s.Strided, s.Names, "an array of the same storage; the next steps follow NumPy's rules")
}
