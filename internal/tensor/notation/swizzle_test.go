package notation

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Every spelling of a swizzled layout that CUTLASS 4.7 prints or has in its code is read as the layout that it means; an swizzle
// of a pointer counts bytes.
func TestSwizzledSpellings(t *testing.T) {
	for s, want := range map[string]string{
		"Sw<3,4,3> o 0 o (8,64):(64,1)":                           "Sw<3,4,3> o 0 o (8,64):(64,1)",
		"Sw<3,4,3> o _0 o (_8,_64):(_64,_1)":                      "Sw<3,4,3> o 0 o (8,64):(64,1)",
		"S<3,4,3> o 0 o ((128,16),1,8,3):((128,1),0,16,16384)":    "Sw<3,4,3> o 0 o ((128,16),1,8,3):((128,1),0,16,16384)",
		"SW_3_4_3 o 0 o (8, 64):(64, 1)":                          "Sw<3,4,3> o 0 o (8,64):(64,1)",
		"SW_1_2_-1 o 5 o ((2, 2), 64):((1, 3), 1)":                "Sw<1,2,-1> o 5 o ((2,2),64):((1,3),1)",
		"Swizzle<3,4,3> o (8,64):(64,1)":                          "Sw<3,4,3> o 0 o (8,64):(64,1)",
		"cute::Swizzle<3,4,3>{} o (8,64):(64,1)":                  "Sw<3,4,3> o 0 o (8,64):(64,1)",
		"cute::Swizzle<2, 1> o (8,64):(64,1)":                     "Sw<2,1,2> o 0 o (8,64):(64,1)",
		"Swizzle(3,4,3) o 0 o 512:1":                              "Sw<3,4,3> o 0 o (512):(1)",
		"sw<3,3,3> ∘ (8,64):(64,1)@7":                             "Sw<3,3,3> o 7 o (8,64):(64,1)",
		"Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)":    "Sw<3,3,3> o 0 o (8,64):(64,1)",
		"Sw<3,4,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)":    "Sw<3,2,3> o 0 o (8,32):(32,1)",
		"Sw<1,4,3> o smem_ptr[4b](unset) o (_8,_64):(_64,_1)":     "Sw<1,5,3> o 0 o (8,64):(64,1)",
		"Sw<3,4,3>_smem_ptr[16b](0x7f2a00000400) o (8,64):(64,1)": "Sw<3,3,3> o 0 o (8,64):(64,1)",
		"Sw<0,4,3> o 0 o (8,64):(64,1)":                           "(8,64):(64,1)",
		"Sw<3,0,3> o (8,8)":                                       "Sw<3,0,3> o 0 o (8,8):(1,8)",
	} {
		l, err := Parse(s)
		if err != nil || l.Exact == nil || l.Exact.String() != want {
			t.Errorf("Parse(%q) = %s, %v; want %s", s, l.Exact, err, want)
		}
	}
}

// TestPointedType: smem_ptr tells the size of an element, other spellings do not.
func TestPointedType(t *testing.T) {
	for s, want := range map[string]string{
		"Sw<3,4,3> o smem_ptr[16b](unset) o (8,64)": "uint16", "Sw<1,4,3> o smem_ptr[4b](unset) o (8,64)": "uint4",
		"Sw<3,4,3> o smem_ptr[128b](unset) o (8,64)": "", "Sw<3,3,3> o (8,64)": "",
	} {
		if l, err := Parse(s); err != nil || l.DType != want {
			t.Errorf("Parse(%q) has type %q, %v; want %q", s, l.DType, err, want)
		}
	}
}

