package threadscmd

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

const schema = "tlayout/threads/v1"

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{{Schema: schema, Prints: "threads LAYOUT", Type: reflect.TypeFor[report]()},
	{Schema: catalogueSchema, Prints: "threads", Type: reflect.TypeFor[catalogue]()}}

// report says who holds what: all elements of the tile, those of a thread, or one.
type report struct {
	document.Head
	Atom      string `json:"atom,omitempty"` // name of an atom
	Part      string `json:"part,omitempty"` // part of the atom that the tile is: A, B, C, src or dst
	Tile      []int  `json:"tile"`           // sizes
	Threads   int    `json:"thread_count"`   // threads of the layout
	Values    int    `json:"value_count"`    // values per thread
	Distinct  int    `json:"distinct_count"` // most different elements of a thread
	Warp      int    `json:"warp_size"`      // threads of a warp
	Min       int    `json:"min_owners"`     // fewest values that hold an element; 0: no thread holds it
	Max       int    `json:"max_owners"`     // most values that hold an element
	Bits      *int   `json:"element_bits"`   // bits of an element
	Registers *int   `json:"register_count"` // 32-bit registers per thread, for its different elements
	Memory    string `json:"tile_order"`     // of the tile in memory
	// whose tensor memory holds the tile
	CTAs int `json:"cta_count,omitempty" jsonschema:"of tensor memory alone, where threads are lanes, a warp is a CTA and a value is a column of an element"`
	// how the warps access the tile in memory
	Access  *accessReport `json:"access" jsonschema:"null if the bits of an element are unknown"`
	Cells   []cellReport  `json:"cells"`
	Picture *string       `json:"picture"` // file of the picture

	layout threads.Layout
	run    int    // consecutive elements of a thread
	answer string // the answer to --thread or --at; empty without
	limit  int    // elements to draw
	rows   int    // lines for the drawing; 0: any
	app    *cli.App
}

// accessReport is how the warps access the tile in memory.
type accessReport struct {
	threads.Access
	Bytes int `json:"vector_bytes"` // per thread at once
}

// cellReport is an element and who holds it.
type cellReport struct {
	Coord  []int         `json:"coord"`
	Owners []ownerReport `json:"owners"` // values that hold the element
}

// ownerReport is a value of a thread.
type ownerReport struct {
	Thread   int `json:"thread"`          // number of the thread
	Value    int `json:"value_index"`     // number of the value in its thread
	Warp     int `json:"warp"`            // number of its warp
	Lane     int `json:"lane"`            // in the warp
	Register int `json:"triton_register"` // Triton's number of the value

	Memory *threads.Cell `json:"tensor_memory,omitempty"` // where tensor memory has the element
}

func newReport(a *cli.App, o *options, l threads.Layout) (*report, error) {
	order, offset, err := o.order(l)
	if err != nil {
		return nil, err
	}
	r := &report{
		Head: document.NewHead(schema, name.Parse(text.Cut(o.layout, 200))), Tile: l.Tile, Threads: l.Threads, Values: l.Values,
		Distinct: l.Distinct(), Warp: l.Warp, Memory: order, Cells: []cellReport{}, layout: l, limit: o.limit, app: a,
	}
	if l.Atom != nil {
		r.Atom = l.Atom.Name
		r.Part = l.Part
	}
	r.Min, r.Max = l.Holders()
	r.run = l.Run(offset)
	if l.InMemory {
		r.CTAs = l.CTAs()
		r.Bits = &l.Bits
	} else if l.Bits > 0 {
		access := l.Access(offset, l.Bits)
		registers := ints.CeilDiv(r.Distinct*cmp.Or(l.Held, l.Bits), 32)
		r.Bits = &l.Bits
		r.Registers = &registers
		r.Access = &accessReport{access, ints.CeilDiv(access.Vector*l.Bits, 8)}
	}
	r.fit(a, o)
	return r, r.find(a, o)
}

// fit leaves room for the rest of the page on a terminal.
func (r *report) fit(a *cli.App, o *options) {
	if a.All {
		r.limit = 0
		return
	}
	onTerminal := a.Streams.Width > 0 && a.Format == cli.Table
	if onTerminal && !o.given("limit") {
		r.rows = max(8, a.Streams.Height-4)
	}
}

// find lists the elements that --thread or --at asks for; without them all, unless the tile is drawn instead.
func (r *report) find(a *cli.App, o *options) error {
	if o.given("at") {
		return r.findAt(o.at.Values)
	}
	if o.given("thread") {
		return r.findThread(o)
	}
	if o.given("lane") {
		return r.findLanes(o)
	}
	if a.Format == cli.Table {
		return nil
	}
	for e := range ints.Product(r.Tile) {
		r.add(r.layout.Coord(e))
	}
	return nil
}

