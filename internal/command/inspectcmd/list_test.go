package inspectcmd

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/render"
)

// rowsOf writes rows through measured, and checks that it holds no more than maxPending of them.
type rowsOf struct {
	t    *testing.T
	rows [][]string
}

func (r rowsOf) Page(p *cli.Page) {
	w := &measured{page: p, names: 2, columns: render.Columns{Header: []string{"source", "size", "layout", "news"}, Numbers: []int{1}}, drop: [][]int{{2}, {1}}}
	for _, row := range r.rows {
		p.Fail(w.Row(row...))
		if len(w.pending) >= maxPending {
			r.t.Fatalf("%d rows are held", len(w.pending))
		}
	}
	p.Fail(w.Close())
}

func (r rowsOf) lines(columns int) []string {
	var out bytes.Buffer
	a := &cli.App{Streams: &cli.Streams{Err: new(bytes.Buffer), Width: columns, Env: func(string) (string, bool) { return "", false }},
		Stdout: &out, Format: cli.Table, Color: cli.ColorNever}
	cli.Must(a.Write(r))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// TestMeasured: rows are aligned by the first of them, a column that is empty everywhere is left out, one that fills later is not,
// and a narrow terminal has the columns that it has room for.
func TestMeasured(t *testing.T) {
	few := rowsOf{t, [][]string{{"a.npy", "5 B", "NCHW", ""}, {"longer.npy", "12 KiB", "", ""}}}
	for columns, want := range map[int]string{
		0:  " source        size  layout\n a.npy          5 B  NCHW\n longer.npy  12 KiB",
		80: " source        size  layout\n a.npy          5 B  NCHW\n longer.npy  12 KiB",
	} {
		if got := strings.Join(few.lines(columns), "\n"); got != want {
			t.Errorf("%d columns:\n%s", columns, got)
		}
	}
	long := rowsOf{t, [][]string{{"  begin" + strings.Repeat("x", 30) + "end", "5 B", "NCHW", strings.Repeat("padded ", 5)}}}
	want := " source                  news\n   beginx...xxxxxxxxend  padded padded p..."
	if got := strings.Join(long.lines(44), "\n"); got != want {
		t.Errorf("44 columns:\n%s", got)
	}
	many := rowsOf{t: t}
	for i := range 10000 {
		many.rows = append(many.rows, []string{fmt.Sprintf("%05d.npy", i), "5 B", "", ""})
	}
	many.rows[9999][3] = "padded"
	lines := many.lines(80)
	if last := lines[len(lines)-1]; len(lines) != 10001 || last != " 09999.npy   5 B          padded" || !strings.HasSuffix(lines[0], " news") {
		t.Errorf("%d lines, the first and the last of them %q, %q", len(lines), lines[0], last)
	}
}

// TestListIsLight: a line of a list does not need what only a report of one tensor has, such as who accepts an array in every
// order of axes that nothing names. It is counted in allocations, which are the same on every machine.
func TestListIsLight(t *testing.T) {
	t.Chdir(t.TempDir())
	cli.Must(os.WriteFile("f.npy", fixture.Must(fixture.Npy("float32", []int{2, 3, 4, 5, 6}, true)), 0o600))
	allocations := func(sources int) float64 {
		args := slices.Repeat([]string{"f.npy"}, sources)
		return testing.AllocsPerRun(1, func() { shown(80, false, args...) })
	}
	report, line := allocations(1), (allocations(22)-allocations(2))/20
	if line*10 > report {
		t.Errorf("a line takes %.0f allocations, a report %.0f", line, report)
	}
}
