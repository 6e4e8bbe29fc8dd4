package trace

import (
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// creator is a function that makes a tensor.
type creator struct {
	params string // positional ones, separated by blanks; *size takes ints, or a list of them
	fill   func(creation) (creation, error)
}

// creation is a tensor to be made: its arguments by name, and then its shape, dtype and strides. Without a dtype it is the framework's float.
type creation struct {
	Call
	given   map[string]Arg
	shape   []int
	dtype   string
	strides []int // nil if it is contiguous
}

// makers are the functions of each framework. (signatures of PyTorch 2.15 and NumPy 2.4)
var makers = map[Rules]map[string]creator{
	PyTorch: {
		"zeros": {"*size", creation.sized}, "ones": {"*size", creation.sized}, "empty": {"*size memory_format", creation.sized}, "rand": {"*size", creation.sized},
		"randn": {"*size", creation.sized}, "full": {"size fill_value", creation.filled}, "arange": {"start end step", creation.counted},
		"linspace": {"start end steps", creation.stepped}, "logspace": {"start end steps base", creation.stepped}, "eye": {"n m", creation.square},
		"tensor": {"data", creation.listed}, "as_tensor": {"data dtype", creation.listed}, "randint": {"low high size", creation.drawn},
		"randperm": {"n", creation.permuted}, "empty_strided": {"size stride", creation.strided},
	},
	NumPy: {
		"zeros": {"shape dtype order", creation.sized}, "ones": {"shape dtype order", creation.sized}, "empty": {"shape dtype order", creation.sized},
		"full": {"shape fill_value dtype order", creation.filled}, "arange": {"start stop step dtype", creation.counted},
		"linspace": {"start stop num", creation.stepped}, "eye": {"N M k dtype order", creation.square}, "identity": {"n dtype", creation.square},
		"array": {"object dtype", creation.listed}, "asarray": {"object dtype", creation.listed},
		"random.rand": {"*size", creation.sized}, "random.randn": {"*size", creation.sized}, "random.random": {"size", creation.sized},
		"random.uniform": {"low high size", creation.sized}, "random.normal": {"loc scale size", creation.sized},
		"random.randint": {"low high size dtype", creation.drawn},
	},
}

// withoutLayout are keywords that change neither shape nor strides.
var withoutLayout = []string{"device", "requires_grad", "pin_memory", "generator"}

// printers are the functions as which a framework prints a tensor, without its module: tensor([[1., 2.]]), array([1, 2]).
var printers = map[Rules]string{PyTorch: "tensor", NumPy: "array"}

// makes reports whether a call, n in the text, makes a tensor. asarray does of a list, and not of an array.
func (c Call) makes(r Rules, n node) bool {
	if c.Module == "" {
		return printers[r] == c.Name
	}
	if c.Name == "asarray" && len(n.args) > 0 && n.args[0].kind != listed {
		return false
	}
	_, ok := makers[r][c.Name]
	return c.Module == r && ok
}

// factory is a function that makes a tensor: torch.zeros(2, 3), np.arange(8), and a print, tensor([[1., 2.]]).
func (sc *script) factory(n node, c Call) (prepared, error) {
	args, keywords, err := sc.arguments(n, 0)
	if err != nil {
		return prepared{}, err
	}
	if slices.ContainsFunc(args, func(g Arg) bool { return g.Of != nil }) {
		isItself := c.Module == PyTorch && len(args) == 1
		if isItself && len(keywords) == 0 {
			return valued(args[0], nil)
		}
		return prepared{}, stop(c.Name, "what it makes of a tensor is not known")
	}
	m := creation{Call: c}
	f := makers[sc.now.Rules][c.Name]
	m.given, err = f.bind(c, args, keywords)
	if err == nil {
		m, err = f.fill(m)
	}
	if err != nil {
		return prepared{}, err
	}
	step, err := m.step(sc.now.Rules)
	if err != nil {
		return prepared{}, err
	}
	step.Call = c
	step.State.Storage.isNew = !sc.start.Storage.isNone
	sc.made[&step.State] = step
	return valued(Arg{Kind: Tensor, Of: &step.State}, nil)
}

// bind binds arguments to the names of the parameters. A keyword that is not one of them ends the claim, unless it changes no layout.
func (f creator) bind(c Call, args []Arg, keywords map[string]Arg) (map[string]Arg, error) {
	params := strings.Fields(f.params)
	given := map[string]Arg{}
	if first, ok := strings.CutPrefix(params[0], "*"); ok {
		params[0] = first
		isInts := len(args) > 0 && args[0].Kind != List
		if isInts {
			args = []Arg{{Kind: List, List: args}}
		}
	}
	if len(args) > len(params) {
		return nil, fault.New(fault.Usage, "%s takes %s: %s", c.Name, text.Count(len(params), "positional argument"), strings.Join(params, ", "))
	}
	for i, g := range args {
		given[params[i]] = g
	}
	for name, g := range keywords {
		if slices.Contains(withoutLayout, name) {
			continue
		}
		if !slices.Contains(params, name) && !slices.Contains(keywordsOf(c), name) {
			return nil, stop(c.Name, "what its argument %s changes is not known", name)
		}
		given[name] = g
	}
	for name, g := range given {
		isNumber := !slices.Contains([]string{"dtype", "order", "memory_format"}, name)
		if isNumber && g.isUnknown() {
			return nil, unknownNumber(g.Word)
		}
	}
	return given, nil
}

// keywordsOf returns the keywords that a function has beside its parameters. PyTorch prints the size of an empty tensor.
func keywordsOf(c Call) []string {
	if c.Name == printers[PyTorch] {
		return []string{"dtype", "size"}
	}
	return []string{"dtype"}
}

// isUnknown reports whether an argument is a name without a value.
func (g Arg) isUnknown() bool {
	isValue := isFloatWord(g.Word) || isConstant(g.Word)
	return g.Kind == Word && isName(g.Word) && !isValue
}

// pythonTypes are the types of Python that stand for a dtype.
var pythonTypes = map[string]string{"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}

// step returns the step that makes the tensor.
func (m creation) step(r Rules) (Step, error) {
	typ := typed("float32")
	if r == NumPy {
		typ = typed("float64")
	}
	if m.dtype != "" {
		typ = typed(m.dtype)
	}
	if g, ok := m.given["dtype"]; ok && g.Kind != None {
		name, err := g.dtypeName(m.Name)
		if err != nil {
			return Step{}, err
		}
		typ = typed(name)
	}
	if err := refuseNegative(m.shape); err != nil {
		return Step{}, err
	}
	blank := State{Rules: r, DType: typ, ItemSize: typ.ItemSize(), Storage: &Storage{}}
	to, err := m.layout(r)
	if err != nil {
		return Step{}, err
	}
	return blank.computed(to, make([]string, to.Rank()), typ, "a new tensor")
}

// dtypeName returns the name of a dtype argument.
func (g Arg) dtypeName(function string) (string, error) {
	if name := pythonTypes[g.Word]; name != "" {
		return name, nil
	}
	if name, _ := torchType(g.Word); name != "" {
		return name, nil
	}
	d, err := dtype.Parse(g.Word)
	if g.Kind != Word || err != nil {
		return "", stop(function, "the dtype %s is not known", g)
	}
	return d.String(), nil
}

// layout returns the shape and strides.
func (m creation) layout(r Rules) (tensor.Strided, error) {
	order := m.given["order"].Word
	isEmpty := slices.Contains(m.shape, 0)
	if m.strides != nil {
		return tensor.NewStrided(m.shape, m.strides, 0)
	}
	if r == NumPy && isEmpty {
		return tensor.NewStrided(m.shape, make([]int, len(m.shape)), 0)
	}
	if order == "F" {
		return tensor.ColumnMajor(m.shape)
	}
	if order != "" && order != "C" {
		return tensor.Strided{}, fault.New(fault.Usage, "%s: order must be C or F, not %s", m.Name, order)
	}
	if f := formats[m.given["memory_format"].Word]; f != "" && f != preserve {
		strides, ok := tensor.FormatStrides(m.shape, f)
		if !ok {
			return tensor.Strided{}, refuse("%s takes a tensor of another rank", m.given["memory_format"].Word)
		}
		return tensor.NewStrided(m.shape, strides, 0)
	}
	return tensor.Packed(m.shape)
}

// ints returns a shape argument; its last dim may not be missing.
func (m creation) ints(names ...string) ([]int, error) {
	for _, name := range names {
		g, ok := m.given[name]
		if !ok {
			continue
		}
		for _, x := range append(g.List, g) {
			if x.Kind == Word && isName(x.Word) {
				return nil, unknownNumber(x.Word)
			}
		}
		if g.Kind == Int || g.isIntList() {
			return g.all(), nil
		}
	}
	return nil, fault.New(fault.Usage, "%s: sizes must be ints", m.Name)
}

// number returns a number; ok is false without one.
func (m creation) number(name string) (x float64, ok bool) {
	g, ok := m.given[name]
	if !ok {
		return 0, false
	}
	return g.float()
}

func (m creation) sized() (creation, error) {
	var err error
	m.shape, err = m.ints("size", "shape")
	return m, err
}

func (m creation) filled() (creation, error) {
	value, ok := m.given["fill_value"]
	if !ok {
		return m, fault.New(fault.Usage, "%s: missing fill_value", m.Name)
	}
	m.dtype = m.typeOf(value)
	return m.sized()
}

// typeOf returns the dtype of numbers; "" for floats, which have the framework's.
func (m creation) typeOf(g Arg) string {
	if d := promoteData(g); d != typed("float32") {
		return d.String()
	}
	return ""
}

// listed is a tensor of nested lists; size is what PyTorch prints beside the list of an empty one.
func (m creation) listed() (creation, error) {
	if _, ok := m.given["size"]; ok {
		return m.sized()
	}
	data, ok := m.given["data"]
	if !ok {
		data, ok = m.given["object"]
	}
	if !ok {
		return m, fault.New(fault.Usage, "%s: missing data", m.Name)
	}
	var err error
	m.shape, err = shapeOf(data)
	m.dtype = m.typeOf(data)
	return m, err
}

// counted is arange, of ⌈(end - start) / step⌉ elements.
func (m creation) counted() (creation, error) {
	end := "end"
	if _, ok := m.given["stop"]; ok {
		end = "stop"
	}
	bounds := map[string]float64{"start": 0, "step": 1}
	m.dtype = "int64"
	for _, name := range []string{"start", end, "step"} {
		g, ok := m.given[name]
		if !ok {
			continue
		}
		x, ok := g.float()
		if !ok {
			return m, fault.New(fault.Usage, "%s: %s is not a number", m.Name, g)
		}
		bounds[name] = x
		if g.Kind == Number {
			m.dtype = "" // the framework's float
		}
	}
	if _, ok := bounds[end]; !ok { // arange(end)
		bounds[end] = bounds["start"]
		bounds["start"] = 0
	}
	if bounds["step"] == 0 {
		return m, refuse("step must be nonzero")
	}
	n := math.Ceil((bounds[end] - bounds["start"]) / bounds["step"])
	if n < 0 && m.Module == NumPy {
		n = 0
	}
	if n < 0 {
		return m, refuse("upper bound and lower bound inconsistent with step sign")
	}
	if math.IsNaN(n) || n > 1<<40 {
		return m, fault.New(fault.Unsupported, "%s: %g elements are too many", m.Name, n)
	}
	m.shape = []int{int(n)}
	return m, nil
}

// stepped is linspace and logspace, of as many elements as given, in NumPy by default 50.
func (m creation) stepped() (creation, error) {
	_, hasStart := m.number("start")
	_, hasEnd := m.number("end")
	_, hasStop := m.number("stop")
	if !hasStart || !hasEnd && !hasStop {
		return m, fault.New(fault.Usage, "%s: missing start and end", m.Name)
	}
	if _, ok := m.given["num"]; m.Module == NumPy && !ok {
		m.shape = []int{50}
		return m, nil
	}
	var err error
	m.shape, err = m.ints("steps", "num")
	return m, err
}

// square is eye: a matrix of n rows, and by default as many columns.
func (m creation) square() (creation, error) {
	rows, err := m.ints("n", "N")
	if err != nil {
		return m, err
	}
	columns := rows
	_, hasLower := m.given["m"]
	_, hasUpper := m.given["M"]
	if hasLower || hasUpper {
		columns, err = m.ints("m", "M")
	}
	m.shape = append(slices.Clone(rows), columns...)
	return m, err
}

// drawn is randint(high, size) and randint(low, high, size).
func (m creation) drawn() (creation, error) {
	m.dtype = "int64"
	if high, ok := m.given["high"]; ok && high.Kind == List { // the second of two is the size
		m.given["size"] = high
	}
	var err error
	m.shape, err = m.ints("size")
	return m, err
}

func (m creation) permuted() (creation, error) {
	m.dtype = "int64"
	var err error
	m.shape, err = m.ints("n")
	return m, err
}

func (m creation) strided() (creation, error) {
	var err error
	m.shape, err = m.ints("size")
	if err == nil {
		m.strides, err = m.ints("stride")
	}
	return m, err
}

// isFloatWord reports whether a word is a float, as frameworks print it.
func isFloatWord(word string) bool { return word == "nan" || word == "inf" }

// promoteData returns the dtype of numbers; float32 of floats.
func promoteData(g Arg) dtype.Type {
	if isFloatWord(g.Word) {
		return typed("float32")
	}
	if g.Kind != List {
		return g.numberType()
	}
	if len(g.List) == 0 {
		return typed("float32")
	}
	d := promoteData(g.List[0])
	for _, x := range g.List[1:] {
		d = promote(d, promoteData(x))
	}
	return d
}
