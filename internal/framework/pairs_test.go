package framework

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// pairTypes are an element type of every kind that frameworks differ about. >f4 is float32 with its bytes swapped.
var pairTypes = strings.Fields("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 float128 " +
	"complex32 bcomplex32 complex64 complex128 complex256 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 " +
	"float8_e5m2fnuz float8_e8m0fnu float6_e2m3fn float6_e3m2fn S3 U3 M8[s] m8[s] V2 i4,f8 >f4")

// pair is a name and a type, and the verdict: the framework accepts a tensor of the name's layout and the type, under that
// name if it has names. row is the framework and the name.
type pair struct {
	framework *Framework
	entry     Entry
	dtype     string
	ok        bool
	why       string
}

func (p pair) row() string { return strings.TrimSpace(p.framework.Name + " " + p.entry.Name) }

// pairs are all pairs, framework by framework and name by name. A framework without names, or whose names follow from a
// rule, has one row for its types, over row-major N,C,H,W.
func pairs(t *testing.T) []pair {
	t.Helper()
	var all []pair
	for _, f := range frameworks {
		entries := []Entry{{Order: "N C H W"}}
		if f.spell == nil && f.names != nil {
			entries = slices.DeleteFunc(slices.Clone(f.names), func(e Entry) bool { return e.use == catalogueOnly || e.layouts() == nil })
		}
		for _, e := range entries {
			for _, typ := range pairTypes {
				o := pairOffer(t, f, e, typ)
				a := f.Expresses(o)
				p := pair{f, e, typ, a.OK, a.Why}
				if e.Name != "" && a.OK && !slices.Contains(f.NamesFor(o), e.spelled()) {
					p.ok, p.why = false, "accepted, but not under this name"
				}
				all = append(all, p)
			}
		}
	}
	return all
}

// pairOffer is a tensor of a name's layout: of whole blocks if the framework needs them, and otherwise with padding, so that
// no other format has the same addresses.
func pairOffer(t *testing.T, f *Framework, e Entry, typ string) Offer {
	t.Helper()
	v := e.layouts()[0]
	for _, other := range e.layouts() {
		if slices.Contains(strings.Fields(other.types), typ) {
			v = other
			break
		}
	}
	order, err := notation.Parse(v.order)
	if v.order == RowMajorOrder {
		order.Format, err = notation.RowMajor(strings.Split("NCHW", "")), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]int, order.Format.Rank())
	for d := range sizes {
		sizes[d] = []int{2, 6, 3, 5, 7, 4}[d]
		for _, a := range order.Format.DigitAxes(d)[:1] {
			if a.Div > 1 {
				sizes[d] = 2*a.Div + 1
			}
			if a.Div > 1 && f.Blocks == ByWholeName {
				sizes[d] = 2 * a.Div
			}
		}
		if f.Pitch > 0 {
			sizes[d] = f.Pitch
		}
	}
	if v.channels != nil {
		sizes[slices.Index(order.Format.Names(), "C")] = v.channels[0]
	}
	l, err := order.Format.Bind(sizes)
	if err != nil {
		t.Fatal(err)
	}
	return offer(t, l, order.Format, typ)
}

// offer is a packed layout of an order and a type, without a file.
func offer(t *testing.T, l tensor.Layout, order notation.Format, typ string) Offer {
	t.Helper()
	d, err := dtype.Parse(typ)
	if err != nil {
		t.Fatal(err)
	}
	return Offer{Layout: l, Stored: l, Orders: []notation.Format{order}, Order: &order, Overlapping: tensor.No, DType: d, Copy: "some bytes"}
}

// headers is testdata/headers.txt: what headers say, in their words.
type headers struct {
	types, names map[string][]string // of a framework; of a framework and a name
	ranks        map[string][2]int
	means        map[string]string // a framework and a word: its type
	dims         map[string]int    // of a framework and a name: the fewest
	takes        map[string]string // of a framework
	padding      map[string]string
}

