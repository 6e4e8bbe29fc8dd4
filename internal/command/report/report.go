// Package report is tlayout report, which sums up what the shares of a conversion of many sources report.
package report

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

// Documents are those that the command prints and reads.
var Documents = []cli.Document{
	{Schema: many.TotalSchema, Prints: "report", Type: reflect.TypeFor[many.Total]()},
	{Schema: many.UnitSchema, Prints: "convert --report, a line for each source", Type: reflect.TypeFor[many.Record]()},
}

// NewCmd makes tlayout report.
func NewCmd(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Sum up the reports of many sources, shares and all",
		Long: `Sum up the reports that tlayout convert --report DIR wrote, one for each share:
how many sources were converted, were skipped because the same result was there,
and failed; which shares have no report, or were interrupted by a signal. The
exit code is that of the worst failure; without one, it is 5 if a share is
missing or was interrupted. See tlayout help exit-codes.`,
		Example: `  tlayout convert images/ --to nhwc -d out/ --shard 0/2 --report reports/
  tlayout convert images/ --to nhwc -d out/ --shard 1/2 --report reports/
  tlayout report reports/
  tlayout report reports/ --json`,
		Args: cli.Args(1, 1, "folder", "tlayout report reports/"),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := many.Sum(args[0])
			if err != nil {
				return err
			}
			if err := a.Write(total{t}); err != nil || t.ExitCode == 0 {
				return err
			}
			return cli.Said(fault.New(fault.Class(t.ExitCode), "not all sources were converted"))
		},
	}
	cli.HasSettings(cmd)
	return cmd
}

// total is the answer.
type total struct{ *many.Total }

// Warned are the warnings of all shares.
func (t total) Warned() []string { return t.Warnings }

// Failed reports whether something is left to do.
func (t total) Failed() bool { return t.ExitCode != 0 }

// shownFailures is how many failures a page lists without --all.
const shownFailures = 10

// Page writes the sums, what is missing, and the first failures.
func (t total) Page(p *cli.Page) {
	answer := "all done"
	if t.Failed() {
		answer = "not all done"
	}
	text := fmt.Sprintf("%s: %s made, %d skipped, %d failed of %s", answer, words.Count(t.Made, "file"), t.Skipped, t.Total.Failed, words.Count(t.Units, "source"))
	if t.Shares > 1 {
		text += fmt.Sprintf(" in %s", words.Count(t.Shares-len(t.Missing), "share"))
	}
	p.Answer(text)
	var lines []string
	if n := len(t.Missing); n > 0 {
		lines = append(lines, fmt.Sprintf("%s %s no report: %s", words.Count(n, "share"), words.Plural(n, "has", "have"), ranges(t.Missing, p.All())))
	}
	if n := len(t.Interrupted); n > 0 {
		lines = append(lines, fmt.Sprintf("%s %s interrupted: %s", words.Count(n, "share"), words.Plural(n, "was", "were"), ranges(t.Interrupted, p.All())))
	}
	lines = append(lines, fmt.Sprintf("%s made in %s, the slowest share in %s", words.ShortBytes(t.Bytes), words.Seconds(t.Seconds), words.Seconds(t.MaxSeconds)))
	p.Items(lines...)
	if len(t.Failures) == 0 {
		return
	}
	table := render.Table{Title: "Failures", Header: []string{"source", "class", "message"}}
	for i, f := range t.Failures {
		if i == shownFailures && !p.All() {
			break
		}
		table.Add(words.Quote(f.Source), f.Class, f.Message)
	}
	p.Section(table)
	if n := t.Total.Failed - len(table.Rows); n > 0 {
		p.Remarks(fmt.Sprintf("%d more; the reports have a line for each", n))
	}
	p.More("--all")
}

// ranges lists numbers, at most ten of them unless all are wanted.
func ranges(numbers []int, all bool) string {
	const shown = 10
	if len(numbers) <= shown || all {
		return words.Ints(numbers, ", ")
	}
	return words.Ints(numbers[:shown], ", ") + ", …"
}

// Rows has one row of sums.
func (t total) Rows() render.Table {
	table := render.Table{Header: strings.Split("shares,missing_shares,interrupted_shares,units,made_units,skipped_units,failed_units,bytes,seconds,max_seconds,exit_code", ",")}
	table.Add(strconv.Itoa(t.Shares), strconv.Itoa(len(t.Missing)), strconv.Itoa(len(t.Interrupted)), strconv.Itoa(t.Units), strconv.Itoa(t.Made),
		strconv.Itoa(t.Skipped), strconv.Itoa(t.Total.Failed), strconv.FormatInt(t.Bytes, 10), fmt.Sprint(t.Seconds), fmt.Sprint(t.MaxSeconds), strconv.Itoa(t.ExitCode))
	return table
}
