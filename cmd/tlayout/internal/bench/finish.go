package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// readBaseline reads what --baseline names, and refuses what has nothing in common with what is measured.
func (j *benchJob) readBaseline() error {
	if j.options.baseline == "" {
		return nil
	}
	text, err := cli.ReadRegular(j.options.baseline, maxBaseline)
	if err != nil {
		return fault.New(fault.Resource, "baseline %s: %s", words.Quoted(j.options.baseline), fault.Cause(err))
	}
	if j.baseline, err = bench.ReadReport(text); err == nil {
		err = bench.Comparable(j.baseline, j.subject.Layouts[0].Shape(), j.subject.DType.String(), j.subject.Keys())
	}
	return fault.In(`baseline "`+words.Quote(j.options.baseline)+`"`, err)
}

// maxBaseline bounds the file of a baseline, in bytes.
const maxBaseline = 64 << 20

// summaryVariable names the file that GitHub's runners show as a page.
const summaryVariable = "GITHUB_STEP_SUMMARY"

func (j *benchJob) findSummary() error {
	if !j.options.summary {
		return nil
	}
	j.summary, _ = j.app.Streams.Env(summaryVariable)
	if j.summary == "" {
		return fault.New(fault.Usage, "--summary appends to the file that $%s names, which is not set", summaryVariable).
			WithHint("-f markdown writes the same to standard output")
	}
	info, err := os.Stat(j.summary)
	if errors.Is(err, os.ErrNotExist) {
		info, err = os.Stat(filepath.Dir(j.summary)) // the file is made when there is something to write
		if err == nil && !info.IsDir() {
			err = errors.New("its folder is none")
		}
	} else if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return fault.New(fault.Resource, "summary %s: %s", words.Quoted(j.summary), fault.Cause(err))
	}
	return nil
}

// finish writes the report to where it is wanted, and says which gates do not hold.
func (j *benchJob) finish(r *bench.Report) error {
	r.Notes = append(append([]string{}, j.notes...), r.Notes...)
	if j.baseline != nil {
		r.Baseline = bench.Compare(r, j.baseline, j.options.baseline)
	}
	j.gates.eval(r, j.baseline)
	j.app.Warn(changedMachine(r))
	if err := writeBench(j.app, r); err != nil {
		return err
	}
	if err := j.writeSummary(r); err != nil {
		return err
	}
	if err := j.writePlot(r); err != nil {
		return err
	}
	j.app.Flush() // so that the tables stand above what is wrong with them
	var failed error
	for _, g := range r.Gates {
		if !g.Holds {
			failed = fault.New(fault.Negative, "gate does not hold: %s", g.Why)
			j.app.PrintError(failed)
		}
	}
	return cli.Said(failed)
}

// writeSummary appends the Markdown in one write.
func (j *benchJob) writeSummary(r *bench.Report) error {
	if j.summary == "" {
		return nil
	}
	f, err := os.OpenFile(j.summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		page := *j.app
		var text strings.Builder
		page.Format, page.Stdout = cli.Markdown, &text
		if err = writeBench(&page, r); err == nil {
			_, err = fmt.Fprint(f, "\n"+text.String()) // the file may end in the middle of a line
		}
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	if err != nil {
		return fault.New(fault.Resource, "summary %s: %s", words.Quoted(j.summary), fault.Cause(err))
	}
	return nil
}

// openPlot refuses a picture that cannot be written, or that would replace what is read.
func (j *benchJob) openPlot() error {
	path := j.options.plot
	if path == "" {
		return nil
	}
	for what, read := range map[string]string{
		"source": j.options.source, "source's descriptor": j.described, "baseline": j.options.baseline, "summary": j.summary,
	} {
		if cli.SamePath(read, path) {
			return fault.New(fault.Usage, "--plot %s is the %s itself", words.Quoted(path), what).WithHint("draw into another file")
		}
	}
	if e := plotKind(path); e != ".svg" && e != ".png" {
		return fault.New(fault.Usage, "--plot %s is neither .svg nor .png", words.Quoted(path)).
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
	draw := chart(r).Drawing()
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

// chart draws how fast the walks are.
func chart(r *bench.Report) render.Chart {
	c := render.Chart{
		Title:    fmt.Sprintf("What a layout costs: %s %s", r.DType, tensor.Tuple(r.Shape)),
		Subtitle: "GB/s read by one thread, with the interval of the median",
		Unit:     "GB/s",
		Limit:    r.ReadRoof(), LimitName: "roof " + figure(r.ReadRoof()),
	}
	for _, p := range []bench.Pattern{bench.Channel, bench.Spatial} {
		g := render.Group{Name: accessName(p)}
		for _, row := range r.Rows {
			if row.Pattern == p {
				g.Bars = append(g.Bars, render.Bar{Label: row.Layout, Value: row.GBps, Low: float64(row.Bytes) / row.CINS[1],
					High: float64(row.Bytes) / row.CINS[0], Text: figure(row.GBps), Best: isBest(r, row)})
			}
		}
		if len(g.Bars) > 0 {
			c.Groups = append(c.Groups, g)
		}
	}
	return c
}
