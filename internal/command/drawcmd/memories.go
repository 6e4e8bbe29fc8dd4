package drawcmd

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// memoriesFlag is a list of layouts to store the tensor in: nchw,(2,3):(5,1),own. Commas in brackets are part of a name.
// Repeated flags append to it.
type memoriesFlag struct {
	text  string
	names []string
	list  []*notation.Layout // nil for the source's own
}

func (f *memoriesFlag) String() string { return f.text }

func (f *memoriesFlag) Type() string { return "layouts" }

func (f *memoriesFlag) Set(s string) error {
	f.text = strings.Trim(f.text+","+s, ",")
	for _, name := range text.SplitNames(s) {
		var layout *notation.Layout
		if strings.ToLower(name) != "own" {
			l, err := printed.ParseName(name)
			if err != nil {
				return err
			}
			layout = &l
		}
		f.names = append(f.names, name)
		f.list = append(f.list, layout)
	}
	return nil
}

// memoriesOf returns the memories of a tensor, by default its own. Assumed dim names follow the layouts.
func (f *memoriesFlag) memoriesOf(t *source.Tensor) ([]picture.Memory, error) {
	for _, layout := range f.list {
		if layout != nil && layout.HasFormat() {
			t.AssumeLike(layout.ForRank(t.Layout.Rank()).Format)
		}
	}
	own := picture.Memory{Name: t.Layout.String(), Layout: t.Layout, Own: true}
	if t.Layout.Rank() > 0 && t.OrderIsExact() {
		setName(&own, t.OrderName(), t.Format)
	}
	if f.list == nil {
		return []picture.Memory{own}, nil
	}
	var memories []picture.Memory
	for i, layout := range f.list {
		m := own
		if layout != nil {
			var err error
			m, err = storedAs(t, f.names[i], layout)
			if err != nil {
				return nil, fault.In("--layouts "+text.Quote(f.names[i]), err)
			}
		}
		same := func(n picture.Memory) bool {
			return strings.EqualFold(n.Name, m.Name) && n.Layout.String() == m.Layout.String()
		}
		if !slices.ContainsFunc(memories, same) {
			memories = append(memories, m)
		}
	}
	return memories, nil
}

// spellsDims reports whether a name is lower-case letters of dims, and sizes of blocks: nchw4.
func spellsDims(name string, dims []string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsDigit(r) && (!unicode.IsLower(r) || !slices.Contains(dims, strings.ToUpper(string(r))))
	})
}

// setName sets a memory's name as titles spell it, and its meaning: NCHW, row-major.
func setName(m *picture.Memory, typed string, f notation.Format) {
	m.Name = titleName(typed, f)
	m.Gloss, _, _ = strings.Cut(f.Words(), ",")
}

// titleName returns a layout's name as titles spell it: nchw is NCHW.
func titleName(typed string, f notation.Format) string {
	if order, ok := orders[strings.ToLower(typed)]; ok {
		return order
	}
	if strings.EqualFold(typed, f.String()) {
		return f.String()
	}
	if spellsDims(typed, f.Names()) {
		return strings.ToUpper(typed)
	}
	return typed
}

// storedAs returns the memory of a tensor in a layout. If that is the source's own, its padding has values too.
func storedAs(t *source.Tensor, typed string, layout *notation.Layout) (picture.Memory, error) {
	bound, err := layout.For(t.Layout.Shape(), t.DType.Bits())
	if err != nil {
		return picture.Memory{}, err
	}
	m := picture.Memory{Name: typed}
	if bound.Exact != nil {
		m.Layout, err = fitting(*bound.Exact, t)
	} else {
		var format notation.Format
		m.Layout, format, err = ordered(t, bound)
		setName(&m, typed, format)
	}
	if err != nil {
		return picture.Memory{}, err
	}
	m.Own = m.Layout.String() == t.Layout.String() && m.Layout.Alloc() == t.Layout.Alloc()
	return m, nil
}

// ordered returns a tensor's layout in an order of its file's axes, or of its dims.
func ordered(t *source.Tensor, order notation.Layout) (tensor.Layout, notation.Format, error) {
	if order.Own == notation.NotOwn {
		return packedAs(t, order.Format)
	}
	return ownOrder(t, order.Own == notation.OwnFortran)
}