func readHeaders(t *testing.T) headers {
	t.Helper()
	text, err := os.ReadFile("testdata/headers.txt")
	if err != nil {
		t.Fatal(err)
	}
	h := headers{types: map[string][]string{}, names: map[string][]string{}, ranks: map[string][2]int{}, means: map[string]string{},
		dims: map[string]int{}, takes: map[string]string{}, padding: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		if len(w) > 0 {
			w[0] = frameworkOf(w[0])
		}
		switch {
		case len(w) == 0 || w[0] == "#":
		case w[1] == "takes":
			h.takes[w[0]] = strings.Join(w[2:], " ")
		case w[1] == "padding":
			h.padding[w[0]] = strings.Join(w[2:], " ")
		case w[1] == "types":
			h.types[w[0]] = w[2:]
		case w[1] == "ranks":
			h.ranks[w[0]] = [2]int{number(t, w[2]), number(t, w[3])}
		case w[1] == "name":
			key := w[0] + " " + w[2]
			for _, word := range w[3:] {
				if dims, ok := strings.CutPrefix(word, "dims:"); ok {
					h.dims[key] = number(t, dims)
				} else {
					h.names[key] = append(h.names[key], word)
				}
			}
		case len(w) == 4 && w[2] == "=":
			h.means[w[0]+" "+w[1]] = w[3]
		default:
			t.Fatalf("testdata/headers.txt: %s", line)
		}
	}
	return h
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// has reports whether one of a framework's words means a type. A word that is not explained is the type's own name.
func (h headers) has(framework, typ string, wordList []string) bool {
	return slices.ContainsFunc(wordList, func(word string) bool {
		means, explained := h.means[framework+" "+word]
		return means == typ || !explained && word == typ
	})
}

// TestPairsByHeaders recomputes the verdict of every pair from the headers' own words: the framework has the type, and the
// name requires it, or requires none.
func TestPairsByHeaders(t *testing.T) {
	h := readHeaders(t)
	compared, used := 0, map[string]bool{}
	for _, p := range pairs(t) {
		f := p.framework.Name
		if h.types[f] == nil { // those that are run, that take any type, or of which nothing is known
			continue
		}
		want := h.has(f, p.dtype, h.types[f])
		if required, ok := h.names[p.row()]; ok {
			want = want && h.has(f, p.dtype, required)
			used[p.row()] = true
		}
		if compared++; p.ok != want {
			t.Errorf("%s, %s: %v (%s), the header says %v", p.row(), p.dtype, p.ok, p.why, want)
		}
		if dims, ok := h.dims[p.row()]; ok && p.entry.MinDims != dims {
			t.Errorf("%s takes %d dims and more, the header says %d", p.row(), p.entry.MinDims, dims)
		}
	}
	if len(used) != len(h.names) || compared < 1300 {
		t.Errorf("%d pairs compared; %d of %d names in headers.txt are in the catalogue", compared, len(used), len(h.names))
	}
	for _, f := range frameworks {
		if unknown := f.Types == "" || f.Types == AnyType; unknown == (h.types[f.Name] != nil) && f != PyTorch { // PyTorch is run
			t.Errorf("the types of %s are %q, the header's %v", f.Name, f.Types, h.types[f.Name])
		}
	}
}

// TestRanksByHeaders: every framework takes tensors of its fewest and its most dims by its header, and of none less and none more,
// whatever it learns the order from.
func TestRanksByHeaders(t *testing.T) {
	h := readHeaders(t)
	for _, f := range frameworks {
		ranks, ok := h.ranks[f.Name]
		if !ok {
			t.Errorf("no header says the dims of %s", f.Name)
		}
		fewest, most := ranks[0], ranks[1]
		if most == 0 {
			most = tensor.MaxRank
		}
		for _, rank := range []int{fewest - 1, fewest, most, most + 1} {
			if rank < 0 || rank > tensor.MaxRank {
				continue
			}
			want := rank >= fewest && rank <= most
			if got := f.AcceptsRank(rank); got != want {
				t.Errorf("%s takes tensors of %d dims: %v, the header says %v", f.Name, rank, got, want)
			}
			if a := f.Accepts(ones(t, f, rank)); f.Order != ByName && rank > 0 && (a.OK != want || !want && !strings.Contains(a.Why, " dims")) {
				t.Errorf("%s accepts a tensor of %d dims: %+v, the header says %v", f.Name, rank, a, want)
			}
		}
	}
}

// The words of headers.txt for how a framework learns orders and blocks.
var (
	orderWords = map[Convention]string{ByName: "name", ByFormat: "format", ByStrides: "strides", ByNesting: "nesting", ByShape: "shape", ByOwnDigits: "digits",
		ByDense: "dense"}
	blockWords = map[Convention]string{ByName: "named", ByWholeName: "named", ByFormat: "named", ByAxes: "axes", ByDigits: "digits", ByOwnDigits: "nested",
		Unsupported: "none"}
)

// namesBlocks reports whether the framework is told blocks by a name.
func (f *Framework) namesBlocks() bool { return blockWords[f.Blocks] == "named" }

// TestConventions: how every framework learns orders, blocks and strides, what it refuses, and what it keeps in padding is what
// headers.txt says.
func TestConventions(t *testing.T) {
	h := readHeaders(t)
	for _, f := range frameworks {
		got := "order:" + orderWords[f.Order] + " blocks:" + blockWords[f.Blocks]
		for _, x := range []struct {
			word string
			is   bool
		}{
			{"unit:" + f.Unit, f.Unit != ""}, {"block-unit:" + f.BlockUnit, f.BlockUnit != ""}, {"negative:refused", f.Negative != ""},
			{"empty:refused", f.Empty != ""}, {"overlap:inputs", f.Overlap != ""}, {"whole:blocks", f.Blocks == ByWholeName}, {"array:stored", f.Stored},
			{"shape:memory", f.Sizes != OfTensor}, {"sizes:innermost-first", f.Sizes == InnermostFirst}, {"listed:if-accepted", f.Rare},
			{fmt.Sprint("align:", f.Align), f.Align > 0}, {fmt.Sprint("pitch:", f.Pitch), f.Pitch > 0},
			{"units:ignored", f.Units}, {"halves:even", f.Packed == PackedEven},
		} {
			if x.is {
				got += " " + x.word
			}
		}
		if got != h.takes[f.Name] || f.Padding != h.padding[f.Name] {
			t.Errorf("%s takes %s, padding %q; the header says %s, %q", f.Name, got, f.Padding, h.takes[f.Name], h.padding[f.Name])
		}
	}
}

// ones is an offer of one element of a type that the framework takes, of so many dims.
func ones(t *testing.T, f *Framework, rank int) Offer {
	t.Helper()
	shape := slices.Repeat([]int{1}, rank)
	strides := slices.Repeat([]int{max(1, f.Pitch)}, rank)
	l, err := tensor.Strided{Shape: shape, Strides: strides}.Layout(nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	return offer(t, l, notation.RowMajor(l.Names()), "float32")
}

// TestFormatRanks: a TensorRT format is available from its fewest dims to TensorRT's most, its vector dim third or fourth from
// the end; the names of the dims before do not matter. A matrix is kLINEAR alone.
func TestFormatRanks(t *testing.T) {
	h := readHeaders(t)
	checked := 0
	for _, e := range tensorRTNames {
		fewest, listed := h.dims["TensorRT "+e.Name]
		if !listed {
			continue
		}
		v := e.layouts()[0]
		inner := map[int]string{3: "CHW", 4: "CDHW"}[fewest]
		for rank := fewest; rank < 10; rank++ {
			dims := strings.Split("XYTZBGN"[7-(rank-fewest):]+inner, "")
			order, ok := v.over(dims)
			if !ok {
				t.Fatalf("%s over %v", e.Name, dims)
			}
			sizes := slices.Repeat([]int{3}, rank)
			l, err := order.Bind(sizes)
			if err != nil {
				t.Fatal(err)
			}
			o := offer(t, l, order, strings.Fields(v.types)[0])
			if got := slices.Contains(TensorRT.NamesFor(o), e.Name); got != (rank <= h.ranks["TensorRT"][1]) {
				t.Errorf("%s, %d dims %v: %v; %+v", e.Name, rank, dims, got, TensorRT.Accepts(o))
			}
			checked++
		}
	}
	if checked < 60 {
		t.Errorf("only %d formats and ranks checked", checked)
	}
	for _, typ := range pairTypes {
		for _, name := range []string{"HW", "WH"} {
			order := orderNamed(t, name)
			l, err := order.Bind([]int{8, 16})
			if err != nil {
				t.Fatal(err)
			}
			if names := strings.Join(TensorRT.NamesFor(offer(t, l, order, typ)), " "); names != "" && (name == "WH" || names != "kLINEAR") {
				t.Errorf("a matrix %s of %s is %s", name, typ, names)
			}
		}
	}
}
