package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

func mustType(t *testing.T, name string) *dtype.Type {
	t.Helper()
	d, err := dtype.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

func dump(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dump.bin")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// numbered is the storage of n int32, each its own offset.
func numbered(skip, n int) []byte {
	b := make([]byte, skip)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i))
	}
	return b
}

// valuesOf are the elements of a tensor in logical order.
func valuesOf(t *testing.T, x *Tensor) (all []uint32) {
	t.Helper()
	if _, err := x.Data(); err != nil {
		t.Fatal(err)
	}
	err := x.Guard(func() error {
		for i := range x.Layout.Numel() {
			coord := make([]int, x.Layout.Rank())
			for d := len(coord) - 1; d >= 0; d-- {
				coord[d], i = i%x.Layout.Dim(d).Size, i/x.Layout.Dim(d).Size
			}
			item, ok := x.Item(x.Layout.At(coord...))
			if !ok {
				t.Fatalf("%s has no element at %v", x.Layout, coord)
			}
			all = append(all, binary.LittleEndian.Uint32(item))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A raw file of any layout, at any byte, is the tensor that the layout makes of the logical sizes, padding included; with one byte
// or one element less or more it is refused.
func TestRawLayouts(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"", "nchw", "nhwc", "chwn", "nChw16c", "nchw4", "NHWC8c", "OIhw4i4o", "0,2,3,1", "{1,3,2,0}", "c", "fortran", "channels_last"} {
		for range 8 {
			sizes := []int{1 + draw.IntN(3), 1 + draw.IntN(20), 1 + draw.IntN(4), 1 + draw.IntN(5)}
			o := Options{DType: mustType(t, "int32"), Skip: int64(draw.IntN(40)), Raw: &Typed{Shape: sizes}}
			if name != "" {
				l, err := notation.Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				o.Layout = &l
			}
			want, err := Describe(Typed{Shape: sizes, DType: *o.DType, Layout: o.Layout})
			if err != nil {
				t.Fatal(err)
			}
			content := numbered(int(o.Skip), want.Layout.Alloc())
			x, err := OpenOnly(named(dump(t, content)), o)
			if err != nil {
				t.Fatalf("%s %v: %v", name, sizes, err)
			}
			if x.Layout.String() != want.Layout.String() || x.Kind != KindRaw || x.OrderName() != want.OrderName() {
				t.Errorf("%s %v is %s, %s; want %s, %s", name, sizes, x.Layout, x.OrderName(), want.Layout, want.OrderName())
			}
			for i, v := range valuesOf(t, x) {
				rest, coord := i, make([]int, len(sizes))
				for d := len(coord) - 1; d >= 0; d-- {
					coord[d], rest = rest%sizes[d], rest/sizes[d]
				}
				if at := want.Layout.At(coord...); int(v) != at {
					t.Fatalf("%s %v: element %v holds %d, want that of offset %d", name, sizes, coord, v, at)
				}
			}
			x.Close()
			for _, wrong := range [][]byte{content[:len(content)-1], content[:len(content)-4], append(slices.Clip(content), 0), append(slices.Clip(content), 1, 2, 3, 4)} {
				if x, err := OpenOnly(named(dump(t, wrong)), o); err == nil {
					x.Close()
					t.Fatalf("%s %v: %d bytes are accepted instead of %d", name, sizes, len(wrong), len(content))
				} else if fault.ClassOf(err) != fault.Usage && fault.ClassOf(err) != fault.Malformed {
					t.Errorf("%v", err)
				}
			}
		}
	}
}

// Strides, a layout with its sizes, and a oneDNN descriptor read a raw file as storage: rows may be padded, the last one too.
func TestRawStrides(t *testing.T) {
	exact, err := notation.Parse("(2,3):(5,1)@1")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		o      Options
		elems  []int // numbers that fit
		wrong  []int
		values []uint32
	}{
		{Options{Raw: &Typed{Shape: []int{2, 3}, Strides: []int{5, 1}}}, []int{8, 9, 10}, []int{7, 11}, []uint32{0, 1, 2, 5, 6, 7}},
		{Options{Raw: &Typed{Shape: []int{2, 3}, Strides: []int{1, 2}, Offset: 4}}, []int{10}, []int{9, 11}, []uint32{4, 6, 8, 5, 7, 9}},
		{Options{Raw: &Typed{Shape: []int{2, 2}, Strides: []int{2, -1}, Offset: 1}}, []int{4, 5}, []int{3, 6}, []uint32{1, 0, 3, 2}},
		{Options{Raw: &Typed{Shape: []int{1, 3}, Strides: []int{math.MaxInt/2 + 1, 1}}}, []int{3}, []int{2, 4}, []uint32{0, 1, 2}},
		{Options{Raw: &Typed{Shape: []int{1, 2, 2}, Strides: []int{math.MaxInt, 3, 1}, Offset: 5}}, []int{10, 11}, []int{9, 12}, []uint32{5, 6, 8, 9}},
		{Options{Raw: &Typed{}, Layout: &exact}, []int{9, 10, 11}, []int{8, 12}, []uint32{1, 2, 3, 6, 7, 8}},
		{Options{Raw: &Typed{Shape: []int{1, 3, 1, 2}, Strides: []int{8, 8, 8, 4}, Inner: "4c"}}, []int{8}, []int{7, 9}, []uint32{0, 4, 1, 5, 2, 6}},
	} {
		tt.o.DType = mustType(t, "int32")
		for _, n := range tt.elems {
			x, err := OpenOnly(named(dump(t, numbered(0, n))), tt.o)
			if err != nil {
				t.Errorf("%+v of %d elements: %v", tt.o.Raw, n, err)
				continue
			}
			if got := valuesOf(t, x); !slices.Equal(got, tt.values) || x.Layout.Alloc() != n {
				t.Errorf("%s holds %v in %d elements, want %v in %d", x.Layout, got, x.Layout.Alloc(), tt.values, n)
			}
			x.Close()
		}
		for _, n := range tt.wrong {
			if x, err := OpenOnly(named(dump(t, numbered(0, n))), tt.o); err == nil {
				t.Errorf("%s is read from %d elements", x.Layout, n)
				x.Close()
			}
		}
	}
}

// What a raw source lacks, or has too much of, is said with what to type.
func TestRawRefused(t *testing.T) {
	float := mustType(t, "float32")
	path := dump(t, make([]byte, 512))
	shape := []int{2, 3, 4, 5}
	for hint, o := range map[string]Options{
		"--raw --shape":        {Raw: &Typed{}, DType: float},
		"has 4 bytes for each": {Raw: &Typed{Shape: []int{128}}},
		"64 elements for every 60: --strides 64,20,5,1 if rows are padded; --skip 32 skips a header": {Raw: &Typed{Shape: shape}, DType: float},
		"--skip 316 skips a header and reads the last 196 bytes; or":                                 {Raw: &Typed{Shape: []int{7, 7}}, DType: float},
		"--allow-trailing ignores those after the tensor; or":                                        {Raw: &Typed{Shape: []int{7, 7}}, DType: float, Skip: 16},
		"16 bytes per element: another --dtype, or padded, --strides 4?":                             {Raw: &Typed{Shape: []int{32}}, DType: float},
		"8 bytes per element": {Raw: &Typed{Shape: []int{64}}, DType: float},
		"another --shape":     {Raw: &Typed{Shape: []int{129}}, DType: float},
		"--skip 12 skips":     {Raw: &Typed{Shape: shape, Offset: 3}, DType: float},
		"--skip 513 is":       {Raw: &Typed{Shape: shape}, DType: float, Skip: 513},
		"--channels applies":  {Raw: &Typed{Shape: shape}, DType: float, Channels: 3},
		"size -1 of dim 0":    {Raw: &Typed{Shape: []int{-1, 3}}, DType: float},
		"overflows":           {Raw: &Typed{Shape: []int{math.MaxInt, 2}}, DType: float},
		"have no bytes":       {Raw: &Typed{Shape: shape}, DType: mustType(t, "V0")},
		"of float32 needs 1024 bytes from byte 8, the file has 512": {Raw: &Typed{Shape: []int{256}}, DType: float, Skip: 8},
	} {
		x, err := OpenOnly(named(path), o)
		var e *fault.Error
		if !errors.As(err, &e) || !strings.Contains(e.Text+"\n"+e.Hint, hint) {
			t.Errorf("%v, %v (%+v): want %q", x, err, e, hint)
		}
	}
	if x, err := OpenOnly(named("../../../testdata/row.npy"), Options{Raw: &Typed{Shape: shape}, DType: float}); err == nil || !strings.Contains(err.(*fault.Error).Hint, "remove --raw and --shape") {
		t.Errorf("%v, %v: a .npy file is read as raw", x, err)
	}
}

// TestRawPadded: of a dump whose rows, planes or larger parts are padded to whole lines, the hint has the strides that read it, in every
// memory order.
func TestRawPadded(t *testing.T) {
	dir, float := t.TempDir(), mustType(t, "float32")
	property.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(2, 9), 2, 4).Draw(t, "shape")
		axes := make([]int, len(shape))
		for i := range axes {
			axes[i] = i
		}
		order := rapid.Permutation(axes).Draw(t, "order")
		outer := rapid.IntRange(1, len(shape)-1).Draw(t, "axes outside of the parts that are padded")
		want, parts, part, pitch, end := make([]int, len(shape)), []int{}, 1, 0, 1
		for i := len(order) - 1; i >= 0; i-- {
			want[order[i]] = end
			if end *= shape[order[i]]; i >= outer {
				part, pitch, parts = end, (end+16)&^15, append(parts, end)
			}
			if i == outer {
				end = pitch
			}
		}
		if end%(end/pitch*part) == 0 {
			return // every element could be padded
		}
		for _, smaller := range parts[:len(parts)-1] {
			if n := end / pitch * part / smaller; end%n == 0 && end/n%4 == 0 {
				return // these could be
			}
		}
		path := filepath.Join(dir, "x")
		if err := os.WriteFile(path, make([]byte, 4*end), 0o666); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(order)
		layout, err := notation.Parse("{" + text.Ints(order, ",") + "}")
		if err != nil {
			t.Fatal(err)
		}
		_, err = OpenOnly(named(path), Options{Raw: &Typed{Shape: shape}, Layout: &layout, DType: float})
		exact := fmt.Sprintf("(%s):(%s)", text.Ints(shape, ","), text.Ints(want, ","))
		hint := fmt.Sprintf("%d elements for every %d: --from '%s' instead of --shape if rows are padded", pitch, part, exact)
		var e *fault.Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, hint) {
			t.Fatalf("%v of %v in %v: %+v, want %q", shape, order, layout, e, hint)
		}
		if layout, err = notation.Parse(exact); err != nil {
			t.Fatal(err)
		}
		x, err := OpenOnly(named(path), Options{Raw: &Typed{}, Layout: &layout, DType: float})
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
	})
}