// packedAs returns the tensor's packed layout in a memory order, and that order with the tensor's dim names.
func packedAs(t *source.Tensor, f notation.Format) (tensor.Layout, notation.Format, error) {
	l, err := t.In(f)
	return l, t.Over(f), err
}

// ownOrder returns row-major or column-major over the file's axes, which must be the dims of the tensor.
func ownOrder(t *source.Tensor, fortran bool) (tensor.Layout, notation.Format, error) {
	f := notation.RowMajor(t.Layout.Names())
	if t.Named() && t.Format.Explicit() != f.Explicit() {
		return tensor.Layout{}, f, fault.New(fault.Usage, "the file's axes are not the dims of the picture").
			WithHint("order the dims %s, as in %s", strings.Join(t.Layout.Names(), ", "), f.Key())
	}
	if fortran {
		f = f.Reversed()
	}
	return packedAs(t, f)
}

// fitting returns a layout with the tensor's dim names; its sizes must be those of the tensor.
func fitting(exact tensor.Layout, t *source.Tensor) (tensor.Layout, error) {
	if !slices.Equal(exact.Shape(), t.Layout.Shape()) {
		return exact, fault.New(fault.Usage, "sizes %s do not match the tensor's %s", tensor.Tuple(exact.Shape()), tensor.Tuple(t.Layout.Shape())).
			WithHint("to read the source with other sizes, use --from")
	}
	if t.HasData() && exact.Occupancy().Overlapping == tensor.Yes {
		return exact, fault.New(fault.Usage, "its elements overlap, so it cannot hold the tensor").
			WithHint("to read the source's data with it: tlayout draw %s --from %s", t.Source.Arg(), text.Shell(exact.String()))
	}
	return exact.Renamed(t.Layout.Names(), exact.Alloc())
}

// storedValues returns a function that reads elements of the source's storage as text and numbers, to be called within Guard; nil
// without data.
func storedValues(t *source.Tensor) (func(offset int) (string, float64, bool), error) {
	if _, err := t.Data(); err != nil || !t.HasData() || t.DType.ItemSize() == 0 {
		return nil, err
	}
	number := numberOf(t.DType)
	return func(offset int) (string, float64, bool) {
		item, ok := t.Item(offset)
		if !ok {
			return "", 0, false
		}
		return bareValue(t.DType, item), number(item), true
	}, nil
}

// numberOf returns a function from an element to its number: the real part of complex ones, NaN for non-numeric dtypes.
func numberOf(d dtype.Type) func(item []byte) float64 {
	if !dtype.IsNumber(d) {
		return func([]byte) float64 { return math.NaN() }
	}
	parts := dtype.Parts(d)
	swap := dtype.LittleEndian(d)
	return func(item []byte) float64 {
		if swap != nil {
			item = append([]byte{}, item...)
			swap(item)
		}
		re, _ := parts(item)
		return re.Float64()
	}
}

// bareValue returns a value as cells show it: text without quotes.
func bareValue(d dtype.Type, item []byte) string {
	s := d.FormatValue(item)
	if d.Kind() != dtype.Bytes && d.Kind() != dtype.Text {
		return s
	}
	inner, opened := strings.CutPrefix(s, `"`)
	inner, closed := strings.CutSuffix(inner, `"`)
	if opened && closed && inner != "" {
		return inner
	}
	return s
}

// Limits of shortValues.
const (
	shortValue   = 6   // characters
	sampleValues = 256 // elements
)

// shortValues reports whether the first values fit into cells.
func shortValues(t *source.Tensor, value func(int) (string, float64, bool)) (short bool, err error) {
	if value == nil || t.Layout.Numel() == 0 {
		return false, nil
	}
	err = t.Guard(func() error {
		seen := 0
		for _, offset := range t.Layout.Logical() {
			text, _, ok := value(offset)
			if seen++; seen > sampleValues {
				break
			}
			if !ok || utf8.RuneCountInString(text) > shortValue {
				return nil
			}
		}
		short = true
		return nil
	})
	return short, err
}
