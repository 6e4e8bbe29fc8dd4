package cute

import (
	"bufio"
	"compress/gzip"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pycuteCase is a line of testdata/pycute.txt.gz: layouts, a tiler, and what pycute answers to each operation.
type pycuteCase struct {
	line    int
	a, b    Layout
	tiler   argument
	n, k, i int
	answers map[string]string
}

func mustParse(t testing.TB, text string) Layout {
	t.Helper()
	l, err := ParseLayout(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return l
}

func mustArgument(t testing.TB, text string) argument {
	t.Helper()
	a, err := newParser(text).argument()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

func pycuteCases(t testing.TB) []pycuteCase {
	t.Helper()
	f, err := os.Open("testdata/pycute.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(plain)
	var names []string
	var all []pycuteCase
	for n := 1; lines.Scan(); n++ {
		if header, ok := strings.CutPrefix(lines.Text(), "# "); ok {
			names = strings.Fields(header)
			continue
		}
		fields := strings.Fields(lines.Text())
		c := pycuteCase{line: n, a: mustParse(t, fields[0]), b: mustParse(t, fields[1]), tiler: mustArgument(t, fields[2]), answers: map[string]string{}}
		for k, to := range []*int{&c.n, &c.k, &c.i} {
			if *to, err = strconv.Atoi(fields[3+k]); err != nil {
				t.Fatal(err)
			}
		}
		if len(fields) != 6+len(names) {
			t.Fatalf("line %d has %d fields", n, len(fields))
		}
		for k, name := range names {
			c.answers[name] = fields[6+k]
		}
		all = append(all, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// run applies an operation of the vectors. The text is a layout, a number or "!" for a refusal.
func (c pycuteCase) run(t *testing.T, column string) (args string, text string) {
	var call Call
	switch column {
	case "coalesce_by":
		call = Call{Name: "coalesce", args: []argument{{kind: tuple, parts: make([]argument, c.k)}}}
	case "composition", "logical_divide", "logical_product":
		call = Call{Name: column, args: []argument{{kind: typed, layout: c.b}}}
	case "composition_by", "logical_divide_by", "logical_product_by":
		call = Call{Name: strings.TrimSuffix(column, "_by"), args: []argument{c.tiler}}
	case "zipped_divide", "tiled_divide", "zipped_product":
		call = Call{Name: column, args: []argument{c.tiler}}
	case "complement":
		call = Call{Name: column, args: []argument{{n: c.n}}}
	case "at":
		call = Call{Name: column, args: []argument{{n: c.i}}}
	default:
		call = Call{Name: column}
	}
	for _, a := range call.args {
		args += a.String()
	}
	k := slices.IndexFunc(operations, func(o operation) bool { return o.Name == call.Name })
	l, value, err := operations[k].run(c.a, call.args, nil)
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		return args, "!"
	case err != nil:
		t.Fatalf("line %d, %s(%s) of %s: %v", c.line, column, args, c.a, err)
	case value != nil:
		return args, strconv.Itoa(*value)
	}
	return args, l.String()
}

// TestPycute: every operation returns what pycute does, or refuses what pycute refuses, over random layouts. Where the two
// differ, explain proves by definition that pycute's answer is wrong, or ours right where pycute refuses.
func TestPycute(t *testing.T) {
	counts := map[string]map[string]int{}
	for _, c := range pycuteCases(t) {
		for column, want := range c.answers {
			if counts[column] == nil {
				counts[column] = map[string]int{}
			}
			args, got := c.run(t, column)
			why := "equal"
			switch {
			case got == "!" && want == "!":
				why = "both refuse"
			case got != want:
				why = c.explain(column, got, want)
			}
			if why == "" {
				t.Errorf("line %d: %s(%s) of %s is %s, pycute has %s", c.line, column, args, c.a, got, want)
			}
			counts[column][why]++
		}
	}
	for column, by := range counts {
		total := 0
		for _, n := range by {
			total += n
		}
		t.Logf("%-20s %d: %v", column, total, by)
		if total < 5000 || by["equal"] < total*6/10 {
			t.Errorf("%s: %v of %d cases", column, by, total)
		}
	}
}
