package pairing

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/tensor"
)

const madeVariable = "TLAYOUT_TEST_MADE_CASES"

// madeCases returns how many cases of each row a test draws: 240 in the thorough run, 15 by default.
func madeCases(t *testing.T) int {
	t.Helper()
	drawn := random.Cases(t, madeVariable, 240)
	if os.Getenv(madeVariable) == "" && !random.Thorough() {
		return max(1, drawn/2)
	}
	return drawn
}

// madeCase is what NumPy made: the tensors of both sides, of which one is all made of the other.
type madeCase struct {
	arrays    [2][]array
	explained int // the side that is made of the other
}

// readCase reads a description and the bytes of its tensors.
func readCase(t *testing.T, numpy *oracle.Oracle) (c madeCase) {
	t.Helper()
	var answer struct {
		Explained string
		Tensors   []struct {
			Side, Name, DType string
			Shape             []int
			Bytes             int
		}
	}
	err := numpy.Read(&answer)
	if err != nil {
		t.Fatal(err)
	}
	sides := map[string]int{"a": 0, "b": 1}
	c.explained = sides[answer.Explained]
	for _, x := range answer.Tensors {
		data, err := numpy.Bytes(x.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		side := sides[x.Side]
		own := array{name: x.Name, typ: x.DType, shape: x.Shape}
		size := map[string]int{"F32": 4, "F16": 2, "BF16": 2, "I64": 8, "U8": 1}[x.DType]
		for item := range slices.Chunk(data, size) {
			own.items = append(own.items, item)
		}
		c.arrays[side] = append(c.arrays[side], own)
	}
	return c
}

// explaining is how diff explains the tensors of two files: first those that have the same elements, and then, of what is left, those that are made
// of rows of others.
type explaining struct {
	sides [2]Side
	items [2][]relate.Item
	found [2]map[int]bool
	// pieces are those of the tensors of each side, by name.
	pieces [2]map[string][]Piece
}

// explain writes the files of a case and explains their tensors.
func explain(t *testing.T, dir string, c madeCase) *explaining {
	t.Helper()
	e := &explaining{found: [2]map[int]bool{{}, {}}, pieces: [2]map[string][]Piece{{}, {}}}
	for side, file := range []string{"a.safetensors", "b.safetensors"} {
		var names []string
		e.sides[side], names = writeArrays(t, filepath.Join(dir, file), c.arrays[side])
		e.items[side] = must(e.sides[side].Contents(names))
	}
	for _, m := range relate.Pair(e.items[0], e.items[1], relate.NewWork()) {
		e.explainPair(m)
	}
	e.explainRows()
	return e
}

// explainPair explains a tensor that has the same elements as one of a: by the layout that reads them, or else by blocks of rows.
func (e *explaining) explainPair(m relate.Match) {
	nameA := e.items[0][m.A].Name
	nameB := e.items[1][m.B].Name
	e.found[0][m.A] = true
	e.found[1][m.B] = true
	a := must(e.sides[0].Open(nameA))
	defer a.Close()
	b := must(e.sides[1].Open(nameB))
	defer b.Close()
	first := Whole(a)
	second := Whole(b)
	search := Search{SameElements: true, Budget: relate.NewWork().Budget(first.Bytes() + second.Bytes()), Convert: convert.Options{Threads: 1}}
	r := must(Related(first, second, search))
	if r == nil || r.Kind == relate.Shuffled || r.Differ > 0 {
		items := [2][]relate.Item{{e.items[0][m.A]}, {e.items[1][m.B]}}
		for _, made := range FindMade(e.sides, items, [2][]int{nil, {0}}) {
			e.pieces[1][nameB] = made.Pieces
		}
		return
	}
	if r.Explained < 1 {
		return
	}
	if r.CanRead {
		e.pieces[1][nameB] = []Piece{NewPiece(nameA, a.Layout, r.Reading)}
		return
	}
	if r.HasRows {
		packed := must(tensor.Packed(r.Rows.Shape()))
		rows := must(packed.Layout(nil, a.Layout.Alloc()))
		e.pieces[1][nameB] = []Piece{NewPiece(nameA, rows, r.Rows)}
	}
}

// explainRows explains what is left: by the rows that a tensor is made of, and, of a part of one, by where it is in the whole.
func (e *explaining) explainRows() {
	var targets [2][]int
	for side, items := range e.items {
		for i := range items {
			if !e.found[side][i] {
				targets[side] = append(targets[side], i)
			}
		}
	}
	found := FindMade(e.sides, e.items, targets)
	for _, m := range found {
		side := sideOf(m)
		e.pieces[side][e.items[side][m.Target].Name] = m.Pieces
	}
	for _, m := range found {
		side := sideOf(m)
		target := e.items[side][m.Target].Name
		parts := map[string][]Piece{}
		for _, p := range m.Pieces {
			parts[p.Name] = append(parts[p.Name], NewPiece(target, p.To, p.From))
		}
		for name, pieces := range parts {
			if e.pieces[1-side][name] == nil {
				e.pieces[1-side][name] = pieces
			}
		}
	}
}

// sideOf returns the side of what is made.
func sideOf(m Made) int {
	if m.InA {
		return 0
	}
	return 1
}

// outcomes counts cases.
type outcomes struct{ found, wrong, silent int }

// count compares what a case is explained by with what NumPy made, element by element.
func (o *outcomes) count(t *testing.T, dir string, c madeCase) {
	t.Helper()
	e := explain(t, dir, c)
	sources := map[string]array{}
	for _, x := range c.arrays[1-c.explained] {
		sources[x.name] = x
	}
	isSilent := false
	for _, x := range c.arrays[c.explained] {
		pieces := e.pieces[c.explained][x.name]
		if pieces == nil {
			isSilent = true
			t.Logf("silent: %s %s%v of %s", x.typ, x.name, x.shape, shapesOf(c.arrays[1-c.explained]))
			continue
		}
		mistake := mistakeOf(Made{Pieces: pieces}, x, sources)
		if mistake != "" {
			t.Errorf("wrong: %s", mistake)
			o.wrong++
			return
		}
	}
	if isSilent {
		o.silent++
		return
	}
	o.found++
}

func shapesOf(arrays []array) (s string) {
	for _, x := range arrays {
		s += fmt.Sprintf("%s%v ", x.name, x.shape)
	}
	return s
}

// TestMadeByNumPy: what NumPy joins, interleaves, stacks, cuts and permutes, of any sizes and dtypes and under names that say nothing, is explained
// by copies that give its bytes: at least 97 of 100 cases of each row of the table, and none wrong.
func TestMadeByNumPy(t *testing.T) {
	numpy := oracle.NumPy(t, "made.py", strconv.FormatUint(random.Seed(t), 10))
	var table []string
	err := numpy.Read(&table)
	if err != nil {
		t.Fatal(err)
	}
	n := madeCases(t)
	for _, row := range table {
		t.Run(row, func(t *testing.T) {
			err := numpy.Ask(map[string]any{"row": row, "cases": n})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var o outcomes
			for k := range n {
				c := readCase(t, numpy)
				folder := filepath.Join(dir, strconv.Itoa(k%8))
				err := os.MkdirAll(folder, 0o700)
				if err != nil {
					t.Fatal(err)
				}
				o.count(t, folder, c)
			}
			t.Logf("%-32s found %d, wrong %d, silent %d", row, o.found, o.wrong, o.silent)
			if 100*o.silent > 3*n {
				t.Errorf("%d of %d were not found", o.silent, n)
			}
		})
	}
}

// TestBlocksOfBytesByNumPy: a GRU's gates in another order are found where many elements are equal, as those of 8 bits are.
func TestBlocksOfBytesByNumPy(t *testing.T) {
	numpy := oracle.NumPy(t, "made.py", "1")
	var table []string
	err := numpy.Read(&table)
	if err != nil {
		t.Fatal(err)
	}
	err = numpy.Ask(map[string]any{"row": "blocks of rows", "cases": 1, "first": 1442})
	if err != nil {
		t.Fatal(err)
	}
	var o outcomes
	o.count(t, t.TempDir(), readCase(t, numpy))
	if o.found != 1 {
		t.Errorf("%+v", o)
	}
}

// TestShuffledWithinRows: rows that have the same elements as those of another tensor, each in an order of its own, are not that tensor's rows.
func TestShuffledWithinRows(t *testing.T) {
	r := random.New(t)
	dir := t.TempDir()
	q := counted("q", 24, 16)
	k := counted("k", 8, 16)
	for i := range k.items {
		k.items[i] = []byte{byte(i), 1, 2, 3}
	}
	for n := range 8 {
		whole := array{name: "qk", typ: "F32", shape: []int{32, 16}, items: slices.Concat(q.items, k.items)}
		for row := range 32 {
			items := whole.items[16*row:][:16]
			r.Shuffle(16, func(i, j int) {
				swapped := items[i]
				items[i] = items[j]
				items[j] = swapped
			})
		}
		folder := filepath.Join(dir, strconv.Itoa(n))
		err := os.MkdirAll(folder, 0o700)
		if err != nil {
			t.Fatal(err)
		}
		e := explain(t, folder, madeCase{arrays: [2][]array{{q, k}, {whole}}, explained: 1})
		if pieces := e.pieces[1]["qk"]; pieces != nil {
			t.Errorf("%v", pieces)
		}
	}
}
