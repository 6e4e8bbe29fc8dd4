package framework

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// ask puts a question to testdata/accept.py.
func ask(t *testing.T, o *oracle.Oracle, question, answer any) {
	t.Helper()
	if err := o.Ask(question); err != nil {
		t.Fatal(err)
	}
	if err := o.Read(answer); err != nil {
		t.Fatal(err)
	}
}

// TestLive asks PyTorch and NumPy, in one process, and the readers of DLPack, in another.
func TestLive(t *testing.T) {
	o := oracle.Torch(t, "accept.py")
	t.Run("types", func(t *testing.T) { compareTypes(t, o) })
	t.Run("permute", func(t *testing.T) { comparePermute(t, o) })
	for _, script := range []string{"dlpack.py", "descriptors.py"} {
		t.Run(script, func(t *testing.T) { compareRecorded(t, script) })
	}
}

// compareTypes: from_numpy accepts an array of a type if and only if PyTorch's answer is a plain yes. The types that it takes
// in another guise it refuses in its own, unless it is new enough, and their bits pass as the answer says. np.save writes
// every type, and np.load reads it.
func compareTypes(t *testing.T, o *oracle.Oracle) {
	t.Helper()
	asked := map[bool]int{}
	for _, typ := range pairTypes {
		d, err := dtype.Parse(typ)
		if err != nil {
			t.Fatal(err)
		}
		v, guise := viewed[d.String()]
		question := struct {
			TypeStr string `json:"typestr"`
			As      string `json:"as"`
			Name    string `json:"name"`
		}{d.Typestr(), v.as, d.String()}
		if d.Fields() != nil {
			question.TypeStr = "i4,f8"
		}
		var live struct{ Torch, NumPy, Bits, Viewed bool }
		ask(t, o, question, &live)
		a := PyTorch.Accepts(offerOf(t, "(2,3):(3,1)").of(d))
		direct := guise && v.direct && !o.Before(v.since)
		if asked[live.Torch]++; live.Torch != (a.OK && (!guise || direct)) || guise != strings.Contains(a.Why, "x.view('"+v.as+"')") {
			t.Errorf("%s: from_numpy of %s accepts it: %v; our answer is %+v", typ, o.Version, live.Torch, a)
		}
		known := !v.direct && (v.since == "" || !o.Before(v.since)) || direct
		if guise && (!live.Bits || !v.direct && live.Viewed != known) {
			t.Errorf("%s: from_numpy(x.view('%s')) works: %v, as torch's type in %s: %v", typ, v.as, live.Bits, o.Version, live.Viewed)
		}
		if n := NumPy.Accepts(offerOf(t, "(2,3):(3,1)").of(d)); !live.NumPy || !n.OK {
			t.Errorf("%s: np.load reads what np.save writes: %v; our answer is %+v", typ, live.NumPy, n)
		}
	}
	if asked[true] < 10 || asked[false] < 10 {
		t.Errorf("from_numpy's answers are %v", asked)
	}
}

// of is the same offer of another type.
func (o Offer) of(d dtype.Type) Offer {
	o.DType = d
	return o
}

var permutes = regexp.MustCompile(`x\.permute\([0-9, ]+\)`)

