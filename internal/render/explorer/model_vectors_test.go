package explorer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// vectors is the part of testdata/vectors.json that the model's tests use. A null field means that no framework answers.
type vectors struct {
	Strided []stridedVector
	View    []struct{ Shape, Strides []int }
	Blocked []storageVector
	XLA     []storageVector
	Bounds  []struct {
		Shape, Strides []int
		Storage        int `json:"storage_elems"`
		Offset         int
		Result         struct{ OK bool }
	} `json:"as_strided_bounds"`
	Conversion []conversionVector
}

// storageVector is a memory order, with the element in each cell of memory.
type storageVector struct {
	ID, Explicit  string // XLA's have none
	Sizes, Shape  []int  // XLA's have a shape
	PhysicalShape []int  `json:"physical_shape"`
	NumelPhysical int    `json:"numel_physical"`
	OrderFirst    []int  `json:"order_first"`
	OrderSHA256   string `json:"order_sha256_i32le"`
	Samples       []struct {
		Coord  []int
		Offset int
	}
}

// vectorCounts is how many vectors the page's model runs, by group; 0 for what the page does not support: names, views, files, swizzles,
// and layouts with reversed coordinates.
var vectorCounts = map[string]int{
	"strided": 80, "view": 17, "blocked": 25, "xla": 4, "as_strided_bounds": 6, "conversion": 7,
	"meta": 0, "cute": 0, "expand": 0, "npy_golden": 0, "npy_header_tolerance": 0, "layout_parse": 0, "swizzle": 0,
}

// TestVectorGroups: no group of vectors is skipped silently or has shrunk.
func TestVectorGroups(t *testing.T) {
	var groups map[string]json.RawMessage
	readVectors(t, &groups)
	for name, text := range groups {
		var list []json.RawMessage
		want, known := vectorCounts[name]
		if err := json.Unmarshal(text, &list); !known || want > 0 && (err != nil || len(list) != want) {
			t.Errorf("%s: %d vectors, want %d (%v)", name, len(list), want, err)
		}
	}
	if len(groups) != len(vectorCounts) {
		t.Errorf("%d groups, want %d", len(groups), len(vectorCounts))
	}
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
	COrder                              []int `json:"c_order"`
	FOrder                              []int `json:"f_order"`
	ToPhysical                          []int `json:"to_physical"`
	ViaInverse                          []int `json:"logical_strides_via_inverse"`
	Shape, Sizes, Strides, Index        []int
	Gather                              []int
	Offset                              int
	StridesBytes                        []int `json:"strides_bytes"`
	ByteOffset                          int   `json:"byte_offset"`
}

// UnmarshalJSON omits values that are not text: one example has numbers there, as in c_order.
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
	var v vectors
	readVectors(t, &v)
	return v
}

func readVectors(t *testing.T, into any) {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// TestBrowserVectorsStrided: strided tensors agree with torch, NumPy and Go's model.
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
		questions = append(questions, question{Layout: newLayout(l), Coords: [][]int{}, Offsets: []int{}})
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
}

// TestBrowserVectorsBounds: exactly what torch's as_strided refuses is refused; NumPy, like the page, allows negative strides.
func TestBrowserVectorsBounds(t *testing.T) {
	b, v := modelTab(t), loadVectors(t)
	const script = `(q) => {
		try {
			model.strided(q.Shape.map((_, d) => "d" + d), q.Shape, q.Strides, q.Offset, q.storage_elems);
			return true;
		} catch (e) {
			if (!(e instanceof RangeError)) throw e;
			return false;
		}
	}`
	for i, got := range each[bool](b, script, v.Bounds) {
		c := v.Bounds[i]
		if backwards := slices.ContainsFunc(c.Strides, func(s int) bool { return s < 0 }); got != (c.Result.OK || backwards) {
			t.Errorf("%v:%v@%d in a storage of %d: %v", c.Shape, c.Strides, c.Offset, c.Storage, got)
		}
	}
}

// said returns an answer in the terms of a vector.
func said(a answer, offset int) any {
	e := stridedVector{}.Expected
	e.Numel, e.CContiguous, e.FContiguous, e.ChannelsLast, e.ChannelsLast3d = a.Numel, a.C, a.F, a.ChannelsLast, a.ChannelsLast3d
	e.BroadcastDims, e.Extent, e.Unique = a.Broadcast, a.Extent, a.Unique
	for _, edge := range a.Span {
		e.Span = append(e.Span, edge-offset)
	}
	return e
}

type storageQuestion struct {
	Order  modelOrder `json:"order"`
	Sizes  []int      `json:"sizes"`
	Coords [][]int    `json:"coords"`
}

type storageAnswer struct {
	Physical, Storage, At, Path []int
	Padding                     int
}

const modelStorage = `({order, sizes, coords}) => {
	const l = model.bind(order, sizes), storage = Array(l.alloc).fill(-1);
	for (const coord of model.walk(l, "logical")) storage[model.at(l, coord)] = model.index(coord, sizes);
	return {physical: model.physicalShape(order, sizes), padding: model.padding(l), storage,
		at: coords.map((c) => model.at(l, c)),
		path: [...model.walk(l, "memory")].map((c) => model.index(c, sizes))};
}`

