package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/fault"
)

// readBaseline reads what --baseline names, and refuses what has nothing in common with what is measured.
func (j *benchJob) readBaseline() error {
	if j.options.baseline == "" {
		return nil
	}
	text, err := readRegular(j.options.baseline, maxBaseline)
	if err != nil {
		return fault.New(fault.Resource, `baseline "%s": %s`, fault.Quote(j.options.baseline), rootCause(err))
	}
	if j.baseline, err = bench.ReadReport(text); err == nil {
		err = bench.Comparable(j.baseline, j.subject.Layouts[0].Shape(), j.subject.DType.String(), j.subject.Keys())
	}
	return fault.In(`baseline "`+fault.Quote(j.options.baseline)+`"`, err)
}

// maxBaseline bounds the file of a baseline, in bytes.
const maxBaseline = 64 << 20

// summaryVariable names the file that GitHub's runners show as a page.
const summaryVariable = "GITHUB_STEP_SUMMARY"

func (j *benchJob) findSummary() error {
	if !j.options.summary {
		return nil
	}
	j.summary, _ = j.app.streams.env(summaryVariable)
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
		return fault.New(fault.Resource, `summary "%s": %s`, fault.Quote(j.summary), rootCause(err))
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
	j.app.warn(changedMachine(r))
	if err := writeBench(j.app, r); err != nil {
		return err
	}
	if err := j.writeSummary(r); err != nil {
		return err
	}
	if err := j.writePlot(r); err != nil {
		return err
	}
	j.app.flush() // so that the tables stand above what is wrong with them
	for _, g := range r.Gates {
		if !g.Holds {
			err := fault.New(fault.Negative, "gate does not hold: %s", g.Why)
			j.app.printError(err)
			j.app.failed = err
		}
	}
	return nil
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
		page.format, page.stdout = formatMarkdown, &text
		if err = writeBench(&page, r); err == nil {
			_, err = fmt.Fprint(f, "\n"+text.String()) // the file may end in the middle of a line
		}
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	if err != nil {
		return fault.New(fault.Resource, `summary "%s": %s`, fault.Quote(j.summary), rootCause(err))
	}
	return nil
}