func (r *report) findAt(coord []int) error {
	if len(coord) != len(r.Tile) {
		return fault.New(fault.Usage, "--at %s: the tile %s has %s", text.Ints(coord, ","), tensor.Tuple(r.Tile), text.Count(len(r.Tile), "dim"))
	}
	for d, i := range coord {
		if i < 0 || i >= r.Tile[d] {
			return fault.New(fault.Usage, "--at %s is outside of the tile %s", text.Ints(coord, ","), tensor.Tuple(r.Tile))
		}
	}
	r.add(coord)
	if r.layout.InMemory {
		r.answer = tensor.Tuple(coord) + " is in " + r.place(r.Cells[0].Owners)
		return nil
	}
	r.answer = tensor.Tuple(coord) + " is held by " + text.Plural(len(r.Cells[0].Owners), "one thread", text.Count(len(r.Cells[0].Owners), "value"))
	if len(r.Cells[0].Owners) == 0 {
		r.answer = "no thread holds " + tensor.Tuple(coord)
	}
	return nil
}

// findThread lists the elements of the values of a thread that --value asks for.
func (r *report) findThread(o *options) error {
	if len(o.thread.Values) == 0 {
		return fault.New(fault.Usage, "--thread names no thread").WithHint("write --thread 5, or 5,6")
	}
	values := o.value.Values
	if !o.given("value") {
		values = ints.Range(r.Values)
	}
	if len(values) == 0 {
		return fault.New(fault.Usage, "--value names no value").WithHint("write --value 0, or 0,1")
	}
	for _, t := range o.thread.Values {
		if t < 0 || t >= r.Threads {
			return fault.New(fault.Usage, "--thread %d: the layout has threads 0 to %d", t, r.Threads-1)
		}
		for _, v := range values {
			if v < 0 || v >= r.Values {
				return fault.New(fault.Usage, "--value %d: a thread has values 0 to %d", v, r.Values-1)
			}
			r.Cells = append(r.Cells, cellReport{r.layout.At(t, v), []ownerReport{r.owner(threads.Owner{Thread: t, Value: v})}})
		}
	}
	r.answer = fmt.Sprintf("%s %s: %s", text.Plural(len(o.thread.Values), "thread", "threads"), text.Ints(o.thread.Values, ", "), text.Count(len(r.Cells), "value"))
	if len(r.Cells) == 1 {
		r.answer = fmt.Sprintf("value %d of thread %d is %s", values[0], o.thread.Values[0], tensor.Tuple(r.Cells[0].Coord))
	}
	return nil
}

func (r *report) add(coord []int) {
	c := cellReport{Coord: coord, Owners: []ownerReport{}}
	for _, owner := range r.layout.Owners(coord...) {
		c.Owners = append(c.Owners, r.owner(owner))
	}
	r.Cells = append(r.Cells, c)
}

func (r *report) owner(o threads.Owner) ownerReport {
	owner := ownerReport{Thread: o.Thread, Value: o.Value, Warp: o.Thread / r.Warp, Lane: r.layout.Lane(o.Thread), Register: o.Value}
	if r.layout.InMemory {
		cell := r.layout.Cell(o)
		owner.Memory = &cell
	}
	return owner
}

// answerRows is the most rows of an answer on a page.
const answerRows = 14

// Page answers --thread or --at in a table, or draws the tile.
func (r *report) Page(p *cli.Page) {
	if r.Picture != nil {
		p.Items(text.Quote(*r.Picture) + ": " + r.title())
		return
	}
	if r.answer != "" {
		r.writeAnswer(p)
		return
	}
	if p.Markdown() {
		p.Answer(r.title())
		p.Items(r.lines()...)
		p.Section(r.Rows())
		return
	}
	r.draw(p)
}

// writeAnswer writes the elements that --thread or --at asks for.
func (r *report) writeAnswer(p *cli.Page) {
	p.Answer(r.answer)
	t := r.Rows()
	n := len(t.Rows)
	if n <= answerRows || p.All() || p.Markdown() {
		p.Section(t)
		return
	}
	t.Rows = t.Rows[:answerRows]
	p.Section(t)
	p.More(fmt.Sprintf("--all lists all %d", n))
}

// draw draws as much of the tile as the terminal holds.
func (r *report) draw(p *cli.Page) {
	shown := r.screenful()
	drawn, err := r.scene(r.limit, shown)
	for err == nil && shown != nil {
		if r.app.Lines(drawn) <= r.rows || !less(shown) {
			break
		}
		drawn, err = r.scene(0, shown)
	}
	if err != nil {
		p.Fail(err)
		return
	}
	p.Draw(drawn.Text)
	if drawn.Cut() {
		question := "--thread 5"
		if r.layout.InMemory {
			question = "--lane 5"
		}
		p.More(question, "--at 0,1", "--all", "-o x.svg")
	}
}

