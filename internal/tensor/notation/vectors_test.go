package notation

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tlayout/tlayout/internal/tensor"
)

type vectors struct {
	Blocked []struct {
		ID, Name, Canonical, Explicit string
		LogicalDims                   []string `json:"logical_dims"`
		Sizes, Padded                 []int
		PhysicalShape                 []int `json:"physical_shape"`
		PhysicalStrides               []int `json:"physical_strides"`
		Digits                        map[string][]tensor.Digit
		LogicalStrides                []int  `json:"logical_strides"`
		NumelLogical                  int    `json:"numel_logical"`
		NumelPhysical                 int    `json:"numel_physical"`
		PaddingElems                  int    `json:"padding_elems"`
		OrderFirst                    []int  `json:"order_first"`
		OrderLast                     int    `json:"order_last"`
		OrderSHA256                   string `json:"order_sha256_i32le"`
		Samples                       []struct {
			Coord  []int
			Offset int
		}
	}
	XLA []struct {
		ID            string
		Shape         []int
		MinorToMajor  []int `json:"minor_to_major"`
		Tiles         [][]int
		PhysicalShape []int  `json:"physical_shape"`
		NumelPhysical int    `json:"numel_physical"`
		OrderFirst    []int  `json:"order_first"`
		OrderSHA256   string `json:"order_sha256_i32le"`
	}
	CuTe []struct {
		Layout       string
		Size, Cosize int
		IndicesColex []int `json:"indices_colex"`
	}
	LayoutParse []struct {
		Input     string
		Canonical *string
		OK        bool
		Note      string
	} `json:"layout_parse"`
}

func load(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// vectorName turns a vector's description into the name that a user would type: "kHWC8 (NHWC8)" is written kHWC8, and
// MegEngine's weights by their canonical form: they share their names with activations.
func vectorName(name, canonical string) string {
	if strings.Contains(name, "weight") {
		return canonical
	}
	name, _, _ = strings.Cut(name, " ")
	return name
}

// Every blocked layout's name parses to the canonical name, shape, strides, digits and order of its vector.
func TestVectorsBlocked(t *testing.T) {
	for _, v := range load(t).Blocked {
		t.Run(v.ID, func(t *testing.T) {
			f := mustParse(t, vectorName(v.Name, v.Canonical))
			if f.Positional() {
				f = f.Rename(v.LogicalDims)
			}
			if f.String() != v.Canonical || f.Explicit() != v.Explicit {
				t.Errorf("%s is %s = %s, want %s = %s", v.Name, f, f.Explicit(), v.Canonical, v.Explicit)
			}
			l, err := f.Bind(v.Sizes)
			if err != nil {
				t.Fatal(err)
			}
			digits := map[string][]tensor.Digit{}
			for i := range l.Rank() {
				digits[l.Dim(i).Name] = l.Dim(i).Digits
			}
			physical, _ := f.PhysicalShape(v.Sizes)
			strides, _ := tensor.Packed(physical)
			var logical []int
			if f.Plain() {
				s, _ := l.Strided()
				logical = s.Strides
			}
			for _, d := range []string{
				cmp.Diff(v.LogicalDims, l.Names()), cmp.Diff(v.PhysicalShape, physical), cmp.Diff(v.Padded, l.PaddedShape()),
				cmp.Diff(v.PhysicalStrides, strides.Strides), cmp.Diff(v.Digits, digits), cmp.Diff(v.LogicalStrides, logical),
				cmp.Diff(v.NumelLogical, l.Numel()), cmp.Diff(v.NumelPhysical, l.Alloc()),
				cmp.Diff(v.PaddingElems, l.Alloc()-l.Numel()),
			} {
				if d != "" {
					t.Error(d)
				}
			}
			for _, s := range v.Samples {
				if got := l.At(s.Coord...); got != s.Offset {
					t.Errorf("At(%v) = %d, want %d", s.Coord, got, s.Offset)
				}
			}
			order := storageOrder(l)
			if order[len(order)-1] != v.OrderLast {
				t.Errorf("the last cell holds %d, want %d", order[len(order)-1], v.OrderLast)
			}
			checkOrder(t, order, v.OrderFirst, v.OrderSHA256)
		})
	}
}

func TestVectorsXLA(t *testing.T) {
	for _, v := range load(t).XLA {
		t.Run(v.ID, func(t *testing.T) {
			f := mustParse(t, v.ID[strings.Index(v.ID, "{"):])
			physical, err := f.PhysicalShape(v.Shape)
			if err != nil {
				t.Fatal(err)
			}
			l, err := f.Bind(v.Shape)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(physical, v.PhysicalShape) || l.Alloc() != v.NumelPhysical {
				t.Errorf("physical shape %v of %d, want %v of %d", physical, l.Alloc(), v.PhysicalShape, v.NumelPhysical)
			}
			checkOrder(t, storageOrder(l), v.OrderFirst, v.OrderSHA256)
		})
	}
}

// CuTe's index of the k-th coordinate, leftmost dim fastest, is our address of that coordinate.
func TestVectorsCuTe(t *testing.T) {
	for _, v := range load(t).CuTe {
		t.Run(v.Layout, func(t *testing.T) {
			l, err := parseShapeStride(v.Layout)
			if err != nil {
				t.Fatal(err)
			}
			var colex []int
			for k := range l.Numel() {
				coord := make([]int, l.Rank())
				for i := range coord {
					coord[i] = k % l.Dim(i).Size
					k /= l.Dim(i).Size
				}
				colex = append(colex, l.At(coord...))
			}
			if l.Numel() != v.Size || l.Extent() != v.Cosize || !slices.Equal(colex, v.IndicesColex) {
				t.Errorf("size %d, cosize %d, indices %v; want %d, %d, %v", l.Numel(), l.Extent(), colex, v.Size, v.Cosize, v.IndicesColex)
			}
		})
	}
}

func TestVectorsLayoutParse(t *testing.T) {
	for _, v := range load(t).LayoutParse {
		t.Run(v.Input, func(t *testing.T) {
			l, err := Parse(v.Input)
			switch {
			case (err == nil) != v.OK:
				t.Fatalf("Parse(%q) = %v, %v; want ok = %v (%s)", v.Input, l.Format, err, v.OK, v.Note)
			case v.OK && l.Format.String() != *v.Canonical:
				t.Errorf("Parse(%q) = %s, want %s", v.Input, l.Format, *v.Canonical)
			}
		})
	}
}

func mustParse(t *testing.T, name string) Format {
	t.Helper()
	l, err := Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return l.Format
}

// storageOrder lists, for every cell of storage, the row-major number of the element in it; -1 for padding.
func storageOrder(l tensor.Layout) []int {
	order := make([]int, l.Alloc())
	for i := range order {
		order[i] = -1
	}
	k := 0
	for _, off := range l.Logical() {
		order[off] = k
		k++
	}
	return order
}

func checkOrder(t *testing.T, order, first []int, sum string) {
	t.Helper()
	if !slices.Equal(order[:min(len(order), len(first))], first) {
		t.Errorf("order %v, want %v", order[:min(len(order), len(first))], first)
	}
	h := sha256.New()
	for _, k := range order {
		binary.Write(h, binary.LittleEndian, int32(k))
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != sum {
		t.Errorf("sha256 of the order is %s, want %s", got, sum)
	}
}
