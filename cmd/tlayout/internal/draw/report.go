package draw

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// drawReport is what is in a picture, so that others can draw it themselves; where a file was written, which.
type drawReport struct {
	Schema   string         `json:"schema"`
	Source   string         `json:"source"`
	Raw      []byte         `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	DType    string         `json:"dtype"`
	ItemSize int            `json:"itemsize"`
	Dims     []string       `json:"dims"`
	Shape    []int          `json:"shape"`
	Layout   string         `json:"layout"`
	Assumed  bool           `json:"layout_assumed"`
	Elements int            `json:"elements"`
	Drawn    int            `json:"drawn"` // elements of the grid; those of a page are chosen there
	File     *drawFile      `json:"file"`  // null where the picture is below
	Labels   []string       `json:"labels"`
	Title    string         `json:"title"`
	Lines    []string       `json:"lines"`
	Scale    *scene.Scale   `json:"scale"`
	Grid     []scene.Band   `json:"grid,omitempty"`
	Memories []memoryReport `json:"memories"`
	Notes    []string       `json:"notes"`
	Warnings []string       `json:"warnings"`
}

// drawFile is a file that was written.
type drawFile struct {
	Path  string `json:"path"`
	Raw   []byte `json:"path_bytes,omitempty"` // base64, where the name is no UTF-8
	Kind  kind   `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// memoryReport is a storage of the tensor. Strides and offset are elements; rows are null where a file was written.
type memoryReport struct {
	Name    string            `json:"name"`
	Layout  string            `json:"layout"`
	Strides []int             `json:"strides"` // null for a blocked layout
	Offset  int               `json:"offset"`
	Alloc   int               `json:"alloc"`
	Width   int               `json:"width,omitempty"`
	Line    int               `json:"line_bytes,omitempty"`
	Lines   []string          `json:"lines,omitempty"`
	Rows    []scene.MemoryRow `json:"rows,omitempty"`
}

// Report says what is drawn; the cells themselves where there is a scene.
func (j *drawJob) report(s *scene.Scene) *drawReport {
	t, l := j.tensor, j.tensor.Layout
	r := &drawReport{
		Schema: "tlayout/draw/v1", Source: t.Source, Raw: words.RawBytes(t.Source), DType: t.DType.String(), ItemSize: t.DType.ItemSize(),
		Dims: l.Names(), Shape: l.Shape(), Layout: t.OrderName(), Assumed: t.Assumed, Elements: l.Numel(), Labels: labelNames(j.look.Labels),
		Title: j.subject.Name, Lines: []string{}, Notes: append([]string{}, j.notes()...), Warnings: append(append([]string{}, t.Warnings...), doubts(t)...),
	}
	for _, m := range j.memories {
		memory := memoryReport{Name: m.Name, Layout: m.Layout.String(), Offset: m.Layout.Offset(), Alloc: m.Layout.Alloc()}
		if strided, plain := m.Layout.Strided(); plain {
			memory.Strides = strided.Strides
		}
		r.Memories = append(r.Memories, memory)
	}
	if s != nil {
		r.show(s)
	}
	return r
}

// show adds the scene.
func (r *drawReport) show(s *scene.Scene) {
	r.Drawn, r.Lines = s.Tensor.Elements(), append(r.Lines, s.Lines...)
	r.Grid = s.Tensor.Bands
	if s.Scale.Name != "" {
		r.Scale = &s.Scale
	}
	for i, m := range s.Memories {
		to := &r.Memories[i]
		to.Width, to.Line, to.Lines, to.Rows = m.Width, m.Line, m.Lines, m.Rows
	}
}

// cells lists the cells of the memories that are drawn.
func (r *drawReport) cells() render.Table {
	t := render.Table{Header: []string{"memory", "offset", "byte"}, Numbers: []int{1, 2}}
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

func (r *drawReport) cellRow(memory string, offset int, c scene.Cell) []string {
	row := []string{memory, strconv.Itoa(offset), strconv.Itoa(offset * max(1, r.ItemSize))}
	for i := range r.Labels {
		label := "x"
		if i < len(c.Labels) {
			label = c.Labels[i]
		}
		row = append(row, label)
	}
	tint, step := "", ""
	if c.Tint != scene.NoTint {
		tint = strconv.Itoa(int(c.Tint))
	}
	if c.Step > 0 {
		step = strconv.Itoa(c.Step)
	}
	return append(row, c.Kind.String(), tint, step)
}

// orders are what orders of axes without names are called in a title.
var orders = map[string]string{"c": "C order", "fortran": "Fortran order"}

// title is the picture's first line: x.npy: float32 (2, 64, 3, 3), NCHW (assumed). An order that neither the user nor a
// file has anything to do with is left out.
func (j *drawJob) title() string {
	t, o := j.tensor, j.options
	title := fmt.Sprintf("%s: %s %s", source.DisplayName(t.Source), words.Shorten(t.DType.String()), tensor.Tuple(t.Layout.Shape()))
	name := t.OrderName()
	if order, ok := orders[name]; ok {
		name = order
		if t.Layout.Rank() == 1 {
			name = "" // all are the same
		}
	}
	switch {
	case name == "" || t.Layout.Rank() == 0, t.Kind == "shape" && o.stored.list != nil && o.Layout.Layout == nil && !o.Strides.Given:
		return title
	case t.Assumed && t.Header.Fortran:
		return fmt.Sprintf("%s, %s (its axes assumed to be %s)", title, name, strings.Join(t.Layout.Names(), ""))
	case t.Assumed:
		return title + ", " + name + " (assumed)"
	}
	return title + ", " + name
}

// write reports in the format asked for. A picture on standard output stands for itself and needs no text.
func (r *drawReport) write(a *cli.App) error {
	switch {
	case a.Format == cli.JSON:
		return cli.WriteJSON(a.Stdout, r, true)
	case r.File == nil && a.Format == cli.CSV:
		return r.cells().CSV(a.Stdout)
	case r.File == nil:
		fmt.Fprintf(a.Stdout, "**%s**\n\n", r.Title)
		return r.cells().Markdown(a.Stdout)
	case a.Format == cli.CSV:
		t := render.Table{Header: []string{"file", "kind", "bytes", "memories", "elements", "drawn"}}
		t.Add(words.Quote(r.File.Path), string(r.File.Kind), fmt.Sprint(r.File.Bytes), fmt.Sprint(len(r.Memories)),
			fmt.Sprint(r.Elements), fmt.Sprint(r.Drawn))
		return t.CSV(a.Stdout)
	}
	fmt.Fprintln(a.Stdout, a.Item(r.answer()))
	return cli.WriteRemarks(a, cli.NoteLines(r.Notes))
}

// notes are what is worth knowing about the names of layouts; what is warned of is not said twice.
func (j *drawJob) notes() []string {
	var notes []string
	if len(doubts(j.tensor)) == 0 {
		notes = append(notes, j.tensor.Notes...)
	}
	for _, layout := range j.options.stored.list {
		if layout != nil && layout.Note != "" && !slices.Contains(notes, layout.Note) {
			notes = append(notes, layout.Note)
		}
	}
	return notes
}

// answer is one line about the file: x.svg: 34.1 KiB, 2 memories, 60 of 1152 elements drawn.
func (r *drawReport) answer() string {
	answer := fmt.Sprintf("%s: %s", words.Quote(r.File.Path), words.Bytes(r.File.Bytes))
	if r.File.Kind == kindHTML {
		return answer + ", a page to play with: " + words.Count(r.Elements, "element")
	}
	answer += ", " + words.Plural(len(r.Memories), "1 memory", fmt.Sprint(len(r.Memories), " memories"))
	if r.Drawn < r.Elements {
		return answer + fmt.Sprintf(", %d of %s drawn", r.Drawn, words.Count(r.Elements, "element"))
	}
	return answer + ", " + words.Count(r.Elements, "element")
}

// labels are what can stand in a cell, colourings what colours can mean besides the index of a dim.
var (
	labels     = []string{string(picture.Index), string(picture.Coord), string(picture.Value), string(picture.Offset), string(picture.Byte)}
	colourings = []string{string(picture.ByChannel), string(picture.ByMemory), string(picture.ByValue), string(picture.Plain)}
)

// noPath is how picture.NoPath is typed.
const noPath picture.Path = "none"

// labelsFlag is a list of what stands in a cell, one below the other.
type labelsFlag struct{ list []picture.Label }

func (f *labelsFlag) String() string { return strings.Join(labelNames(f.list), ",") }

func (f *labelsFlag) Type() string { return "labels" }

func (f *labelsFlag) Set(s string) error {
	f.list = nil
	for word := range strings.SplitSeq(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		switch l := picture.Label(word); {
		case !slices.Contains(labels, word):
			bad := fault.New(fault.Usage, "%s: valid values are %s", words.Quoted(word), strings.Join(labels, ", "))
			if near := words.Nearest(word, labels); near != "" {
				return bad.WithHint("did you mean %s?", near)
			}
			return bad
		case slices.Contains(f.list, l):
			return fault.New(fault.Usage, "%s is asked for twice", word)
		default:
			f.list = append(f.list, l)
		}
	}
	return nil
}

func labelNames(list []picture.Label) []string {
	names := []string{}
	for _, l := range list {
		names = append(names, string(l))
	}
	return names
}
