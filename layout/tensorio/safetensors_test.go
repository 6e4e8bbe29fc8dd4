package tensorio_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/layout"
	"github.com/tlayout/tlayout/layout/tensorio"
)

func written(t *testing.T, tensors map[string]layout.Tensor, metadata map[string]string) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := tensorio.WriteSafetensors(&file, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func example(t *testing.T) map[string]layout.Tensor {
	t.Helper()
	columns, err := layout.MustParse("c", 2, 3).Permute(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]layout.Tensor{
		"bias":   {DType: "bfloat16", Layout: layout.MustParse("c", 2), Data: []byte{0x80, 0x3f, 0, 0xc0}},
		"weight": layout.TensorOf([]float64{0, 1, 2, 3, 4, 5}, columns),
		"empty":  {DType: "int8", Layout: layout.MustParse("c", 0)},
	}
}

// TestSafetensorsRoundTrip: tensors and texts are read as they were written, in row-major order.
func TestSafetensorsRoundTrip(t *testing.T) {
	texts := map[string]string{"format": "pt", "by": "a test"}
	file := written(t, example(t), texts)
	r, err := tensorio.NewSafetensors(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if names := r.Names(); !slices.Equal(names, []string{"weight", "bias", "empty"}) || !maps.Equal(r.Metadata(), texts) {
		t.Errorf("%v, %v", names, r.Metadata())
	}
	weight, err := r.Tensor("weight")
	if err != nil {
		t.Fatal(err)
	}
	values, err := layout.Values[float64](weight)
	if err != nil || !slices.Equal(values, []float64{0, 3, 1, 4, 2, 5}) || !weight.Layout.Equal(layout.MustParse("c", 3, 2)) {
		t.Errorf("%v, %v in %s", err, values, weight.Layout)
	}
	bias, err := r.Tensor("bias")
	if err != nil {
		t.Fatal(err)
	}
	if numbers, err := layout.Float32s(bias); err != nil || !slices.Equal(numbers, []float32{1, -2}) || bias.DType != "bfloat16" {
		t.Errorf("%v, %v of %s", err, numbers, bias.DType)
	}
	if empty, err := r.Tensor("empty"); err != nil || empty.Layout.Len() != 0 {
		t.Errorf("%v, %s", err, empty.Layout)
	}
}

// TestSafetensorsErrors: names that do not exist, files that end early, elements below a byte, and what cannot be written.
func TestSafetensorsErrors(t *testing.T) {
	file := written(t, example(t), nil)
	r, err := tensorio.NewSafetensors(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Tensor("wait"); !errors.Is(err, tensorio.ErrNoTensor) {
		t.Errorf("a name that does not exist: %v", err)
	}
	cut := bytes.NewReader(file[:len(file)-1])
	r, err = tensorio.NewSafetensors(cut, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Tensor("bias"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is shorter than its size: %v", err)
	}
	six := "P\x00\x00\x00\x00\x00\x00\x00" + `{"x":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]}}` + "                      \x00\x00\x00"
	r, err = tensorio.NewSafetensors(bytes.NewReader([]byte(six)), int64(len(six)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Tensor("x"); !errors.Is(err, tensorio.ErrFormat) {
		t.Errorf("elements of six bits: %v", err)
	}
	for _, bad := range []layout.Tensor{
		layout.TensorOf([]float32{1}, layout.MustParse("c", 2)), {DType: "float5"}, {DType: "complex128", Layout: layout.MustParse("c", 1), Data: make([]byte, 16)},
	} {
		if err := tensorio.WriteSafetensors(io.Discard, map[string]layout.Tensor{"x": bad}, nil); err == nil {
			t.Errorf("%s in %s is written", bad.DType, bad.Layout)
		}
	}
}

// TestSafetensorsDamaged: prefixes of a file are refused, and of one with a bit flipped no more is read than it has.
func TestSafetensorsDamaged(t *testing.T) {
	open := func(b []byte) error {
		_, err := tensorio.NewSafetensors(bytes.NewReader(b), int64(len(b)))
		return err
	}
	hostile.Damage(t, written(t, example(t), nil), open, func(b []byte) {
		r, err := tensorio.NewSafetensors(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if !errors.Is(err, tensorio.ErrFormat) {
				t.Errorf("%q: %v", b, err)
			}
			return
		}
		for _, name := range r.Names() {
			x, err := r.Tensor(name)
			if err == nil {
				err = x.Check()
			}
			if err != nil {
				t.Errorf("%q: %v", b, err)
			}
		}
	})
}