// screenful returns how many indices of each dim a terminal shows at most: columns that fit beside each other, and its lines; nil off a
// terminal.
func (r *report) screenful() []int {
	if r.rows == 0 {
		return nil
	}
	shown := slices.Clone(r.Tile)
	last := len(r.Tile) - 1
	for d, n := range shown[:last] {
		shown[d] = min(n, r.rows)
	}
	label := len(r.layout.Label(threads.Owner{Thread: r.Threads - 1, Value: r.Values - 1}))
	if r.Max > 1 {
		label += len(" x" + strconv.Itoa(r.Max))
	}
	if fit := (r.app.Streams.Columns() - len("i=000 ||")) / (label + 1); fit < shown[last] {
		shown[last] = max(3, fit-1) // the last column is "…"
	}
	return shown
}

// less reduces the rows, or first the planes, that are shown, and then the columns; false if few are left.
func less(shown []int) bool {
	last := len(shown) - 1
	for d, n := range shown {
		if n > 1 && d < last-1 || n > 3 {
			shown[d] -= max(1, n/8)
			return true
		}
	}
	return false
}

func (r *report) scene(limit int, shown []int) (scene.Scene, error) {
	return picture.Threads(r.layout, r.title(), r.lines(), picture.Options{Limit: limit, Shown: shown})
}

func (r *report) title() string {
	title := fmt.Sprintf("tile %s: %s with %s each", tensor.Tuple(r.Tile), text.Count(r.Threads, "thread"), text.Count(r.Values, "value"))
	if r.layout.InMemory {
		title = r.memoryTitle()
	}
	if r.layout.Atom != nil {
		return r.layout.Part + " of " + r.layout.Atom.Name + ", " + title
	}
	return title
}

// lines describes broadcast, registers and the access of a warp.
func (r *report) lines() []string {
	all := []string{r.holders()}
	if r.layout.InMemory {
		return append(append(all, memoryLines...), r.about()...)
	}
	if r.Distinct < r.Values {
		all = append(all, fmt.Sprintf("values repeat: a thread holds %s", text.Count(r.Distinct, "different element")))
	}
	if r.Registers != nil {
		all = append(all, fmt.Sprintf("%s of 32 bits per thread", text.Count(*r.Registers, "register")))
	}
	if a := r.Access; a != nil {
		all = append(all, fmt.Sprintf("%s memory: %s (%s) per access of a thread", r.Memory, text.Count(a.Vector, "element"), text.Count(a.Bytes, "byte")),
			fmt.Sprintf("32-byte sectors: %d, up to %s each, %d %% of their bytes used", a.Sectors, text.Count(a.Lanes, "lane"),
				100*a.Used/(a.Sectors*threads.Sector)))
	} else {
		all = append(all, fmt.Sprintf("%s memory: %s of a thread", r.Memory, text.Count(r.run, "consecutive element")))
	}
	return append(all, r.about()...)
}

// about says what the layout does not, what else an atom has, and where its layouts are from.
func (r *report) about() (lines []string) {
	if r.layout.Note != "" {
		lines = append(lines, r.layout.Note)
	}
	a := r.layout.Atom
	if a == nil {
		return lines
	}
	if len(a.Parts) == 1 {
		return append(lines, "source: "+a.Source)
	}
	var others []string
	for _, part := range a.Parts {
		if part != r.layout.Part {
			others = append(others, ":"+part)
		}
	}
	return append(lines, "other parts: "+strings.Join(others, ", ")+"; source: "+a.Source)
}

// holders says how many values hold an element.
func (r *report) holders() string {
	if r.Min == r.Max {
		if r.Max == 1 {
			return "each element is held once"
		}
		return fmt.Sprintf("broadcast: each element is held %d times", r.Max)
	}
	if r.Min == 0 {
		return fmt.Sprintf("some elements are held by no thread, others %s", text.Plural(r.Max, "once", fmt.Sprintf("up to %d times", r.Max)))
	}
	return fmt.Sprintf("broadcast: elements are held %d to %d times", r.Min, r.Max)
}

// Rows lists the owners, one a row.
func (r *report) Rows() render.Table {
	if r.layout.InMemory {
		return r.memoryRows()
	}
	t := render.Table{Header: []string{"coord", "thread", "value_index", "warp", "lane"}, Numbers: []int{1, 2, 3, 4}}
	for _, c := range r.Cells {
		for _, o := range c.Owners {
			t.Add(text.Ints(c.Coord, ","), strconv.Itoa(o.Thread), strconv.Itoa(o.Value), strconv.Itoa(o.Warp), strconv.Itoa(o.Lane))
		}
	}
	return t
}
