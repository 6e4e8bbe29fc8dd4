package pairing

import (
	"slices"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Made is a tensor of one side whose elements are those of rows of tensors of the other.
type Made struct {
	Target int           // the number of its item
	InA    bool          // the target is in a
	Parts  []Arrangement // the whole tensor, or each of its outermost slices
	Pieces []Piece
	Cast   *Cast // nil if the elements are those of the sources, bit for bit
}

// Cast says that elements were rounded to another dtype.
type Cast struct{ From, To string }

// isOfType reports whether two types are equal but for their byte orders.
func isOfType(a, b dtype.Type) bool { return a.LittleEndian().Equal(b.LittleEndian()) }

// Piece is a copy: elements of a tensor of one side are elements of the target.
type Piece struct {
	Name string `json:"name"` // its name
	// From is a layout of its storage, To of the target's: the same dims.
	From, To tensor.Layout `json:"-"`
	FromText string        `json:"from_layout"` // From, in elements of its storage
	ToText   string        `json:"to_layout"`   // To, in elements of the target's

	item int
}

// NewPiece returns a copy of elements of a tensor of that name.
func NewPiece(name string, from, to tensor.Layout) Piece {
	return Piece{Name: name, From: from, To: to, FromText: from.String(), ToText: to.String()}
}

func (m *making) newPiece(item int, from, to tensor.Layout) Piece {
	p := NewPiece(m.sources[item].Name, from, to)
	p.item = item
	return p
}

// Sources returns the numbers of the items that the target is made of.
func (m Made) Sources() (items []int) {
	for _, p := range m.Pieces {
		if !slices.Contains(items, p.item) {
			items = append(items, p.item)
		}
	}
	return items
}

// FindMade finds the tensors of each side that are made of rows of the other side's: joined, interleaved, cut out, or in another order. The
// targets are numbers of items. What is found was compared element by element.
func FindMade(sides [2]Side, items [2][]relate.Item, targets [2][]int) (found []Made) {
	for side := range sides {
		other := 1 - side
		if len(targets[side]) == 0 || len(items[other]) == 0 {
			continue
		}
		m := making{target: sides[side], source: sides[other], items: items[side], sources: items[other], inA: side == 0}
		m.wanted = m.target.want(m.items, targets[side])
		var sources []int
		for i, x := range m.sources {
			if x.Type != "" && !x.Print.Constant() {
				sources = append(sources, i)
			}
		}
		m.wanted.look(m.source, m.sources, sources)
		for _, i := range targets[side] {
			if made := m.find(i); made != nil {
				found = append(found, *made)
			}
		}
	}
	return found
}

// making finds what the tensors of one side are made of.
type making struct {
	target, source Side
	items, sources []relate.Item // of both
	inA            bool
	wanted         *wanted
}

// find finds what a tensor is made of: its rows along a dim, or else those of each outermost slice.
func (m *making) find(item int) (made *Made) {
	t, err := m.target.Open(m.items[item].Name)
	if err != nil {
		return nil
	}
	defer t.Close()
	t.Guard(func() error { //nolint:errcheck // nothing is found
		x, err := m.target.read(item, t)
		if err != nil || len(x.Bytes) == 0 {
			return err
		}
		made = m.make(t, x)
		return nil
	})
	return made
}

// make makes a tensor of rows.
func (m *making) make(t *source.Tensor, x dense) *Made {
	byOuter := map[int][]Arrangement{}
	for _, c := range x.cuts() {
		a, ok := m.arrange(t, x, c)
		if !ok {
			continue
		}
		if c.Outer == Entire {
			return m.made(x.item, []Arrangement{a})
		}
		if byOuter[c.Outer] == nil {
			byOuter[c.Outer] = []Arrangement{a}
		}
	}
	if len(x.Shape) == 0 || len(byOuter) != x.Shape[0] {
		return nil
	}
	var slices []Arrangement
	for e := range x.Shape[0] {
		slices = append(slices, byOuter[e]...)
	}
	return m.made(x.item, slices)
}

func (m *making) made(item int, parts []Arrangement) *Made {
	made := &Made{Target: item, InA: m.inA, Parts: parts}
	first := parts[0]
	if !isOfType(first.from, first.to) {
		made.Cast = &Cast{first.from.String(), first.to.String()}
	}
	for _, a := range parts {
		made.Pieces = append(made.Pieces, a.pieces...)
	}
	return made
}

// Arrangement is the rows of a target's cut as runs of rows of sources.
type Arrangement struct {
	Cut
	Target  string // its name
	Shape   []int  // of the target
	Runs    []relate.Run
	Blocks  []relate.Block
	Sources []Source // by Run.Source

	pieces   []Piece
	from, to dtype.Type // of the elements of a source and the target
}

// Source is a tensor that an arrangement has rows of.
type Source struct {
	Cut
	Name     string
	Shape    []int
	N        int       // rows
	Relation *Relation // of its rows to the target's, if their elements are in another order
}

// arrange finds the rows of a cut among those of sources.
func (m *making) arrange(t *source.Tensor, x dense, c Cut) (a Arrangement, ok bool) {
	candidates := m.wanted.sourcesOf(c)
	if len(candidates) == 0 {
		return a, false
	}
	rows := make([][]relate.Fingerprint, len(candidates))
	tensors := make([]*source.Tensor, len(candidates))
	for k, source := range candidates {
		s, err := m.source.Open(m.sources[source.Item].Name)
		if err != nil {
			return a, false
		}
		defer s.Close()
		tensors[k] = s
		err = s.Guard(func() error {
			y, err := m.source.read(source.Item, s)
			if err != nil {
				return err
			}
			y, ok = y.as(x.Type)
			if ok {
				rows[k] = y.rows(source)
			}
			return nil
		})
		if err != nil {
			return a, false
		}
	}
	a = Arrangement{Cut: c, Target: m.items[c.Item].Name, Shape: x.Shape, Runs: relate.Arrange(x.rows(c), rows), Sources: make([]Source, len(candidates))}
	for k, source := range candidates {
		a.Sources[k] = Source{Cut: source, Name: m.sources[source.Item].Name, Shape: tensors[k].Layout.Shape(), N: len(rows[k])}
	}
	if !a.isShort() {
		return a, false
	}
	a.Blocks = relate.Blocks(a.Runs)
	if len(a.Blocks) > maxBlocks {
		return a, false
	}
	for _, b := range a.Blocks {
		p, ok := m.piece(t, &a, tensors[b.Source], b)
		if !ok {
			return a, false
		}
		a.pieces = append(a.pieces, p)
		a.from = tensors[b.Source].DType
	}
	a.to = t.DType
	return a, true
}

// minElementsOfRun is the mean number of elements of a run below which it may be there by chance.
const minElementsOfRun = 4

// maxBlocks bounds the copies of which a tensor is made: beyond, its rows are in an order of their own, which says nothing.
const maxBlocks = 1 << 12

// isShort reports whether the runs are there, and so few that they say something of the target.
func (a *Arrangement) isShort() bool {
	n := 1
	for _, size := range a.Shape {
		n *= size
	}
	if a.Outer != Entire {
		n /= a.Shape[0]
	}
	return len(a.Runs) > 0 && n >= minElementsOfRun*len(a.Runs)
}

// piece returns the layouts of a block in the storage of both, and compares the elements.
func (m *making) piece(t *source.Tensor, a *Arrangement, s *source.Tensor, b relate.Block) (p Piece, ok bool) {
	from := &a.Sources[b.Source]
	target, targetDim, ok := a.strided(t)
	rows, dim, alsoOK := from.strided(s)
	if !ok || !alsoOK {
		return p, false
	}
	n := 1
	loops := b.Loops
	if len(loops) > 0 && loops[0].From == 1 && loops[0].To == 1 {
		n = loops[0].N
		loops = loops[1:]
	}
	first := narrowed(rows, dim, b.From, n)
	second := narrowed(target, targetDim, b.To, n)
	repeated := func(reading tensor.Strided) (Piece, bool) {
		one, two := first, reading
		for _, l := range loops {
			one = looped(one, l.N, l.From*rows.Strides[dim])
			two = looped(two, l.N, l.To*target.Strides[targetDim])
		}
		p := m.newPiece(from.Item, layoutOf(one, s), layoutOf(two, t))
		return p, m.equal(View{s, p.From}, View{t, p.To})
	}
	if reading, ok := inOrder(first, second, dim, targetDim); ok {
		p, ok := repeated(reading)
		if ok {
			return p, true
		}
	}
	r := m.related(View{s, layoutOf(first, s)}, View{t, layoutOf(second, t)})
	if r == nil {
		return p, false
	}
	from.Relation = r
	if reading, ok := r.Reading.Strided(); ok {
		return repeated(reading)
	}
	return m.newPiece(from.Item, layoutOf(first, s), r.Reading), len(loops) == 0
}

// narrowed returns n slices of a view from one on.
func narrowed(v tensor.Strided, dim, from, n int) tensor.Strided {
	v.Shape = slices.Clone(v.Shape)
	v.Shape[dim] = n
	v.Offset += from * v.Strides[dim]
	return v
}

// looped returns n times a view, a stride apart.
func looped(v tensor.Strided, n, stride int) tensor.Strided {
	v.Shape = append([]int{n}, v.Shape...)
	v.Strides = append([]int{stride}, v.Strides...)
	return v
}

// layoutOf returns a view of a tensor's storage as a layout.
func layoutOf(v tensor.Strided, t *source.Tensor) tensor.Layout {
	l, err := v.Layout(nil, t.Layout.Alloc())
	if err != nil {
		panic(err) // a part of a layout is one
	}
	return l
}

// inOrder reads the target with the source's dims, if its others have the same sizes in the same order.
func inOrder(source, target tensor.Strided, dim, targetDim int) (reading tensor.Strided, ok bool) {
	reading = tensor.Strided{Shape: source.Shape, Strides: make([]int, source.Rank()), Offset: target.Offset}
	reading.Strides[dim] = target.Strides[targetDim]
	others := slices.Delete(ints.Range(target.Rank()), targetDim, targetDim+1)
	for d, n := range source.Shape {
		if d == dim {
			continue
		}
		if len(others) == 0 || target.Shape[others[0]] != n {
			return reading, false
		}
		reading.Strides[d] = target.Strides[others[0]]
		others = others[1:]
	}
	return reading, len(others) == 0
}

// related returns the relation of rows of a target to those of a source, if that makes all of them.
func (m *making) related(source, target View) *Relation {
	budget := relate.NewWork().Budget(source.Bytes() + target.Bytes())
	sameElements := isOfType(source.Tensor.DType, target.Tensor.DType)
	r, err := Related(source, target, Search{SameElements: sameElements, Budget: budget, Convert: m.target.Convert})
	if err != nil || r == nil || !r.isExact() {
		return nil
	}
	return r
}

// isExact reports whether a layout of b's storage has all of a's elements.
func (r *Relation) isExact() bool { return r.CanRead && r.Explained == 1 }

// equal reports whether two views have equal elements.
func (m *making) equal(a, b View) bool {
	first, errA := a.side()
	second, errB := b.side()
	if errA != nil || errB != nil {
		return false
	}
	var rule diff.Rule
	if !isOfType(first.DType, second.DType) {
		near := relate.Rounding(second.DType)
		rule = diff.Rule{Numeric: true, RTol: near.RTol, ATol: near.ATol}
	}
	found, err := diff.Run(first, second, rule, diff.Options{Brief: true, Convert: m.target.Convert})
	return err == nil && found.Differing == 0
}
