package nifti

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

// image returns a header of version 1 of sizes 3 and 2, of int16 in an order, and edits it.
func image(order binary.ByteOrder, edit func(raw []byte)) []byte {
	raw := make([]byte, 352)
	order.PutUint32(raw, size1)
	for d, n := range []uint16{2, 3, 2} {
		order.PutUint16(raw[40+2*d:], n)
	}
	order.PutUint16(raw[70:], 4)
	order.PutUint32(raw[108:], math.Float32bits(352))
	copy(raw[magicAt:], oneFile)
	if edit != nil {
		edit(raw)
	}
	return raw
}

// TestRules: what breaks the format is refused, and named.
func TestRules(t *testing.T) {
	little := binary.LittleEndian
	put := func(at int, n uint16) func([]byte) { return func(raw []byte) { little.PutUint16(raw[at:], n) } }
	begin := func(at float32) func([]byte) {
		return func(raw []byte) { little.PutUint32(raw[108:], math.Float32bits(at)) }
	}
	for _, c := range []struct {
		edit  func([]byte)
		class fault.Class
		text  string
	}{
		{put(40, 0), fault.Malformed, "it has 0 dims"},
		{put(40, 8), fault.Malformed, "it has 8 dims"},
		{put(42, 0xffff), fault.Malformed, "the size of dim 0 is -1"},
		{put(70, 1), fault.Unsupported, "datatype 1"},
		{begin(20), fault.Malformed, "inside the header"},
		{begin(-1), fault.Malformed, "begin at byte -1"},
		{begin(400.5), fault.Malformed, "begin at byte 400.5"},
		{begin(float32(math.NaN())), fault.Malformed, "begin at byte NaN"},
		{put(0, 347), fault.Malformed, "not a NIfTI image"},
	} {
		raw := image(little, c.edit)
		_, err := Open(bytes.NewReader(raw), int64(len(raw)), "x.nii")
		hostile.WantFault(t, c.text, err, c.class, c.text)
	}
}

// TestPlaces: without vox_offset the elements follow the header, in a pair they begin the image beside it; colors are a dim before the others.
func TestPlaces(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, c := range []struct {
			magic   string
			kind    uint16
			begin   float32
			at      int64
			file    string
			sizes   []int
			element string
		}{
			{oneFile, 4, 352, 352, "", []int{3, 2}, "int16"}, {oneFile, 4, 0, 352, "", []int{3, 2}, "int16"}, {oneFile, 4, 400, 400, "", []int{3, 2}, "int16"},
			{twoFiles, 16, 0, 0, "x.img", []int{3, 2}, "float32"}, {oneFile, 128, 352, 352, "", []int{3, 3, 2}, "uint8"},
			{oneFile, 2304, 352, 352, "", []int{4, 3, 2}, "uint8"},
		} {
			raw := image(order, func(raw []byte) {
				copy(raw[magicAt:], c.magic)
				order.PutUint16(raw[70:], c.kind)
				order.PutUint32(raw[108:], math.Float32bits(c.begin))
			})
			a, err := Open(bytes.NewReader(raw), int64(len(raw)), "x.HDR")
			if err != nil || a.At != c.at || a.File != c.file || !slices.Equal(a.Shape, c.sizes) || a.Type.String() != c.element || len(a.Dims) != len(a.Shape) {
				t.Errorf("%q, datatype %d at %g: %+v, %v", c.magic, c.kind, c.begin, a, err)
			}
		}
	}
}

// FuzzNIfTI opens any bytes: a clean error, or a shape whose bytes fit 64 bits.
func FuzzNIfTI(f *testing.F) {
	f.Add(image(binary.LittleEndian, nil))
	f.Add(image(binary.BigEndian, nil))
	second := make([]byte, size2)
	binary.BigEndian.PutUint32(second, size2)
	copy(second[4:], oneFile2)
	f.Add(second)
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := Open(bytes.NewReader(raw), int64(len(raw)), "x.nii")
		if err == nil {
			_, err = a.Bytes()
		}
		if err == nil && a.At < 0 {
			t.Errorf("%+v", a)
		}
		if err != nil && len(raw) > 0 {
			hostile.CheckError(t, err, 600)
		}
	})
}
