package benchcmd

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// finish writes the report to standard output, to the summary and to a file. A failed gate determines the exit code; formats without
// gates leave it to standard error.
func (j *job) finish(measured *bench.Report) error {
	r := newReport(j, measured)
	if err := j.app.Write(r); err != nil {
		return err
	}
	if err := j.writeSummary(r); err != nil {
		return err
	}
	if err := j.writeOutput(r); err != nil {
		return err
	}
	j.app.Flush() // rows before errors
	var failed error
	for _, why := range r.failedGates() {
		failed = fault.New(fault.Negative, "gate failed: %s", why)
		if j.app.Format == cli.CSV || j.app.Format == cli.GoBench {
			j.app.PrintError(failed)
		}
	}
	return cli.Reported(failed)
}

// summaryVariable holds the path of the file that GitHub's runners show as a page.
const summaryVariable = "GITHUB_STEP_SUMMARY"

// findSummary finds the file of --summary, and fails unless it can be appended to.
func (j *job) findSummary() error {
	if !j.options.summary {
		return nil
	}
	path, _ := j.app.Streams.Env(summaryVariable)
	j.summary = name.Parse(path)
	if j.summary.IsZero() {
		return fault.New(fault.Usage, "--summary appends to $%s, which is not set", summaryVariable).
			WithHint("use -f markdown for standard output")
	}
	if err := j.inputs().Refuse(j.summary); err != nil {
		return fault.In("--summary: $"+summaryVariable, err)
	}
	return j.summaryError(canAppend(j.summary))
}

// canAppend returns an error if a name is that of neither a regular file nor a new one in a directory.
func canAppend(n name.Name) error {
	info, err := n.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	info, err = n.Parent().Stat()
	if err == nil && !info.IsDir() {
		return errors.New("its parent is not a directory")
	}
	return err
}

// writeSummary appends the report as Markdown in one write.
func (j *job) writeSummary(r *report) error {
	if j.summary.IsZero() {
		return nil
	}
	f, err := os.OpenFile(j.summary.Raw(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		var text strings.Builder
		err = j.app.WriteAs(&text, cli.Markdown, false, r)
		if err == nil {
			_, err = fmt.Fprint(f, "\n"+text.String()) // the file may end in the middle of a line
		}
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	return j.summaryError(err)
}

func (j *job) summaryError(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Resource, "summary %s: %s", j.summary, fault.Cause(err))
}

// inputs returns the files that bench reads.
func (j *job) inputs() *publish.Inputs {
	return j.app.Inputs(j.files...)
}

// outputFormats maps file extensions to formats of the report.
var outputFormats = map[string]cli.Format{".json": cli.JSON, ".csv": cli.CSV, ".md": cli.Markdown, ".txt": cli.Table}

// openOutput creates the output, and fails if it would replace a file that bench reads or appends to.
func (j *job) openOutput() error {
	in := j.inputs()
	if err := j.app.RefuseStdout(in); err != nil {
		return err
	}
	out := j.options.out
	if out.IsZero() {
		return nil
	}
	kind := outputKind(out)
	_, isReport := outputFormats[kind]
	isPicture := kind == ".svg" || kind == ".png"
	if !isReport && j.options.with == torch {
		return cli.UnknownEnding(out, ".json, .csv, .md or .txt (the report)")
	}
	if !isReport && !isPicture {
		return cli.UnknownEnding(out, ".svg or .png (the walks), .json, .csv, .md or .txt (the report)")
	}
	if !j.summary.IsZero() {
		in.Protect(j.summary)
	}
	var err error
	j.output, err = publish.Create(out, publish.Options{Replace: j.options.force, Inputs: in})
	return err
}

// outputKind returns a file's extension; .txt for the null device.
func outputKind(out name.Name) string {
	if publish.IsNull(out) {
		return ".txt"
	}
	return out.Ending()
}

// discard removes an unfinished output, and ends PyTorch.
func (j *job) discard() {
	if j.worker != nil {
		j.worker.End()
	}
	if j.output != nil {
		j.output.Discard()
	}
}

// writeOutput draws the walks into the file, or writes the report.
func (j *job) writeOutput(r *report) error {
	if j.output == nil {
		return nil
	}
	var err error
	switch kind := outputKind(j.options.out); kind {
	case ".svg":
		err = r.chart().Drawing().SVG(j.output)
	case ".png":
		err = r.chart().Drawing().PNG(j.output, vector.PNGOptions{})
	default:
		err = j.app.WriteAs(j.output, outputFormats[kind], true, r)
	}
	if err != nil {
		return err
	}
	return j.output.Commit()
}

// chart returns the chart of the walks' bandwidth.
func (r *report) chart() render.Chart {
	roofline := r.ReadRoof()
	c := render.Chart{
		Title:    fmt.Sprintf("What a layout costs: %s %s", r.DType, tensor.Tuple(r.Shape)),
		Subtitle: "GB/s read by one thread, with the confidence interval of the median",
		Unit:     "GB/s",
		BestName: "fastest, or statistically tied",
		Limit:    roofline, LimitName: "roofline " + text.ThreeDigits(roofline),
	}
	for _, p := range []bench.Pattern{bench.Channel, bench.Spatial} {
		g := render.Group{Name: accessName(p)}
		for _, row := range r.Report.Rows {
			if row.Pattern == p {
				g.Bars = append(g.Bars, render.Bar{Label: row.Layout, Value: row.GBps, Low: float64(row.Bytes) / row.CINS[1],
					High: float64(row.Bytes) / row.CINS[0], Text: text.ThreeDigits(row.GBps), Best: r.isBest(row)})
			}
		}
		if len(g.Bars) > 0 {
			c.Groups = append(c.Groups, g)
		}
	}
	return c
}
