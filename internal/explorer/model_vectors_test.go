package explorer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// vectors is what the tests of the model look at in testdata/vectors.json. Where a field is null, no framework answers.
type vectors struct {
	Strided []stridedVector
	View    []struct{ Shape, Strides []int }
	Blocked []struct {
		ID, Explicit  string
		LogicalDims   []string `json:"logical_dims"`
		Sizes         []int
		PhysicalShape []int  `json:"physical_shape"`
		NumelPhysical int    `json:"numel_physical"`
		PaddingElems  int    `json:"padding_elems"`
		OrderFirst    []int  `json:"order_first"`
		OrderSHA256   string `json:"order_sha256_i32le"`
		Samples       []struct {
			Coord  []int
			Offset int
		}
	}
	Conversion []conversionVector
}

type stridedVector struct {
	ID             string
	Shape, Strides []int
	Offset         int
	Expected       struct {
		Numel          int
		CContiguous    bool  `json:"c_contiguous"`
		FContiguous    bool  `json:"f_contiguous"`
		ChannelsLast   bool  `json:"channels_last_contiguous"`
		ChannelsLast3d bool  `json:"channels_last_3d_contiguous"`
		BroadcastDims  []int `json:"broadcast_dims"`
		Span           []int
		Extent         int `json:"extent_elems"`
		Unique         int `json:"unique_elems"`
	}
}

type conversionVector struct {
	ID, Values, Colmajor, Buffer, Reads string
	Shape, Sizes, Strides, Index        []int
	Gather                              []int
	Offset                              int
	StridesBytes                        []int `json:"strides_bytes"`
	ByteOffset                          int   `json:"byte_offset"`
}

// UnmarshalJSON leaves out values that are no text: one example has numbers there.
func (v *conversionVector) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	if values := fields["values"]; len(values) > 0 && values[0] != '"' {
		delete(fields, "values")
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	type plain conversionVector
	return json.Unmarshal(text, (*plain)(v))
}

