package notation

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// offerOf is a layout of float32 in an order that it is the packed one of, or in none.
func offerOf(t *testing.T, layout string) Offer {
	t.Helper()
	l, err := ParseLayout(layout)
	if err != nil {
		t.Fatal(err)
	}
	dtype, err := tensor.ParseDType("float32")
	if err != nil {
		t.Fatal(err)
	}
	o := Offer{Layout: l, DType: dtype, Copy: "some bytes"}
	if f, ok := Of(l); ok {
		if o.Order = &f; f.Packs(l) {
			o.Orders = []Format{f}
		}
	}
	return o
}

// TestFrameworkRows: every row has a source, and a reason wherever a name is asked for; the constants have rows.
func TestFrameworkRows(t *testing.T) {
	for _, f := range frameworks {
		if f.Source == "" || (f.Telling == ByName || f.Blocking == BlocksNamed) != (f.Nameless != "") || f.Unit == "" && f.Telling == ByStrides {
			t.Errorf("%+v", f)
		}
	}
	if len(Takers()) != 8 || len(Frameworks()) != len(frameworks)-1 {
		t.Errorf("%d takers, %d frameworks with names", len(Takers()), len(Frameworks()))
	}
	if got := strings.Join(WithoutNegative(), " "); got != "PyTorch DirectML oneDNN cuDNN" {
		t.Errorf("negative strides are refused by %s", got)
	}
}

// TestTakesRank: the numbers of dims that the frameworks take, to the last one: DirectML's 1 to 8 (semantics 3),
// MegEngine's MAX_NDIM of 7 (4), oneDNN's 12 and cuDNN's 3 to 8 (5).
func TestTakesRank(t *testing.T) {
	for _, c := range []struct {
		framework   string
		first, last int
	}{{DirectML, 1, 8}, {MegEngine, 1, 7}, {OneDNN, 1, 12}, {CuDNN, 3, 8}, {PyTorch, 1, 14}, {NumPy, 1, 14}} {
		for rank := 1; rank < 15; rank++ {
			ones := strings.TrimSuffix(strings.Repeat("1,", rank), ",")
			a := FrameworkOf(c.framework).Takes(offerOf(t, "("+ones+"):("+ones+")"))
			if want := rank >= c.first && rank <= c.last; a.OK != want || a.OK == strings.Contains(a.Why, "dims") {
				t.Errorf("%s, %d dims: %+v", c.framework, rank, a)
			}
		}
	}
}

// TestTakes: what each way of telling a layout can say, and what it cannot.
func TestTakes(t *testing.T) {
	const blocked = "(2,(4,2),3):(24,(1,12),4)"
	for _, c := range []struct{ framework, layout, why string }{
		{PyTorch, "(2,3):(5,1)", ""}, {PyTorch, "(3):(-1)@2", "no: it has no negative strides; x.copy() is some bytes"},
		{PyTorch, blocked, "as an array of shape (2, 2, 3, 4)"}, {PyTorch, "(2,(2,2)):(1,(1,1))", "no: its blocks are in no order"},
		{NumPy, "(3):(-1)@2", "np.save writes a row-major copy of some bytes: the layout is lost"},
		{DirectML, "(3):(-1)@2", "no: its strides are unsigned"}, {DirectML, "(0,3):(3,1)", "no: sizes are at least 1"},
		{DirectML, blocked, "with a dim for each digit, 4 in all, for operators that work element by element"},
		{OneDNN, "(2,3):(5,2)", "no: a stride is less than what the dims inside it take"}, {OneDNN, blocked, ""},
		{MegEngine, "(2,3):(-5,1)@5", ""}, {MegEngine, blocked, "no: it has no format of these blocks"},
		{TensorRT, "(2,3):(3,1)", ""}, {TensorRT, "(2,3):(3,1)@7", ""}, {TensorRT, "(2,3):(4,1)", "no: none of its formats lies so"},
		{CuDNN, "(2,3,4):(0,4,1)", "as an input only: outputs must not overlap"}, {CuDNN, "(2,3,4):(13,4,1)", ""},
		{CuDNN, blocked, "no: one stride a dim cannot say its blocks"}, {CuTeName, "(3):(-1)@2", ""},
		{Safetensors, "(2,3):(3,1)", ""}, {Safetensors, blocked, "no: it stores no blocks, only the plain array of the physical axes"},
	} {
		a := FrameworkOf(c.framework).Takes(offerOf(t, c.layout))
		if got := map[bool]string{true: "", false: "no: "}[a.OK] + a.Why; got != c.why {
			t.Errorf("%s, %s: %q, expected %q", c.framework, c.layout, got, c.why)
		}
	}
}
