package drawcmd

import (
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render/page"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

// linesOfMore is the number of lines of Page.More; a picture that fills the screen omits them.
const linesOfMore = 2

// write writes the report and its picture to standard output.
func (j *job) write() error {
	drawn, err := j.scene()
	if err != nil {
		return err
	}
	lines := 0
	rows := j.rows()
	if j.options.screen {
		drawn, lines = j.fill(drawn, rows)
	}
	r := newReport(j)
	r.addScene(&drawn)
	hasRoom := j.app.Streams.Height == 0 || lines+linesOfMore <= rows
	r.more = j.options.screen && drawn.Cut() && hasRoom
	return j.reports.Write(r)
}

// How fill searches for the largest picture that a terminal holds.
const (
	memoryShare = 6 // memories get one row in 6; elements, names and gaps get the others
	minElements = 4 // elements of the smallest picture
	growth      = 4 // each attempt draws 1/growth more: smaller steps take longer and seldom gain a row
	slack       = 4 // a picture may have 1/slack of its limit of elements, because a plane takes at most a quarter of it
)

// fill returns the largest picture that fits the rows of the terminal, or the smallest one if none fits, and its lines.
func (j *job) fill(drawn scene.Scene, rows int) (largest scene.Scene, lines int) {
	cells := j.app.Streams.Columns() * rows
	if rows < 1 {
		return drawn, 0
	}
	attempt := *j
	attempt.look.Rows = max(2, rows/(memoryShare*len(j.memories)))
	for limit := minElements; limit < slack*cells; limit += max(1, limit/growth) {
		attempt.look.Limit = limit
		other, err := attempt.scene()
		if err != nil {
			break
		}
		n := j.app.Lines(other)
		if limit == minElements || n <= rows && other.Tensor.Elements() > drawn.Tensor.Elements() {
			drawn = other
			lines = n
		}
		if n > rows && other.Tensor.Elements() > cells || !other.Cut() {
			break
		}
	}
	return drawn, lines
}

// rows returns the lines of the terminal left for a picture by notes, warnings and the prompt.
func (j *job) rows() int {
	notes := j.notes()
	rows := j.app.Streams.Height - 1 - min(1, len(notes))
	for _, remark := range append(notes, j.warnings()...) {
		rows -= strings.Count(text.Fold("tlayout: warning: "+remark, j.app.Streams.Columns(), 2), "\n") + 1
	}
	return rows
}

// writeFile draws into a file, reports it, and opens it for --open.
func (j *job) writeFile() error {
	r := newReport(j)
	if err := j.publish(r); err != nil {
		return err
	}
	if err := j.reports.Write(r); err != nil || !j.options.open {
		return err
	}
	j.app.Flush()
	return openFile(j.options.out)
}

// publish draws into a file that appears whole or not at all, and adds it to the report.
func (j *job) publish(r *report) error {
	o := j.options
	file, err := publish.Create(o.out, publish.Options{Replace: o.force, Inputs: j.app.Inputs(j.tensor.Reads()...)})
	if err != nil {
		return err
	}
	defer file.Discard()
	count := &counter{w: file}
	r.Drawn, err = j.draw(count)
	if err != nil {
		return err
	}
	r.File = &fileReport{Path: o.out.Redacted(), Raw: o.out.Bytes(), Kind: o.kind, Bytes: count.n}
	return file.Commit()
}

// scene returns the picture, with values from the source.
func (j *job) scene() (drawn scene.Scene, err error) {
	err = j.tensor.Guard(func() error {
		drawn, err = picture.New(j.subject, j.memories, j.look)
		return err
	})
	return drawn, err
}

// draw writes the picture in its file format, and returns the number of elements it shows.
func (j *job) draw(w io.Writer) (int, error) {
	drawn, err := j.scene()
	if err != nil {
		return 0, err
	}
	switch j.options.kind {
	case kindSVG:
		err = drawn.Drawing().SVG(w)
	case kindHTML:
		err = page.Write(w, drawn.Drawing(), page.Address(j.options.question))
	case kindPNG:
		err = drawn.Drawing().PNG(w, vector.PNGOptions{Scale: j.options.scale, Dark: j.options.dark})
	default:
		err = drawn.Text(w, scene.TextOptions{Width: cli.FileWidth, Unicode: true, Color: j.app.Color == cli.ColorAlways})
	}
	return drawn.Tensor.Elements(), err
}

// counter counts the bytes written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