// comparePermute: the expression that PyTorch's answer has for a file is the logical tensor: its shape, its strides, the
// file's own memory. It is channels_last where the answer says so, and only there.
func comparePermute(t *testing.T, o *oracle.Oracle) {
	t.Helper()
	asked := 0
	for _, name := range []string{"nhwc", "chwn", "hwc", "ndhwc", "hwio", "ohwi", "nchw", "wh", "tnc"} {
		for _, fortran := range []bool{false, true} {
			f := fileOffer(t, name, fortran)
			a := PyTorch.Accepts(f)
			expr := permutes.FindString(a.Why)
			if f.moved() != (expr != "") {
				t.Errorf("%s, Fortran order %v: %q", name, fortran, a.Why)
			}
			if expr == "" {
				continue
			}
			asked++
			var live struct {
				Shape, Strides []int
				Shares, Last   bool
			}
			ask(t, o, struct {
				Shape   []int  `json:"shape"`
				Fortran bool   `json:"fortran"`
				Expr    string `json:"expr"`
			}{f.Stored.Shape(), fortran, expr}, &live)
			s, _ := f.Layout.Strided()
			if !slices.Equal(live.Shape, s.Shape) || !slices.Equal(live.Strides, s.Strides) || !live.Shares ||
				live.Last != strings.Contains(a.Why, "channels_last,") {
				t.Errorf("%s, Fortran order %v: %s is %+v, the logical tensor %v:%v; %s", name, fortran, expr, live, s.Shape, s.Strides, a.Why)
			}
		}
	}
	if asked < 9 {
		t.Errorf("only %d expressions asked", asked)
	}
}

// fileOffer is a file whose axes are those of a layout without blocks.
func fileOffer(t *testing.T, name string, fortran bool) Offer {
	t.Helper()
	order := orderNamed(t, name)
	shape := []int{4, 3, 5, 2, 6}[:order.Rank()]
	pack := tensor.Packed
	if fortran {
		pack = tensor.ColumnMajor
	}
	stored, err := pack(shape)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]int, len(shape))
	for k, a := range order.Axes() {
		sizes[a.Dim] = shape[k]
	}
	l, err := order.Place(sizes, shape, stored.Strides, 0, stored.Numel())
	if err != nil {
		t.Fatal(err)
	}
	if fortran {
		order = order.Reversed()
	}
	o := offer(t, l, order, "float32")
	if !order.Packs(l) {
		o.Orders = []notation.Format{}
	}
	if o.Stored, err = stored.Layout(nil, stored.Numel()); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestStored: of a file in another order, NumPy, safetensors and PyTorch accept the array as stored, and say its shape; the
// others are asked about the logical tensor. Nothing is lost that is C-contiguous in its file.
func TestStored(t *testing.T) {
	for _, c := range []struct {
		name        string
		fortran     bool
		safetensors bool
	}{{"nhwc", false, true}, {"nhwc", true, false}, {"nchw", false, true}, {"nchw", true, false}, {"hwc", false, true}} {
		o := fileOffer(t, c.name, c.fortran)
		shape := tensor.Tuple(o.Stored.Shape())
		for _, f := range []*Framework{NumPy, Safetensors, PyTorch} {
			a := f.Accepts(o)
			if a.OK != (f != Safetensors || c.safetensors) || a.OK && o.moved() != strings.Contains(a.Why, "as stored, shape "+shape) ||
				strings.Contains(a.Why, "the layout is lost") {
				t.Errorf("%s, Fortran order %v, %s: %+v", c.name, c.fortran, f.Name, a)
			}
		}
		if a := TensorRT.Accepts(o); a.OK == c.fortran {
			t.Errorf("%s, Fortran order %v, TensorRT: %+v", c.name, c.fortran, a)
		}
	}
	for rank, since := range map[int]bool{32: false, 33: true} { // NPY_MAXDIMS of NumPy 1
		dims := strings.TrimSuffix(strings.Repeat("1,", rank), ",")
		if a := NumPy.Accepts(offerOf(t, "("+dims+"):("+dims+")")); !a.OK || strings.Contains(a.Why, "since NumPy 2.0") != since {
			t.Errorf("%d dims: %+v", rank, a)
		}
	}
	o := fileOffer(t, "nhwc", false)
	if o.Header = 10_000; !NumPy.Accepts(o).OK { // max_header_size of numpy.lib.format 1.24
		t.Errorf("a header of %d characters: %+v", o.Header, NumPy.Accepts(o))
	}
	o.Header = 10_001
	if a := NumPy.Accepts(o); a.OK || !strings.Contains(a.Why, "max_header_size=10001") || !Safetensors.Accepts(o).OK {
		t.Errorf("a header of %d characters: %+v", o.Header, a)
	}
}