// A malformed swizzled layout is a printable usage error that says what is wrong.
func TestSwizzledErrors(t *testing.T) {
	for s, want := range map[string]string{
		"Sw<3,4,3>":                                         "expected an o and a layout",
		"Sw<3,4,3> (8,64):(64,1)":                           "expected an o and a layout",
		"Sw<3,4,3> o nchw":                                  "expected a number",
		"Sw<3,4,2> o (8,64)":                                "|shift| is less than the number of bits",
		"Sw<99999999999999999999,4,3> o (8,64)":             "too large for a swizzle",
		"Sw<20,4,30> o (8,64)":                              "over the limit of 30",
		"Sw<3,4,3> o 5 o (8,64):(64,1)@5":                   "two offsets",
		"Sw<3,4,3> o 99999999999999999999 o (8,64)":         "too large",
		"Sw<3,4,3> o Sw<2,4,3> o (8,64)":                    "more than one swizzle",
		"Sw<3,4,3> o 0 o Sw<2,4,3> o 0 o (8,64)":            "more than one swizzle",
		"Sw<3,4,3> o smem_ptr[12b](unset) o (8,64)":         "12 bits",
		"Sw<3,4,3> o 0 o (8,64):(64,1) x":                   "at the end",
		"Sw<3,4,3> o 0 o (4611686018427387904,4):(8,1)":     "", // of 32 bits, too large
		"Sw<3,4,3> o 9223372036854775807 o (8,64):(64,1)":   "",
		"Sw<-1,4,3> o (8,64)":                               "",
		"Sw<3,4,3> o 0 o (8,64):(64,1\x1b[31m)":             "expected a comma or )",
		"Sw<3,4,3>" + strings.Repeat(" ", 600) + "o (8,64)": "exceeds 512 bytes",
	} {
		_, err := Parse(s)
		if err == nil || !strings.Contains(err.Error(), want) || text.Quote(err.Error()) != err.Error() {
			t.Errorf("Parse(%q): error %v, want %q", s, err, want)
		}
	}
}

// No format is that of a swizzled layout, even if it is that of the layout without its swizzle.
func TestSwizzledHasNoFormat(t *testing.T) {
	plain, err := mustParse(t, "NCHW4").Bind([]int{2, 8, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	l, err := plain.Swizzled(tensor.Swizzle{Bits: 1, Base: 2, Shift: 1}, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	f := mustParse(t, "NCHW4")
	if _, ok := Of(l); ok || f.Packs(l) || f.Agrees(l) {
		t.Errorf("%s: Of %v, Packs %v, Agrees %v", l, ok, f.Packs(l), f.Agrees(l))
	}
	if _, ok := Of(plain); !ok || !f.Packs(plain) || !f.Agrees(plain) {
		t.Errorf("%s: Of %v, Packs %v, Agrees %v", plain, ok, f.Packs(plain), f.Agrees(plain))
	}
}

// TestBytesSwizzle: S<…> of CuTe's Python DSL permutes bytes: the byte of each element is the swizzle, of bytes, of its byte in the plain
// layout. Sw<…> of C++ permutes elements. Without a type S<…> has no meaning.
func TestBytesSwizzle(t *testing.T) {
	z, err := tensor.NewSwizzle(3, 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 2, 4, 8, 16} {
		columns := 128 / size
		layout := "o 0 o (8," + text.Ints([]int{columns}, "") + "):(" + text.Ints([]int{columns}, "") + ",1)"
		for _, prefix := range []string{"S<3,4,3> ", "s< 3, 4, 3> ", "Sw<3,4,3> "} {
			l, err := Parse(prefix + layout)
			if err != nil {
				t.Fatal(err)
			}
			of, err := l.For([]int{8, columns}, 8*size)
			if err != nil {
				t.Fatal(err)
			}
			for row := range 8 {
				for column := range columns {
					plain := row*columns + column
					want := z.Apply(plain)
					if !strings.HasPrefix(prefix, "Sw") {
						want = z.Apply(plain*size) / size
					}
					if got := of.Exact.At(row, column); got != want {
						t.Fatalf("%s%s of %d bytes at %d,%d: offset %d, want %d", prefix, layout, size, row, column, got, want)
					}
				}
			}
		}
	}
	l, err := Parse("S<3,4,3> o 0 o (8,64):(64,1)")
	if err != nil {
		t.Fatal(err)
	}
	for bits, want := range map[int]string{0: "the type of the elements is not known", 24: "elements of 24 bits do not fit"} {
		if _, err := l.ForElements(bits); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bits: %v, want %q", bits, err, want)
		}
	}
}
