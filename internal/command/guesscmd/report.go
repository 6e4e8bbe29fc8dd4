package guesscmd

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/relate/dump"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/text"
)

const schema = "tlayout/guess/v1"

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{{Schema: schema, Prints: "guess", Type: reflect.TypeFor[report]()}}

// report holds the guesses, best first.
type report struct {
	document.Head
	Answer  string  `json:"answer"`
	Guesses []guess `json:"guesses"` // shapes, best first
	Picture *string `json:"picture"` // file of the picture

	drawn *picture // for the terminal
}

// guess is a shape with the commands that read it. Of a frame in YUV 4:2:0 it is the luma.
type guess struct {
	Score      float64  `json:"score"` // 0 as in noise, to 1
	DType      string   `json:"dtype"`
	DataOffset int64    `json:"data_offset"`
	Dims       []string `json:"dims"`
	Shape      []int    `json:"shape"`
	Strides    []int    `json:"strides"`
	Subsampled string   `json:"subsampled"` // chroma after luma: nv12 or i420
	Commands   []string `json:"commands"`

	found dump.Shape
}

// newGuess describes a guess about a file of size bytes.
func newGuess(g dump.Shape, file name.Name, size int) guess {
	t := guess{Score: g.Score, DType: g.DType, DataOffset: int64(g.Skip), Subsampled: g.Chroma, found: g}
	axes := axesOf(g)
	for _, x := range axes {
		t.Dims = append(t.Dims, x.name)
		t.Shape = append(t.Shape, x.size)
		t.Strides = append(t.Strides, x.stride)
	}
	t.Commands = []string{t.command(file, axes, g.Skip)}
	if g.Chroma != "" {
		t.Commands[0] = t.planes(file, g, size)
	}
	return t
}

// axesOf returns the dims of a picture, or of several: planes of H and W, or H and W with channels innermost.
func axesOf(g dump.Shape) []axis {
	row := g.Pitch / g.ItemSize
	plane := row * g.Height
	rows := g.Height
	if g.Chroma != "" {
		rows += g.Height / 2
	}
	var axes []axis
	if g.Frames > 1 {
		axes = append(axes, axis{"N", g.Frames, row * rows * g.Planes})
	}
	if g.Planes > 1 {
		axes = append(axes, axis{"C", g.Planes, plane})
	}
	axes = append(axes, axis{"H", g.Height, row}, axis{"W", g.Width, g.Channels})
	if g.Planes <= 1 && g.Channels > 1 {
		axes = append(axes, axis{"C", g.Channels, 1})
	}
	return axes
}

// planes returns the command that reads frames in YUV 4:2:0 as a tensor per plane.
func (t *guess) planes(file name.Name, g dump.Shape, size int) string {
	name := g.Chroma
	if g.ItemSize == 2 {
		name = map[string]string{"nv12": "p010", "i420": "i010"}[name]
	}
	line := "tlayout inspect " + file.Arg() + " --raw --from " + name + " --shape " + text.Ints(t.Shape, ",")
	if g.Skip > 0 {
		line += fmt.Sprintf(" --skip %d", g.Skip)
	}
	if size > g.Skip+g.Frames*g.Height*g.Pitch*3/2 {
		line += " --allow-trailing"
	}
	return line
}

// axis is a dim; its stride counts elements.
type axis struct {
	name         string
	size, stride int
}

// command returns the command that reads these dims after some bytes.
func (t *guess) command(file name.Name, dims []axis, skip int) string {
	var sizes []string
	for _, x := range dims {
		sizes = append(sizes, fmt.Sprintf("%s=%d", x.name, x.size))
	}
	line := "tlayout inspect " + file.Arg() + " --raw --dtype " + text.Shell(t.DType) + " --shape " + strings.Join(sizes, ",") + orderFlag(dims)
	if skip > 0 {
		line += fmt.Sprintf(" --skip %d", skip)
	}
	return line
}

// orderFlag returns the flag for dims that are not row-major as inspect assumes: their strides if they have gaps, or their order.
func orderFlag(dims []axis) string {
	if strides := gapped(dims); strides != nil {
		return " --strides " + strings.Join(strides, ",")
	}
	order := ""
	for _, x := range dims {
		order += strings.ToLower(x.name)
	}
	if strings.HasSuffix(order, "hwc") {
		return " --from " + order
	}
	return ""
}

// gapped returns the strides of dims with gaps between them; nil if they are dense.
func gapped(dims []axis) (strides []string) {
	dense := true
	step := 1
	for _, x := range slices.Backward(dims) {
		dense = dense && x.stride == step
		step *= x.size
	}
	if dense {
		return nil
	}
	for _, x := range dims {
		strides = append(strides, fmt.Sprint(x.stride))
	}
	return strides
}

// answer sets the answer: the best guess.
func (r *report) answer(file string, data []byte) {
	if size := dump.Ascending(data); size > 0 {
		r.Answer = fmt.Sprintf("%s: no picture: numbers of %d bytes that only grow, as indices, offsets and times", file, size)
		return
	}
	if len(r.Guesses) == 0 {
		r.Answer = file + ": nothing found: no shape shows, as in noise, weights, sound and compressed bytes"
		return
	}
	g := r.Guesses[0]
	r.Answer = fmt.Sprintf("%s: perhaps %s, score %.2f", file, g.text(), g.Score)
}

// text describes a guess in a line.
func (t *guess) text() string {
	line := t.DType + " " + strings.Join(t.Dims, ",") + " = " + text.Ints(t.Shape, ",")
	if t.Subsampled != "" {
		line += ", then chroma: " + t.Subsampled
	}
	if g := t.found; g.Pitch > g.Width*g.Channels*g.ItemSize {
		line += ", rows padded to " + text.Bytes(int64(g.Pitch))
	}
	if t.DataOffset > 0 {
		line += ", after " + text.Bytes(t.DataOffset)
	}
	return line
}

// Failed reports whether nothing was found.
func (r *report) Failed() bool { return len(r.Guesses) == 0 }

// Page writes the picture, the best guess's commands, and the other guesses.
func (r *report) Page(p *cli.Page) {
	p.Answer(r.Answer)
	if r.Failed() {
		return
	}
	if r.drawn != nil {
		p.Blank()
		p.Draw(func(w io.Writer, o scene.TextOptions) error { return r.drawn.text(w, o) })
	}
	p.Code("Read it", "sh", r.Guesses[0].Commands)
	others := render.Table{Title: "Other guesses", Header: []string{"score", "shape"}}
	for _, g := range r.Guesses[1:] {
		others.Add(fmt.Sprintf("%.2f", g.Score), g.text())
	}
	p.Section(others)
	if r.Picture != nil {
		p.Remarks("drawn in " + text.Quoted(*r.Picture))
	}
}

// Rows returns a row for each guess.
func (r *report) Rows() render.Table {
	return cli.TableOf("score,dtype,data_offset,dims,shape,strides,subsampled,commands", r.Guesses...)
}
