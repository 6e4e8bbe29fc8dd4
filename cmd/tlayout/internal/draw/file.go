package draw

import (
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render/explorer"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// textWidth is how wide the text in a file is, in columns.
const textWidth = 100

// write draws to standard output.
func (j *drawJob) write() error {
	if j.app.Format != cli.Table {
		scene, err := j.scene()
		if err != nil {
			return err
		}
		return j.report(&scene).write(j.app)
	}
	_, err := j.draw(j.app.Stdout, j.app.TextOptions())
	if err != nil || j.options.kind != kindText {
		return err
	}
	return cli.WriteRemarks(j.app, cli.NoteLines(j.notes()))
}

// writeFile draws into a file, reports that, and shows it if it is wanted.
func (j *drawJob) writeFile() error {
	report, err := j.publish()
	if err != nil {
		return err
	}
	if err := report.write(j.app); err != nil || !j.options.open {
		return err
	}
	j.app.Flush()
	return openFile(j.options.out)
}

// publish draws into a file that appears whole or not at all.
func (j *drawJob) publish() (*drawReport, error) {
	o, report := j.options, j.report(nil)
	file, err := publish.Create(o.out, publish.Options{Replace: o.force})
	if err != nil {
		return nil, err
	}
	defer file.Discard()
	count := &counter{w: file}
	report.Drawn, err = j.draw(count, scene.TextOptions{Width: textWidth, Unicode: true, Color: j.app.Color == cli.ColorAlways})
	if err == nil {
		err = file.Commit()
	}
	report.File = &drawFile{Path: o.out, Raw: words.RawBytes(o.out), Kind: o.kind, Bytes: count.n}
	return report, err
}

// refuseInput keeps the source and its descriptor from being drawn over.
func (j *drawJob) refuseInput() error {
	out, t := j.options.out, j.tensor
	switch {
	case out == "":
		return nil
	case t.Kind != "shape" && t.SameFile(out), t.Source == source.Stdin && cli.SameAsInput(j.app.Streams.In, out):
		return fault.New(fault.Usage, "output %s is the input itself", words.Quoted(out)).WithHint("draw into another file")
	case t.Descriptor != "" && cli.SamePath(out, t.Descriptor):
		return fault.New(fault.Usage, "output %s is the input's descriptor", words.Quoted(out)).WithHint("draw into another file")
	}
	return nil
}

// scene decides what is drawn; values are read meanwhile.
func (j *drawJob) scene() (drawn scene.Scene, err error) {
	err = j.tensor.Guard(func() error {
		drawn, err = picture.New(j.subject, pictures(j.memories), j.look)
		return err
	})
	return drawn, err
}

// draw draws the picture, and returns how many elements it shows.
func (j *drawJob) draw(w io.Writer, text scene.TextOptions) (int, error) {
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
		err = drawn.Text(w, text)
	}
	return drawn.Tensor.Elements(), err
}

// counter counts the bytes that are written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// writePage writes the page in which one can play with the layout.
func (j *drawJob) writePage(w io.Writer) error {
	t := j.tensor
	s := explorer.Subject{
		Name: source.DisplayName(t.Source), DType: t.DType.String(), Size: t.DType.ItemSize(), Layout: t.Layout,
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

// addValues gives the page the values of all elements, in logical order, unless there are none, or too many.
func (j *drawJob) addValues(s *explorer.Subject) error {
	if j.subject.Value == nil || s.Layout.Numel() > explorer.MaxValues {
		return nil
	}
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

// viewer is the command that shows a file as the system's user wants it shown.
func viewer(system string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// openFile shows a file that has been written.
func openFile(path string) error {
	command := viewer(runtime.GOOS)
	whole, err := filepath.Abs(path)
	if err == nil {
		err = exec.Command(command[0], append(command[1:], whole)...).Run()
	}
	if err != nil {
		return fault.New(fault.Resource, "%s has been written, but %s cannot show it: %s", words.Quoted(path), command[0], words.Quote(fault.Cause(err).Error())).
			WithHint("open it yourself")
	}
	return nil
}
