package promise

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// count is what the records say of one trial.
type count struct {
	tried, failed int
	why           string // why it was not tried
}

// read adds up the records of a folder.
func read(dir string) (map[string]count, error) {
	counts := map[string]count{}
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
		c := counts[r.ID]
		c.tried, c.failed = c.tried+r.Tried, c.failed+r.Failed
		if r.Why != "" {
			c.why = r.Why
		}
		counts[r.ID] = c
	}
	return counts, lines.Err()
}

// report returns the table, and what is wrong: trials that failed, and those that were not made and have no reason.
func report(list []Promise, counts map[string]count) (table string, problems []string) {
	var b strings.Builder
	b.WriteString("| promise | one trial | tried | failed |\n|---|---|---:|---:|\n")
	for _, p := range list {
		fmt.Fprintf(&b, "| **%s** | **%s** | | |\n", p.ID, p.Text)
		for _, trial := range p.Trials {
			c := counts[trial.ID]
			tried, failed := grouped(c.tried), grouped(c.failed)
			switch {
			case c.failed > 0:
				problems = append(problems, fmt.Sprintf("%s: %d of %d trials of %s failed", trial.ID, c.failed, c.tried, trial.Test))
			case c.tried == 0 && c.why != "":
				tried, failed = "not run: "+c.why, ""
			case c.tried == 0:
				problems = append(problems, fmt.Sprintf("%s: %s made no trial and gave no reason", trial.ID, trial.Test))
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", trial.ID, trial.How, tried, failed)
		}
	}
	return b.String(), problems
}

// grouped is a number with a comma before every three digits.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// begin and end enclose the table in the page.
const begin, end = "<!-- begin: made by make -->\n", "<!-- end -->\n"

// replaceTable puts a text between the marks of a page.
func replaceTable(page, text string) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", errors.New("the page has no marks of the table")
	}
	return before + begin + text + end + after, nil
}
