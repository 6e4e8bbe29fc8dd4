package cachesim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

// TestCachegrindAnew measures the walks again, compares them, and writes the fixtures. It needs valgrind and gcc: make verify-cachegrind.
func TestCachegrindAnew(t *testing.T) {
	if os.Getenv("TLAYOUT_TEST_CACHEGRIND") == "" {
		t.Skip("TLAYOUT_TEST_CACHEGRIND is not set")
	}
	file := cachegrind{Valgrind: run(t, "valgrind", "--version"), GCC: run(t, "gcc", "-dumpfullversion")}
	for _, m := range cachegrindWalks() {
		m.measure(t)
		m.compare(t)
		file.Walks = append(file.Walks, m)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, `{"valgrind": %q, "gcc": %q, "walks": [`, file.Valgrind, file.GCC)
	for i, m := range file.Walks {
		row, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(strings.Repeat(",", min(i, 1)) + "\n" + string(row))
	}
	if err := os.WriteFile(fixtures, append(text.Bytes(), "\n]}\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// measure compiles the walk and runs it twice: with the caches, and with an L1 whose lines are pages.
func (m *measured) measure(t *testing.T) {
	program := filepath.Join(t.TempDir(), "walk")
	source := filepath.Join("testdata", "cachegrind", "walk.c")
	run(t, "gcc", append(m.macros(), "-O2", "-g", "-o", program, source)...)
	g := geometry(t, m.Cache)
	l1 := grind(t, program, g.Levels[0], g.Levels[1])
	m.Reads, m.L1, m.L2 = l1[3], l1[4], l1[5]
	m.Pages = grind(t, program, g.TLB, g.Levels[1])[4]
}

// macros returns the walk's constants. Strides are computed from the letters of the layout's name, without package notation.
func (m *measured) macros() []string {
	letters := strings.TrimRight(m.Layout, "0123456789")
	block, blocked := 1, letters != m.Layout
	size := map[rune]int{'n': m.Shape[0], 'c': m.Shape[1], 'h': m.Shape[2], 'w': m.Shape[3]}
	stride, strides := m.Item, map[rune]int{}
	if blocked {
		block, _ = strconv.Atoi(m.Layout[len(letters):])
		stride *= block
	}
	size['c'] = (size['c'] + block - 1) / block
	for i := len(letters) - 1; i >= 0; i-- {
		letter := rune(letters[i])
		strides[letter] = stride
		stride *= size[letter]
	}
	channel := 0
	if m.Order == "channel" {
		channel = 1
	}
	return strings.Fields(fmt.Sprintf(
		"-DN=%d -DC=%d -DH=%d -DW=%d -DBLOCK=%d -DSN=%d -DSCO=%d -DSCI=%d -DSH=%d -DSW=%d -DCHANNEL=%d -DITEM=uint%d_t",
		m.Shape[0], m.Shape[1], m.Shape[2], m.Shape[3], block, strides['n'], strides['c'], m.Item, strides['h'], strides['w'],
		channel, 8*m.Item))
}

// grind returns what cachegrind counts at the line VISIT of walk: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw.
func grind(t *testing.T, program string, d1, ll cachesim.Level) []int {
	out := program + ".out"
	option := func(name string, l cachesim.Level) string {
		return fmt.Sprintf("--%s=%d,%d,%d", name, l.Size, l.Ways, l.Line)
	}
	run(t, "valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=65536,2,4096", option("D1", d1), option("LL", ll),
		"--cachegrind-out-file="+out, program)
	return visits(t, out)
}

// visits finds, below fn=walk, the figures of the line with the mark VISIT.
func visits(t *testing.T, out string) []int {
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(text), "\nfn=walk\n")
	for _, line := range strings.Split(body, "\n") {
		words := strings.Fields(line)
		if len(words) != 10 {
			break
		}
		if words[0] == visitLine(t) {
			return numbers(t, words[1:])
		}
	}
	t.Fatalf("cachegrind has no line %s of walk:\n%s", visitLine(t), text)
	return nil
}

func visitLine(t *testing.T) string {
	source, err := os.ReadFile("testdata/cachegrind/walk.c")
	before, _, found := strings.Cut(string(source), "// VISIT")
	if err != nil || !found {
		t.Fatal("walk.c has no line VISIT: ", err)
	}
	return strconv.Itoa(strings.Count(before, "\n") + 1)
}

func numbers(t *testing.T, words []string) []int {
	var n []int
	for _, word := range words {
		v, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		n = append(n, v)
	}
	return n
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return strings.TrimSpace(string(out))
}
