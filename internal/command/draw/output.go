package draw

import (
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render/explorer"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/words"
)

// fileWidth is the width of text in a file, in columns.
const fileWidth = 100

// write writes the report with its picture to standard output.
func (j *job) write() error {
	drawn, err := j.scene()
	if err != nil {
		return err
	}
	if j.options.screen {
		drawn = j.fill(drawn)
	}
	r := newReport(j)
	r.addScene(&drawn)
	return j.reports.Write(r)
}

// How fill searches for the largest picture that a terminal holds.
const (
	linesAfter  = 4 // lines of the report after the picture: the legend, the counts and a hint
	memoryShare = 6 // memories have one row in so many; the others are for elements, which names and gaps take rows of too
	growth      = 4 // each attempt draws 1/growth more: less would take longer and seldom gain a row
	spare       = 4 // a picture may have so many times fewer elements than its limit, because a plane takes at most a quarter of it
)

// fill draws as much more as the rows and columns of the terminal hold. Where no larger picture fits or can be drawn, it is the one drawn
// before.
func (j *job) fill(drawn scene.Scene) scene.Scene {
	columns, rows := j.app.Streams.Width, j.app.Streams.Height-linesAfter
	if rows < 1 {
		return drawn
	}
	attempt := *j
	attempt.look.Rows = max(2, rows/(memoryShare*len(j.memories)))
	for limit := j.look.Limit; limit < spare*columns*rows && drawn.Cut(); limit += limit / growth {
		attempt.look.Limit = limit
		larger, err := attempt.scene()
		if err != nil || larger.Tensor.Elements() < drawn.Tensor.Elements() || !fits(&larger, columns, rows) {
			break
		}
		drawn = larger
	}
	return drawn
}

// fits reports whether a picture has at most so many rows and columns as text.
func fits(drawn *scene.Scene, columns, rows int) bool {
	var b strings.Builder
	if err := drawn.Text(&b, scene.TextOptions{Width: columns, Unicode: true}); err != nil {
		return false
	}
	for line := range strings.Lines(b.String()) {
		if rows--; rows < 0 || displaywidth.String(line) > columns {
			return false
		}
	}
	return true
}

// writeFile draws into a file, reports it, and opens it if asked to.
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
	if r.Drawn, err = j.draw(count); err != nil {
		return err
	}
	r.File = &fileReport{Path: o.out, Raw: words.RawBytes(o.out), Kind: o.kind, Bytes: count.n}
	return file.Commit()
}

// scene is the picture, with values from the source.
func (j *job) scene() (drawn scene.Scene, err error) {
	err = j.tensor.Guard(func() error {
		drawn, err = picture.New(j.subject, pictures(j.memories), j.look)
		return err
	})
	return drawn, err
}

// draw draws the picture as a file has it, and returns how many elements it shows; a page chooses them itself.
func (j *job) draw(w io.Writer) (int, error) {
	if j.options.kind == kindHTML {
		return 0, j.writePage(w)
	}
	drawn, err := j.scene()
	if err != nil {
		return 0, err
	}
	switch j.options.kind {
	case kindSVG:
		err = drawn.Drawing().SVG(w)
	case kindPNG:
		err = drawn.Drawing().PNG(w, vector.PNGOptions{Scale: j.options.scale, Dark: j.options.dark})
	default:
		err = drawn.Text(w, scene.TextOptions{Width: fileWidth, Unicode: true, Color: j.app.Color == cli.ColorAlways})
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

// writePage writes the page to play with the layout.
func (j *job) writePage(w io.Writer) error {
	t := j.tensor
	s := explorer.Subject{
		Name: baseName(t), DType: t.DType.String(), Size: t.DType.ItemSize(), Layout: t.Layout,
		Format: t.Format, HasFormat: t.HasFormat, Line: int(j.options.line.N),
	}
	for _, m := range j.memories {
		if j.options.stored.list != nil {
			s.Layouts = append(s.Layouts, explorer.Named{Layout: m.Layout, Format: m.format, HasFormat: m.hasFormat})
		}
	}
	if err := j.addValues(&s); err != nil {
		return err
	}
	return explorer.Write(w, s)
}

// addValues gives the page the values of all elements, in logical order, unless they are too many.
func (j *job) addValues(s *explorer.Subject) error {
	if j.subject.Value == nil || s.Layout.Numel() > explorer.MaxValues {
		return nil
	}
	s.Numeric = j.subject.Numeric
	s.ShortValues = slices.Contains(j.look.Labels, picture.Value)
	return j.tensor.Guard(func() error {
		for _, offset := range s.Layout.Logical() {
			text, number, ok := j.subject.Value(offset)
			if !ok {
				number = math.NaN()
			}
			s.Values, s.Numbers = append(s.Values, text), append(s.Numbers, number)
		}
		return nil
	})
}

// viewer is the command that opens a file in the user's viewer.
func viewer(system string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// openFile opens a written file in the viewer.
func openFile(path string) error {
	command := viewer(runtime.GOOS)
	whole, err := filepath.Abs(path)
	if err == nil {
		err = exec.Command(command[0], append(command[1:], whole)...).Run()
	}
	if err != nil {
		return fault.New(fault.Resource, "%s is written, but %s cannot open it: %s", words.Quoted(path), command[0], words.Quote(fault.Cause(err).Error())).
			WithHint("open it yourself")
	}
	return nil
}
