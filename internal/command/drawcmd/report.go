package drawcmd

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{{Schema: "tlayout/draw/v1", Prints: "draw", Type: reflect.TypeFor[report]()}}

// report is a picture as data for other programs to draw, or the file that was written.
type report struct {
	document.Head
	DType    string   `json:"dtype"`
	ItemSize int      `json:"itemsize"`
	Dims     []string `json:"dims"`
	Shape    []int    `json:"shape"`
	Layout   string   `json:"layout"` // memory order by name, outermost axis first: NHWC; shape:strides without a name
	Assumed  bool     `json:"layout_assumed"`
	Elements int      `json:"numel"`
	Drawn    int      `json:"drawn_elems"` // elements in the picture
	// the file that was written
	File     *fileReport    `json:"file" jsonschema:"null if the picture follows"`
	Labels   []string       `json:"labels"` // text in the cells
	Title    string         `json:"title"`
	Lines    []string       `json:"lines"`          // text, line by line
	Scale    *scene.Scale   `json:"scale"`          // meaning of the tints
	Grid     []scene.Band   `json:"grid,omitempty"` // the tensor, plane by plane
	Memories []memoryReport `json:"memories"`       // memory of each layout

	picture *scene.Scene // nil if a file was written
	more    bool         // the page names the flags that show the rest

	dtype dtype.Type
}

// fileReport is a file that was written.
type fileReport struct {
	Path  string `json:"path"`                  // path of the file
	Raw   []byte `json:"path_base64,omitempty"` // its bytes, if not UTF-8
	Kind  kind   `json:"kind"`                  // its kind, in a word
	Bytes int64  `json:"bytes"`
}

// memoryReport is a storage of the tensor. Strides and offset count elements; rows are absent if a file was written.
type memoryReport struct {
	Name    string   `json:"name"`   // its name
	Layout  string   `json:"layout"` // memory order by name, outermost axis first: NHWC; shape:strides without a name
	Strides []int    `json:"strides" jsonschema:"null for a blocked layout"`
	Offset  int      `json:"storage_offset"`
	Alloc   int      `json:"storage_elems"`
	Width   int      `json:"width,omitempty"`      // cells per line of memory
	Line    int      `json:"line_bytes,omitempty"` // size of a cache line
	Lines   []string `json:"lines,omitempty"`      // text, line by line
	// bank conflicts of a warp in shared memory
	Banks *banksReport      `json:"banks" jsonschema:"null without --banks"`
	Rows  []scene.MemoryRow `json:"rows,omitempty"` // rows of a table or picture
}

// banksReport is the cost of accessing all elements in shared memory, in accesses of threads that are served together.
type banksReport struct {
	shared.BankCounts
	Conflicts int `json:"conflicts"` // transactions minus accesses
}

// banks counts the conflicts in a memory; it returns nil without --banks, or on an error, which the picture returns too.
func (j *job) banks(m picture.Memory) *banksReport {
	if j.look.Banks == "" {
		return nil
	}
	c, err := shared.Simulate(j.look.Banks, m.Layout, max(1, j.tensor.DType.ItemSize()))
	if err != nil {
		return nil
	}
	return &banksReport{c.BankCounts, c.Conflicts()}
}

// newReport returns the report of a picture without its scene.
func newReport(j *job) *report {
	t := j.tensor
	l := j.tensor.Layout
	r := &report{
		Head: document.NewHead("tlayout/draw/v1", t.Source, j.warnings()...), DType: t.DType.String(), ItemSize: t.DType.WholeBytes(),
		Dims: l.Names(), Shape: l.Shape(), Layout: t.LayoutName(), Assumed: t.Assumed(), Elements: l.Numel(), Labels: labelNames(j.look.Labels),
		Title: j.subject.Name, Lines: []string{},
	}
	r.dtype = t.DType
	r.Notes = j.notes()
	for _, m := range j.memories {
		memory := memoryReport{Name: m.Name, Layout: m.Layout.String(), Offset: m.Layout.Offset(), Alloc: m.Layout.Alloc()}
		memory.Banks = j.banks(m)
		if strided, plain := m.Layout.Strided(); plain {
			memory.Strides = strided.Strides
		}
		r.Memories = append(r.Memories, memory)
	}
	return r
}

func (r *report) addScene(s *scene.Scene) {
	r.picture = s
	r.Drawn = s.Tensor.Elements()
	r.Lines = append(r.Lines, s.Lines...)
	r.Grid = s.Tensor.Bands
	if s.Scale.Name != "" {
		r.Scale = &s.Scale
	}
	for i, m := range s.Memories {
		to := &r.Memories[i]
		to.Width = m.Width
		to.Line = m.Line
		to.Lines = m.Lines
		to.Rows = m.Rows
	}
}