// TestRawTrailing: a tensor in the middle of a file, and of a stream, is read where bytes after it are allowed.
func TestRawTrailing(t *testing.T) {
	path := dump(t, numbered(0, 20))
	for _, o := range []Options{
		{Raw: &Typed{Shape: []int{2, 3}}},
		{Raw: &Typed{Shape: []int{2, 3}, Strides: []int{3, 1}}},
	} {
		o.DType, o.Skip = mustType(t, "int32"), 16
		if _, err := OpenOnly(named(path), o); o.Raw.Strides == nil && err == nil {
			t.Error("bytes after the tensor are ignored unasked")
		}
		o.AllowTrailing = true
		for _, name := range []string{path, "-"} {
			o.Stdin = bytes.NewReader(numbered(0, 20))
			x, err := OpenOnly(named(name), o)
			if err != nil {
				t.Fatal(err)
			}
			if got := valuesOf(t, x); !slices.Equal(got, []uint32{4, 5, 6, 7, 8, 9}) || name == path && x.Trailing != 40 || x.Layout.Alloc() != 6 {
				t.Errorf("%v, %d bytes after %d elements", got, x.Trailing, x.Layout.Alloc())
			}
			x.Close()
		}
	}
}

// A name that no file has is a layout if it has strides or a swizzle; a file of that name wins. Every printed layout is read.
func TestLayoutAsSource(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, want := range map[string]string{
		"(2,3,4,5):(60,20,5,1)": "(2,3,4,5):(60,20,5,1)", "(2, 3):(3, 1)@2": "(2,3):(3,1)@2", "8:1": "(8):(1)", "((2,4),8):((1,16),2)": "((2,4),8):((1,16),2)",
		"Sw<3,3,3> o 0 o (8,64):(64,1)": "Sw<3,3,3> o 0 o (8,64):(64,1)",
	} {
		x, err := OpenOnly(named(name), Options{})
		if err != nil || x.Layout.String() != want || x.Source != named(name) || x.HasData() || x.DType.String() != "float32" || x.OrderSource != ByStrides {
			t.Errorf("%s: %+v, %v", name, x, err)
		}
		wide := Options{DType: mustType(t, "int64")}
		if x, err := OpenOnly(named(name), wide); err != nil || x.DType.String() != "int64" {
			t.Errorf("%s of int64: %v, %v", name, x, err)
		}
	}
	nhwc, err := notation.Parse("nhwc")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"(2,3):(3": "expected a comma or )", "2,3,4": "--shape 2,3,4", "2x3x4": "--shape 2,3,4", "torch.Size([2, 3])": "--shape 2,3", "(2, 3)": "--shape 2,3",
		"nhwc": "no such file", "7": "no such file",
	} {
		_, err := OpenOnly(named(name), Options{})
		var e *fault.Error
		if !errors.As(err, &e) || !strings.Contains(e.Text+e.Hint, want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := OpenOnly(named("(2,3):(3,1)"), Options{Layout: &nhwc}); err == nil || !strings.Contains(err.Error(), "its layout is known") {
		t.Errorf("with --from: %v", err)
	}
	need.Made(t, os.WriteFile("(2,3):(3,1)", nil, 0o666))
	if _, err := OpenOnly(named("(2,3):(3,1)"), Options{}); err == nil || !strings.Contains(err.Error(), "file is empty") {
		t.Errorf("a file of that name does not win: %v", err)
	}
}

// FuzzOpen: any string as a source is opened, or refused with an error that is safe to print.
func FuzzOpen(f *testing.F) {
	for _, s := range []string{"(2,3,4,5):(60,20,5,1)", "x.npz:name", "-", "", "8:1", "Sw<3,4,3> o 0 o (8,64):(64,1)", "2x3", "a\x00b", "0,2,3,1", "/", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, err := OpenOnly(named(s), Options{Stdin: strings.NewReader("")})
		switch {
		case err != nil:
			if c := fault.ClassOf(err); c < fault.Usage || c > fault.Resource || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Errorf("%q: class %d, %q", s, c, err)
			}
		case x.HasData() || x.Layout.Rank() > tensor.MaxRank:
			t.Errorf("%q is %s", s, x.Layout)
		}
		if x != nil {
			x.Close()
		}
	})
}