func loadVectors(t *testing.T) vectors {
	t.Helper()
	text, err := os.ReadFile("../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Strided tensors are what torch and NumPy said of them, and what Go's model says, which knows more.
func TestBrowserVectorsStrided(t *testing.T) {
	b, v := modelTab(t), loadVectors(t)
	var layouts []tensor.Layout
	add := func(shape, strides []int, offset int) {
		s, err := tensor.NewStrided(shape, strides, offset)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Layout(nil, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		layouts = append(layouts, l)
	}
	for _, s := range v.Strided {
		add(s.Shape, s.Strides, s.Offset)
	}
	var questions []question
	for _, l := range layouts {
		questions = append(questions, question{Layout: newModelLayout(l), Coords: [][]int{}, Offsets: []int{}})
	}
	for i, got := range each[answer](b, modelAnswer, questions) {
		if want := v.Strided[i]; canonical(t, said(got, want.Offset)) != canonical(t, want.Expected) {
			t.Errorf("%s: %+v, want %+v", want.ID, said(got, want.Offset), want.Expected)
		}
	}
	for _, s := range v.View {
		add(s.Shape, s.Strides, 0)
	}
	compare(b, 5, layouts)
	if len(v.Strided) < 80 || len(v.View) < 17 {
		t.Errorf("%d strided vectors, %d of views", len(v.Strided), len(v.View))
	}
}

// said is an answer in the words of a vector.
func said(a answer, offset int) any {
	e := stridedVector{}.Expected
	e.Numel, e.CContiguous, e.FContiguous, e.ChannelsLast, e.ChannelsLast3d = a.Numel, a.C, a.F, a.ChannelsLast, a.ChannelsLast3d
	e.BroadcastDims, e.Extent, e.Unique = a.Broadcast, a.Extent, a.Unique
	for _, edge := range a.Span {
		e.Span = append(e.Span, edge-offset)
	}
	return e
}

const modelStorage = `({order, sizes, coords}) => {
	const l = model.bind(order, sizes), storage = Array(l.alloc).fill(-1);
	for (const coord of model.walk(l, "logical")) storage[model.at(l, coord)] = model.index(coord, sizes);
	return {physical: model.physicalShape(order, sizes), padding: model.padding(l), storage,
		at: coords.map((c) => model.at(l, c)),
		path: [...model.walk(l, "memory")].map((c) => model.index(c, sizes))};
}`

// Blocked layouts hold in every cell what three derivations had there, and are walked in that order.
func TestBrowserVectorsBlocked(t *testing.T) {
	b, v := modelTab(t), loadVectors(t)
	type storageQuestion struct {
		Order  modelOrder `json:"order"`
		Sizes  []int      `json:"sizes"`
		Coords [][]int    `json:"coords"`
	}
	var questions []storageQuestion
	for _, c := range v.Blocked {
		q := storageQuestion{newModelOrder(mustParse(t, c.Explicit)), c.Sizes, [][]int{}}
		for _, s := range c.Samples {
			q.Coords = append(q.Coords, s.Coord)
		}
		questions = append(questions, q)
	}
	if len(questions) < 25 {
		t.Errorf("%d vectors", len(questions))
	}
	for i, got := range each[struct {
		Physical, Storage, At, Path []int
		Padding                     int
	}](b, modelStorage, questions) {
		c := v.Blocked[i]
		var offsets []int
		for _, s := range c.Samples {
			offsets = append(offsets, s.Offset)
		}
		h := sha256.New()
		for _, k := range got.Storage {
			binary.Write(h, binary.LittleEndian, int32(k)) //nolint:errcheck // a hash takes everything
		}
		held := slices.DeleteFunc(slices.Clone(got.Storage), func(k int) bool { return k < 0 })
		if !slices.Equal(got.Physical, c.PhysicalShape) || len(got.Storage) != c.NumelPhysical || got.Padding != c.PaddingElems ||
			!slices.Equal(got.At, offsets) || !slices.Equal(got.Storage[:len(c.OrderFirst)], c.OrderFirst) ||
			fmt.Sprintf("%x", h.Sum(nil)) != c.OrderSHA256 {
			t.Errorf("%s: %+v, want %+v", c.ID, got, c)
		}
		if !slices.Equal(got.Path, held) {
			t.Errorf("%s: walked in the order %v, memory holds %v", c.ID, got.Path, held)
		}
	}
}

// The worked examples of the defining documents come out.
func TestBrowserVectorsConversion(t *testing.T) {
	b, v := modelTab(t), loadVectors(t)
	const memory = `[...model.walk(model.bind(%s, %[2]s), "memory")].map((c) => model.index(c, %[2]s))`
	const strided = `model.strided(%s.map((_, d) => "d" + d), %[1]s, %s, 0)`
	checked := 0
	for _, c := range v.Conversion {
		var script, want string
		switch c.ID {
		case "seed000-storage-permutation":
			f := newModelOrder(notation.Order([]string{"N", "C", "H", "W"}, []int{0, 2, 3, 1}))
			script = fmt.Sprintf(memory+`.join()`, jsonOf(t, f), jsonOf(t, c.Shape))
			want = words.Ints(c.Gather, ",")
		case "seed001-2x3-WH":
			f := newModelOrder(mustParse(t, "WH"))
			script = fmt.Sprintf(memory+`.map((k) => "%[3]s"[k]).join("")`, jsonOf(t, f), "[2, 3]", c.Values)
			want = c.Colmajor
		case "seed001-padded":
			l := fmt.Sprintf(strided, jsonOf(t, c.Sizes), jsonOf(t, c.Strides))
			script = fmt.Sprintf(`[...model.walk(%s, "logical")].map((c) => "%s"[model.at(%[1]s, c)]).join("")`, l, c.Buffer)
			want = c.Reads
		case "seed001-dot":
			script = fmt.Sprintf(`String(model.at(`+strided+`, %s))`, "[2, 2, 3]", jsonOf(t, c.Strides), jsonOf(t, c.Index))
			want = fmt.Sprint(c.Offset)
		case "seed004-byteoffset":
			strides := []int{c.StridesBytes[0] / 4, c.StridesBytes[1] / 4}
			script = fmt.Sprintf(`model.addressText(`+strided+`, %s, 4)`, "[2, 3]", jsonOf(t, strides), jsonOf(t, c.Index))
			want = fmt.Sprintf("{1,2} · {20,4} = 1·20 + 2·4 = %d", c.ByteOffset)
		default:
			continue
		}
		checked++
		if got := value[string](b, script); got != want {
			t.Errorf("%s: %s, want %s", c.ID, got, want)
		}
	}
	if checked != 5 {
		t.Errorf("%d of 5 examples", checked)
	}
}