// Page draws the picture, or lists the cells of memory in Markdown, or names the file that was written.
func (r *report) Page(p *cli.Page) {
	r.body(p)
	p.Notes(r.Notes)
}

// body writes the page without its notes.
func (r *report) body(p *cli.Page) {
	if r.File != nil {
		p.Items(r.answer())
		return
	}
	if p.Markdown() {
		p.Answer(r.Title)
		p.Section(r.cells())
		return
	}
	p.Draw(r.picture.Text)
	if r.more {
		p.More("--all", "-o x.svg")
	}
}

// Rows returns the cells of memory, or the file that was written.
func (r *report) Rows() render.Table {
	if r.File == nil {
		return r.cells()
	}
	t := render.Table{Header: []string{"path", "kind", "bytes", "memory_count", "numel", "drawn_elems"}}
	t.Add(text.Quote(r.File.Path), string(r.File.Kind), fmt.Sprint(r.File.Bytes), fmt.Sprint(len(r.Memories)),
		fmt.Sprint(r.Elements), fmt.Sprint(r.Drawn))
	return t
}

// cells lists the drawn cells of memory.
func (r *report) cells() render.Table {
	t := render.Table{Title: "Cells of memory", Header: []string{"memory", "offset", "byte"}, Numbers: []int{1, 2}}
	t.Header = append(append(t.Header, r.Labels...), "kind", "tint", "step")
	for _, m := range r.Memories {
		for _, row := range m.Rows {
			for i, c := range row.Cells {
				t.Add(r.cellRow(m.Name, int(row.Address)+i, c)...)
			}
		}
	}
	return t
}

func (r *report) cellRow(memory string, offset int, c scene.Cell) []string {
	row := []string{memory, strconv.Itoa(offset), strconv.Itoa(r.dtype.ByteOf(offset))}
	for i := range r.Labels {
		label := "x"
		if i < len(c.Labels) {
			label = c.Labels[i]
		}
		row = append(row, label)
	}
	tint := ""
	step := ""
	if c.Tint != scene.NoTint {
		tint = strconv.Itoa(int(c.Tint))
	}
	if c.Step > 0 {
		step = strconv.Itoa(c.Step)
	}
	return append(row, c.Kind.String(), tint, step)
}

// orders are the titles of C and Fortran order.
var orders = map[string]string{"c": "C order", "fortran": "Fortran order"}

// title returns the first line of the picture: x.npy: float32 [2, 64, 3, 3], NCHW (assumed). It omits a default order that no
// memory has.
func (j *job) title() string {
	t := j.tensor
	title := fmt.Sprintf("%s [%s]", text.Shorten(t.DType.String()), text.Ints(t.Layout.Shape(), ", "))
	if t.Kind != "shape" {
		title = t.Source.Below(t.Path) + ": " + title
	}
	name := t.OrderName()
	if order, ok := orders[name]; ok {
		name = order
		if t.Layout.Rank() == 1 {
			name = "" // with one dim, all orders are equal
		}
	}
	if name == "" || t.Layout.Rank() == 0 || j.undrawnDefault() {
		return title
	}
	if t.Assumed() {
		name += t.OrderMark()
	}
	return title + ", " + name
}

// undrawnDefault reports whether the tensor's order is the default of --shape, and --layouts names the memories that are drawn.
func (j *job) undrawnDefault() bool {
	o := j.options
	if j.tensor.Kind != "shape" || o.stored.list == nil {
		return false
	}
	return o.Layout.Layout == nil && !o.Strides.Given
}

// notes returns notes on layout names, without those that warnings repeat.
func (j *job) notes() []string {
	notes := []string{}
	if j.tensor.LooksLike() == "" {
		notes = append(notes, j.tensor.Notes()...)
	}
	for _, layout := range j.options.stored.list {
		if layout != nil && layout.Note != "" && !slices.Contains(notes, layout.Note) {
			notes = append(notes, layout.Note)
		}
	}
	return notes
}

// answer returns a line about the file: x.svg: 34.1 KiB, 2 memories, 60 of 1152 elements drawn.
func (r *report) answer() string {
	answer := fmt.Sprintf("%s: %s", text.Quote(r.File.Path), text.Bytes(r.File.Bytes))
	answer += ", " + text.Plural(len(r.Memories), "1 memory", fmt.Sprint(len(r.Memories), " memories"))
	if r.Drawn < r.Elements {
		return answer + fmt.Sprintf(", %d of %s drawn", r.Drawn, text.Count(r.Elements, "element"))
	}
	return answer + ", " + text.Count(r.Elements, "element")
}