// TestBrowserVectorsStorage: blocked layouts, and XLA's, hold in every cell the element of three derivations, and are walked in that order.
func TestBrowserVectorsStorage(t *testing.T) {
	b, v := modelTab(t), loadVectors(t)
	var questions []storageQuestion
	for _, c := range v.Blocked {
		q := storageQuestion{newModelOrder(mustParse(t, c.Explicit)), c.Sizes, [][]int{}}
		for _, s := range c.Samples {
			q.Coords = append(q.Coords, s.Coord)
		}
		questions = append(questions, q)
	}
	for _, c := range v.XLA {
		f := mustParse(t, c.ID[strings.Index(c.ID, "{"):])
		questions = append(questions, storageQuestion{newModelOrder(f), c.Shape, [][]int{}})
	}
	for i, got := range each[storageAnswer](b, modelStorage, questions) {
		checkStorage(t, got, slices.Concat(v.Blocked, v.XLA)[i])
	}
}

func checkStorage(t *testing.T, got storageAnswer, c storageVector) {
	t.Helper()
	var offsets []int
	for _, s := range c.Samples {
		offsets = append(offsets, s.Offset)
	}
	h := sha256.New()
	for _, k := range got.Storage {
		binary.Write(h, binary.LittleEndian, int32(k)) //nolint:errcheck // a hash never fails
	}
	held := slices.DeleteFunc(slices.Clone(got.Storage), func(k int) bool { return k < 0 })
	if !slices.Equal(got.Physical, c.PhysicalShape) || len(got.Storage) != c.NumelPhysical ||
		got.Padding != c.NumelPhysical-len(held) || !slices.Equal(got.At, offsets) ||
		!slices.Equal(got.Storage[:len(c.OrderFirst)], c.OrderFirst) || fmt.Sprintf("%x", h.Sum(nil)) != c.OrderSHA256 {
		t.Errorf("%s: %+v, want %+v", c.ID, got, c)
	}
	if !slices.Equal(got.Path, held) {
		t.Errorf("%s: walked in the order %v, memory holds %v", c.ID, got.Path, held)
	}
}

// TestBrowserVectorsConversion: the worked examples of the defining documents give their results.
func TestBrowserVectorsConversion(t *testing.T) {
	b, v := modelTab(t), loadVectors(t)
	const memory = `[...model.walk(model.bind(%s, %[2]s), "memory")].map((c) => model.index(c, %[2]s))`
	const strided = `model.strided(%s.map((_, d) => "d" + d), %[1]s, %s, 0)`
	for _, c := range v.Conversion {
		var script, want string
		switch c.ID {
		case "source1-storage-permutation":
			f := newModelOrder(notation.Order([]string{"N", "C", "H", "W"}, []int{0, 2, 3, 1}))
			script = fmt.Sprintf(memory+`.join()`, jsonOf(t, f), jsonOf(t, c.Shape))
			want = text.Ints(c.Gather, ",")
		case "source2-2x3-WH":
			f := newModelOrder(mustParse(t, "WH"))
			script = fmt.Sprintf(memory+`.map((k) => "%[3]s"[k]).join("")`, jsonOf(t, f), "[2, 3]", c.Values)
			want = c.Colmajor
		case "source2-padded":
			l := fmt.Sprintf(strided, jsonOf(t, c.Sizes), jsonOf(t, c.Strides))
			script = fmt.Sprintf(`[...model.walk(%s, "logical")].map((c) => "%s"[model.at(%[1]s, c)]).join("")`, l, c.Buffer)
			want = c.Reads
		case "source2-dot":
			script = fmt.Sprintf(`String(model.at(`+strided+`, %s))`, "[2, 2, 3]", jsonOf(t, c.Strides), jsonOf(t, c.Index))
			want = fmt.Sprint(c.Offset)
		case "source5-byteoffset":
			strides := []int{c.StridesBytes[0] / 4, c.StridesBytes[1] / 4}
			script = fmt.Sprintf(`model.addressText(`+strided+`, %s, 4)`, "[2, 3]", jsonOf(t, strides), jsonOf(t, c.Index))
			want = fmt.Sprintf("{1,2} · {20,4} = 1·20 + 2·4 = %d", c.ByteOffset)
		case "source3-2x2":
			script = fmt.Sprintf(`[["H", "W"], ["W", "H"]].map((axes) => [...model.walk(model.bind({names: ["H", "W"],
				axes: axes.map((name) => ({dim: "HW".indexOf(name), div: 1, extent: 0}))}, [2, 2]), "memory")]
				.map((c) => %v[model.index(c, [2, 2])]).join()).join(";")`, jsonOf(t, c.COrder))
			want = text.Ints(c.COrder, ",") + ";" + text.Ints(c.FOrder, ",")
		case "source3-inverse-permutation":
			f := newModelOrder(notation.Order([]string{"N", "C", "H", "W"}, c.ToPhysical))
			script = fmt.Sprintf(`model.bind(%s, [1, 64, 5, 4]).dims.map((d) => d.digits[0].stride).join()`, jsonOf(t, f))
			want = text.Ints(c.ViaInverse, ",")
		default:
			t.Errorf("%s: unknown question", c.ID)
			continue
		}
		if got := value[string](b, script); got != want {
			t.Errorf("%s: %s, want %s", c.ID, got, want)
		}
	}
}
