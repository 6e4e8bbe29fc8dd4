package convert_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
)

// TestBenchmarkRows: every row of the benchmarks has a plan, and a unique name.
func TestBenchmarkRows(t *testing.T) {
	for _, set := range []struct {
		rows []row
		n    int
	}{{peerRows(), 28}, {markRows(), 350}, {oddRows(), 1450}, {growthRows(), 36}, {smallRows(), 40}} {
		names := map[string]bool{}
		for _, r := range set.rows {
			r.plan(t)
			names[r.String()] = true
		}
		if len(names) != set.n || len(set.rows) != set.n {
			t.Errorf("%d names of %d rows, want %d", len(names), len(set.rows), set.n)
		}
	}
	for _, r := range smallRows() {
		if _, _, from := r.plan(t); from.Alloc()*r.size != 4<<10 {
			t.Errorf("%s has %d bytes", r, from.Alloc()*r.size)
		}
	}
}

// TestBenchmarkCheck: a missing or partial conversion is detected before it is measured.
func TestBenchmarkCheck(t *testing.T) {
	r := row{[4]int{2, 3, 4, 5}, 2, "nchw", "nchw16"}
	plan, to, from := r.plan(t)
	var mem buffers
	mem.grow(to.Alloc() * r.size)
	if err := plan.Run(mem.dst, mem.src[:from.Alloc()*r.size], make([]byte, r.size), convert.Options{}); err != nil || r.check(mem.dst, mem.src, to, from) != nil {
		t.Errorf("%v, %v", err, r.check(mem.dst, mem.src, to, from))
	}
	for _, coord := range [][]int{{0, 0, 0, 0}, {1, 2, 3, 4}} {
		at := to.At(coord...) * r.size
		mem.dst[at]++
		if r.check(mem.dst, mem.src, to, from) == nil {
			t.Errorf("a wrong element at %v is not found", coord)
		}
		mem.dst[at]--
	}
}

// python runs a script of testdata/peers, or code with -c, and returns its output.
func python(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("/usr/bin/python3", append([]string{"-B"}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH=testdata/peers")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint.String())
	}
	return string(out)
}

func requirePython(t *testing.T) {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("no /usr/bin/python3")
	}
}

// make peers measures the rows of BenchmarkConvert/peers, in as many bytes as their layouts have.
func TestMarksRows(t *testing.T) {
	requirePython(t)
	var want strings.Builder
	for _, r := range peerRows() {
		_, to, from := r.plan(t)
		fmt.Fprintf(&want, "%s %d\n", r, (to.Alloc()+from.Alloc())*r.size/2)
	}
	if got := python(t, "-c", "import marks\nfor r in marks.ROWS: print(marks.name_of(r), marks.half_of(r))"); got != want.String() {
		t.Errorf("got\n%swant\n%s", got, want.String())
	}
}

// TestMarks: every mark is met or missed, by the listed rows, worst first; unmeasured ones are neither.
func TestMarks(t *testing.T) {
	requirePython(t)
	const result = "import marks\ndef row(n, tlayout, threads, behind): return ((n, 1, 1, 1), 4, 'nchw', 'nhwc'), " +
		"dict(tlayout=tlayout, threads=threads, behind=behind)\n"
	for rows, want := range map[string]string{
		"row(1, 0.6, 0.98, 1.05), row(2, 0.8, 1.9, 0.5)": `
Marks
- met: median of 2 rows at least 0.70: 0.70
- met: every row at least 0.25
- met: none behind oneDNN by more than 5%
- met: two threads never slower than one
`,
		"row(1, 0.2, 0.8, 1.06), row(2, 0.69, 0.5, 1.5), row(3, 0.8, 1, None)": `
Marks
- missed: median of 3 rows at least 0.70: 0.69
- missed: every row at least 0.25: 1x1x1x1 4 B nchw to nhwc by 20%
- missed: none behind oneDNN by more than 5%: 2x1x1x1 4 B nchw to nhwc by 50%, 1x1x1x1 4 B nchw to nhwc by 6%
- missed: two threads never slower than one: 2x1x1x1 4 B nchw to nhwc by 100%, 1x1x1x1 4 B nchw to nhwc by 25%
`,
		"row(1, 0.9, 1, None),": `
Marks
- met: median of 1 rows at least 0.70: 0.90
- met: every row at least 0.25
- not measured: none behind oneDNN by more than 5%
- met: two threads never slower than one
`,
	} {
		if got := python(t, "-c", result+"marks.marks(dict(["+rows+"]), '')"); got != want {
			t.Errorf("%s: %s, want %s", rows, got, want)
		}
	}
}

// TestMarksTable: a run alternates with peers, and reads the benchmark's output. Here the peers take the time that they report, and torch
// supports nothing. On a busy machine any ratio may come out.
func TestMarksTable(t *testing.T) {
	requirePython(t)
	peers := t.TempDir()
	const answer = `[ "$1" = version ] && echo version "$ONEDNN_MAX_CPU_ISA$0" || case "$*" in *memcpy*) echo x 1;; *) echo x `
	write(t, filepath.Join(peers, "onednn"), "#!/bin/sh\nwhile read line; do set -- $line\n"+answer+"0.000001;; esac\ndone\n")
	write(t, filepath.Join(peers, "arrays.py"), `import sys
for line in sys.stdin:
    print("version " + sys.argv[1] if line == "version\n" else "x 1000" if sys.argv[1] == "numpy" else "x -", flush=True)
`)
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got := python(t, "testdata/peers/marks.py", test, peers, "--level", "avx2", "--runs", "2", "--rounds", "2", "--rows", "32x3x224x224 1 B nchw to nhwc")
	const form = `^\d{4}-\d\d-\d\d, .*, \d+ cores; avx2; one thread; AVX2\S*onednn, numpy, torch
(?s:.*)\| 32x3x224x224 1 B nchw to nhwc \| \d+\.\d \| \d+\.\d\d \| \d+\.\d\d \| \d+\.\d\d \| 0.00 \| - \| \d+\.\d\d \|

Marks
- (met|missed): median of 1 rows at least 0\.60: \d+\.\d\d
- (met|missed): every row at least 0\.25(: .*)?
- missed: none behind oneDNN by more than 5%: 32x3x224x224 1 B nchw to nhwc by \d+%
- (met|missed): two threads never slower than one(: .*)?
$`
	if !regexp.MustCompile(form).MatchString(got) {
		t.Errorf("got\n%s", got)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
