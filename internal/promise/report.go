package promise

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// key is a trial and the library it is compared with.
type key struct{ id, witness string }

// count sums up the records of one key.
type count struct {
	tried, failed int
	why           string         // why the trial was not tried
	date          string         // of the last comparison
	reasons       map[string]int // reason → cases that differ
}

// read adds up the records of a folder.
func read(dir string) (map[key]count, error) {
	counts := map[key]count{}
	file, err := os.Open(filepath.Join(dir, recordsName))
	if errors.Is(err, fs.ErrNotExist) {
		return counts, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		c := counts[key{r.ID, r.Witness}]
		c.tried = c.tried + r.Tried
		c.failed = c.failed + r.Failed
		c.why = cmp.Or(r.Why, c.why)
		c.date = max(r.Date, c.date)
		if r.Reason != "" {
			if c.reasons == nil {
				c.reasons = map[string]int{}
			}
			c.reasons[r.Reason] += r.Differ
		}
		counts[key{r.ID, r.Witness}] = c
	}
	return counts, lines.Err()
}

// report returns the table, and the problems: failed trials, and trials that were not made without a reason.
func report(list []Promise, counts map[key]count) (table string, problems []string) {
	var b strings.Builder
	b.WriteString("| trial | what is tried | tried | failed |\n|---|---|---:|---:|\n")
	for _, p := range list {
		for _, trial := range p.Trials {
			c := counts[key{id: trial.ID}]
			tried := grouped(c.tried)
			failed := grouped(c.failed)
			if c.tried == 0 && c.why != "" {
				tried = "not run: " + c.why
				failed = ""
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", trial.ID, trial.How, tried, failed)
			problems = append(problems, c.problems(trial)...)
		}
	}
	return b.String(), problems
}

// problems returns the problems in the counts of a trial.
func (c count) problems(trial Trial) []string {
	if c.failed > 0 {
		return []string{fmt.Sprintf("%s: %d of %d trials of %s failed", trial.ID, c.failed, c.tried, trial.Test)}
	}
	if c.tried == 0 && c.why == "" {
		return []string{fmt.Sprintf("%s: %s made no trial and gave no reason", trial.ID, trial.Test)}
	}
	return nil
}

// compared is report for witnesses: a table of comparisons, and one of the reasons for differences, over all comparisons.
func compared(list []Promise, counts map[key]count) (table string, problems []string) {
	var b strings.Builder
	b.WriteString("| comparison | one case | witness | cases | differ | mismatches | date |\n|---|---|---|---:|---:|---:|---|\n")
	reasons := map[string]int{}
	for _, p := range list {
		for _, trial := range p.Trials {
			id := trial.ID
			how := trial.How
			for _, witness := range witnesses(counts, trial.ID) {
				c := counts[key{trial.ID, witness}]
				differ := 0
				for reason, cases := range c.reasons {
					differ += cases
					reasons[reason] += cases
				}
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", id, how, witness, grouped(c.tried), grouped(differ), grouped(c.failed), c.date)
				id = ""
				how = ""
				problems = append(problems, c.problems(trial)...)
				if c.tried > 0 && witness == "" {
					problems = append(problems, trial.ID+": no comparison was made")
				}
			}
		}
	}
	b.WriteString("\n| reason of a difference | cases |\n|---|---:|\n")
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(&b, "| %s | %s |\n", reason, grouped(reasons[reason]))
	}
	return b.String(), problems
}

// witnesses returns the witnesses of a trial, sorted; a nameless one if there are none.
func witnesses(counts map[key]count, id string) (all []string) {
	for k := range counts {
		if k.id == id {
			all = append(all, k.witness)
		}
	}
	if all == nil {
		return []string{""}
	}
	slices.Sort(all)
	return all
}

// grouped formats a number with a comma before every three digits.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// begin and end enclose the table in the page.
const begin, end = "<!-- begin: made by make -->\n", "<!-- end -->\n"

// replaceTable puts a text between a page's marks.
func replaceTable(page, text string) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", errors.New("the page has no marks for the table")
	}
	return before + begin + text + end + after, nil
}
