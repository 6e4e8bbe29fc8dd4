package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// runLine runs a printed command, or two with a pipe between them.
func runLine(t *testing.T, line string) {
	t.Helper()
	var in []byte
	for part := range strings.SplitSeq(line, " | ") {
		args := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(part, "tlayout "), "'", ""))
		o := runIn(t, []func(*cli.Streams){func(s *cli.Streams) { s.In = bytes.NewBuffer(in) }}, args...)
		if o.code != 0 {
			t.Fatalf("%s: %s", part, o.err)
		}
		in = []byte(o.out)
	}
}

// permutedFile is a's bytes in another order of its axes, under another shape or as they are, as a file with one of the names that a file may have.
func permutedFile(t *testing.T, shape, perm []int, fortran bool, name string) {
	t.Helper()
	u2 := fixture.Must(dtype.Parse("<u2"))
	var sizes []int
	for _, d := range perm {
		sizes = append(sizes, shape[d])
	}
	file := fixture.Must(npy.AppendHeader(nil, u2, fortran, sizes))
	strides, step := make([]int, len(shape)), 1
	for d := range slices.Backward(shape) {
		strides[d], step = step, step*shape[d]
	}
	coord := make([]int, len(perm))
	for range step {
		value := 0
		for k, d := range perm {
			value += coord[k] * strides[d]
		}
		value = value*value%40009 + value // no multiple, shift or sorted list of another
		file = append(file, byte(value), byte(value>>8))
		count(coord, sizes, fortran)
	}
	cli.Must(os.WriteFile(name, file, 0o644))
}

// count advances a coordinate in C or Fortran order.
func count(coord, sizes []int, fortran bool) {
	for k := range coord {
		at := len(coord) - 1 - k
		if fortran {
			at = k
		}
		coord[at]++
		if coord[at] < sizes[at] {
			return
		}
		coord[at] = 0
	}
}

// TestFixesGiveA: of pairs of files with the same elements, permuted, and under names that say so, say something else or say nothing, every fix that diff
// prints writes a's bytes under a's label. Pairs that are equal in an order that one of them does not name get none.
func TestFixesGiveA(t *testing.T) {
	r := random.New(t)
	t.Chdir(t.TempDir())
	labels := map[int][]string{2: {"", "hw", "wh"}, 3: {"", "chw", "hwc"}, 4: {"", "nchw", "nhwc", "chwn"}}
	fixes, relabelled := map[string]int{}, 0
	for range 160 {
		rank := 2 + r.IntN(3)
		shape := [][]int{{7, 5}, {3, 7, 5}, {2, 3, 7, 5}}[rank-2]
		name := func(stem string) string {
			label := labels[rank][r.IntN(len(labels[rank]))]
			return strings.TrimSuffix(stem+"."+label, ".") + ".npy"
		}
		a, b := name("a"), name("b")
		fortran := r.IntN(2) == 0
		permutedFile(t, shape, []int{0, 1, 2, 3}[:rank], fortran, a)
		permutedFile(t, shape, r.Perm(rank), r.IntN(4) == 0, b)
		o := runIn(t, nil, "diff", a, b, "--json")
		var found struct {
			Equal    bool
			Relation *struct {
				Fix   string
				FromA string `json:"from_a"`
			}
		}
		cli.Must(json.Unmarshal([]byte(o.out), &found))
		switch {
		case found.Equal || found.Relation == nil:
		case found.Relation.FromA != "":
			relabelled++
			if o := runIn(t, nil, "diff", a, b, "--from-a", found.Relation.FromA); o.code != 0 || found.Relation.Fix != "" {
				t.Errorf("%s and %s differ with --from-a %s: %s", a, b, found.Relation.FromA, o.out)
			}
		case found.Relation.Fix != "":
			line := found.Relation.Fix
			fixes[filepath.Ext(line)]++
			runLine(t, line)
			made := line[strings.LastIndexByte(line, ' ')+1:]
			givesA(t, a, made, line)
			cli.Must(os.Remove(made))
		}
		cli.Must(os.Remove(a))
		cli.Must(os.Remove(b))
	}
	if fixes[".npy"] < 20 || relabelled < 3 {
		t.Errorf("%v fixes, %d relabelled", fixes, relabelled)
	}
}

// givesA checks that a file has the elements of a in their order in memory, and names its axes as a does.
func givesA(t *testing.T, a, made, line string) {
	t.Helper()
	if o := runIn(t, nil, "diff", a, made); o.code != 0 {
		t.Errorf("%s: %s", line, o.out)
	}
	var head [2]struct {
		Layout string
		From   string `json:"layout_from"`
	}
	var data [2][]byte
	for i, file := range []string{a, made} {
		cli.Must(json.Unmarshal([]byte(runIn(t, nil, "inspect", file, "--json").out), &head[i]))
		content := fixture.Must(os.ReadFile(file))
		data[i] = content[128:]
	}
	if !bytes.Equal(data[0], data[1]) || head[0] != head[1] {
		t.Errorf("%s: %v, expected %v; bytes equal %t", line, head[1], head[0], bytes.Equal(data[0], data[1]))
	}
}
