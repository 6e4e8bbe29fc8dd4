package main

import (
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/picture"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// textWidth is how wide the text in a file is, in columns.
const textWidth = 100

// write draws to standard output.
func (j *drawJob) write() error {
	if j.app.format != formatTable {
		scene, err := j.scene()
		if err != nil {
			return err
		}
		return j.report(&scene).write(j.app)
	}
	_, err := j.draw(j.app.stdout, j.app.textOptions())
	if err != nil || j.options.kind != kindText {
		return err
	}
	return writeRemarks(j.app, noteLines(j.notes()))
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
	j.app.flush()
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
	report.Drawn, err = j.draw(count, render.TextOptions{Width: textWidth, Unicode: true, Color: j.app.color == colorAlways})
	if err == nil {
		err = file.Commit()
	}
	report.File = &drawFile{Path: o.out, Raw: rawBytes(o.out), Kind: o.kind, Bytes: count.n}
	return report, err
}

// refuseInput keeps the source and its descriptor from being drawn over.
func (j *drawJob) refuseInput() error {
	out, t := j.options.out, j.tensor
	switch {
	case out == "":
		return nil
	case t.Kind != "shape" && t.SameFile(out), t.Source == source.Stdin && sameAsInput(j.app.streams.in, out):
		return fault.New(fault.Usage, `output "%s" is the input itself`, fault.Quote(out)).WithHint("draw into another file")
	case t.Descriptor != "" && samePath(out, t.Descriptor):
		return fault.New(fault.Usage, `output "%s" is the input's descriptor`, fault.Quote(out)).WithHint("draw into another file")
	}
	return nil
}

// scene decides what is drawn; values are read meanwhile.
func (j *drawJob) scene() (scene render.Scene, err error) {
	err = j.tensor.Guard(func() error {
		scene, err = picture.New(j.subject, pictures(j.memories), j.look)
		return err
	})
	return scene, err
}

// draw draws the picture, and returns how many elements it shows.
func (j *drawJob) draw(w io.Writer, text render.TextOptions) (int, error) {
	if j.options.kind == kindHTML {
		return 0, j.writePage(w)
	}
	scene, err := j.scene()
	if err != nil {
		return 0, err
	}
	switch j.options.kind {
	case kindSVG:
		err = scene.Drawing().SVG(w)
	case kindPNG:
		err = scene.Drawing().PNG(w, vector.PNGOptions{Scale: j.options.scale, Dark: j.options.dark})
	default:
		err = scene.Text(w, text)
	}
	return scene.Tensor.Elements(), err
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
