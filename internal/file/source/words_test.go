package source

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// words writes an array of words to a .npy file, and returns its name and the bytes of the data.
func words(t *testing.T, d *rand.Rand, word string, shape []int) (string, []byte) {
	t.Helper()
	typ := *mustType(t, word)
	file, err := npy.AppendHeader(nil, typ, false, shape)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, shape[0]*shape[1]*typ.ItemSize())
	for i := range data {
		data[i] = byte(d.IntN(256))
	}
	name := filepath.Join(t.TempDir(), "w.npy")
	if err := os.WriteFile(name, append(file, data...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, data
}

// TestWords: value i of a file of words is bits i·b to (i+1)·b of its data, whatever the words, in Data, Read and Item; a layout with more axes
// than the file divides the values of each axis.
func TestWords(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		word, narrow := oneOf(d, "int32", "uint8", "int16", "uint64"), oneOf(d, "int4", "uint4", "uint2", "int1", "float4_e2m1fn")
		typ := mustType(t, narrow)
		each := mustType(t, word).ItemSize() * typ.PerByte()
		shape := []int{1 + d.IntN(3), 1 + d.IntN(4)}
		name, data := words(t, d, word, shape)
		layout, err := notation.Parse(fmt.Sprintf("K N//%d N%%%d", each, each))
		if err != nil {
			t.Fatal(err)
		}
		o := Options{DType: typ}
		want := []int{shape[0], shape[1] * each}
		if d.IntN(2) == 0 {
			o.Layout, want = &layout, []int{shape[0], shape[1], each}
		}
		x := openMust(t, name, o)
		if !slices.Equal(x.FileShape, want) || x.Layout.Numel() != shape[0]*shape[1]*each || !slices.Equal(x.Header.Shape, shape) {
			t.Fatalf("%v of %s as %s: shape %v, %s", shape, word, narrow, x.FileShape, x.Layout)
		}
		values, err := x.Data()
		if err != nil || len(values) != x.Layout.Numel() {
			t.Fatal(len(values), err)
		}
		at := d.IntN(len(values))
		part := make([]byte, d.IntN(len(values)-at+1))
		if err := x.Read(part, at); err != nil || !slices.Equal(part, values[at:at+len(part)]) {
			t.Errorf("%d values from %d: %v, want %v, %v", len(part), at, part, values[at:at+len(part)], err)
		}
		for i, v := range values {
			bit := i * typ.Bits()
			if want := data[bit/8] >> (bit % 8) & byte(1<<typ.Bits()-1); v != want {
				t.Fatalf("value %d of %s is %d, want %d", i, narrow, v, want)
			}
		}
	}
}

// TestWordsRefused: what has no words along its last axis is refused.
func TestWordsRefused(t *testing.T) {
	d := rand.New(rand.NewPCG(2, 2))
	name, _ := words(t, d, ">i4", []int{2, 2})
	if _, err := OpenOnly(named(name), Options{DType: mustType(t, "int4")}); err == nil {
		t.Error("big-endian words are read")
	}
	name, _ = words(t, d, "int8", []int{2, 3})
	odd, err := notation.Parse("K N//4 N%4")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOnly(named(name), Options{DType: mustType(t, "int4"), Layout: &odd}); err == nil {
		t.Error("6 values are divided into parts of 4")
	}
}

// TestJoined inverts split.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		layout string
		shape  []int
		values int
		want   []int
	}{
		{"K N//8 N%2 N//2%4", []int{64, 16, 2, 4}, 8, []int{64, 16}},
		{"K//8 N K%8", []int{8, 128, 8}, 8, []int{8, 128}},
		{"K//16 N//64 N%8 K//2%4 N//16%4 K%2 N//8%2 K//8%2", []int{4, 2, 8, 4, 4, 2, 2, 2}, 8, []int{4, 256}},
		{"K N", []int{3, 4}, 2, []int{3, 2}},
		{"K N", []int{3, 5}, 2, nil},
	} {
		l, err := notation.Parse(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Joined(l.Format, c.shape, c.values)
		if ok != (c.want != nil) || ok && !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, want %v", c.layout, c.shape, got, c.want)
		}
		x := Tensor{DType: *mustType(t, "int4")}
		if x.FileShape = slices.Clone(c.want); ok {
			x.FileShape[len(x.FileShape)-1] *= c.values
			if err := x.split(l.Format); err != nil || !slices.Equal(x.FileShape, c.shape) {
				t.Errorf("%s: %v is divided into %v, want %v, %v", c.layout, c.want, x.FileShape, c.shape, err)
			}
		}
	}
}
