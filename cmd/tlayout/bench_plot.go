package main

import (
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// openPlot refuses a picture that cannot be written, or that would replace what is read.
func (j *benchJob) openPlot() error {
	path := j.options.plot
	if path == "" {
		return nil
	}
	for what, read := range map[string]string{
		"source": j.options.source, "source's descriptor": j.described, "baseline": j.options.baseline, "summary": j.summary,
	} {
		if samePath(read, path) {
			return fault.New(fault.Usage, `--plot "%s" is the %s itself`, fault.Quote(path), what).WithHint("draw into another file")
		}
	}
	if e := plotKind(path); e != ".svg" && e != ".png" {
		return fault.New(fault.Usage, `--plot "%s" is neither .svg nor .png`, fault.Quote(path)).
			WithHint("name it by what it is to be: --plot walks.svg or --plot walks.png")
	}
	var err error
	j.plot, err = publish.Create(path, publish.Options{Replace: j.options.force})
	return err
}

// plotKind is a picture's kind, as its file's name ends.
func plotKind(path string) string { return strings.ToLower(filepath.Ext(path)) }

// discard drops what was begun.
func (j *benchJob) discard() {
	if j.plot != nil {
		j.plot.Discard()
	}
}

// writePlot draws the walks.
func (j *benchJob) writePlot(r *bench.Report) error {
	if j.plot == nil {
		return nil
	}
	draw := benchChart(r).Drawing()
	var err error
	if plotKind(j.options.plot) == ".png" {
		err = draw.PNG(j.plot, vector.PNGOptions{})
	} else {
		err = draw.SVG(j.plot)
	}
	if err != nil {
		return err
	}
	return j.plot.Commit()
}
